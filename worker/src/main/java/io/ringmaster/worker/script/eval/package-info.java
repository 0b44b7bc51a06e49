/** Walks the syntax tree of a script. */
@NullMarked
package io.ringmaster.worker.script.eval;

import org.jspecify.annotations.NullMarked;
