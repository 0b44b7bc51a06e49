package io.ringmaster.worker.script.check;

import io.ringmaster.worker.tensor.HostTensor;

/** Two tensors that a script holds against each other. */
public record TensorPair(HostTensor actual, HostTensor expected) {}
