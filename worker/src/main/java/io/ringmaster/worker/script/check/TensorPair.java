package io.ringmaster.worker.script.check;

import io.ringmaster.worker.tensor.HostTensor;

/**
 * Two tensors that a script holds against each other.
 *
 * @param left where the first stems from
 * @param right where the second stems from
 */
public record TensorPair(HostTensor actual, HostTensor expected, Origin left, Origin right) {}
