/** The modules a script may import, apart from torch. */
@NullMarked
package io.ringmaster.worker.script.module;

import org.jspecify.annotations.NullMarked;
