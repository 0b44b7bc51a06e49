/** Compares tensors within a tolerance and explains a mismatch. */
@NullMarked
package io.ringmaster.worker.golden;

import org.jspecify.annotations.NullMarked;
