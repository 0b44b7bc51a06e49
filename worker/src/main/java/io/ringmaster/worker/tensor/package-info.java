/** Dtypes, shapes, off-heap tensors and {@code .npy} files; knows no other room. */
@NullMarked
package io.ringmaster.worker.tensor;

import org.jspecify.annotations.NullMarked;
