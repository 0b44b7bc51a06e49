/** Passes from IR to IR, one class a pass, and the one list that orders them. */
@NullMarked
package io.ringmaster.worker.lowering;

import org.jspecify.annotations.NullMarked;
