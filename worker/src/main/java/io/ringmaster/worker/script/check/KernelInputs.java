package io.ringmaster.worker.script.check;

import io.ringmaster.worker.tensor.HostTensor;
import java.util.List;

/** The tensors that the last kernel read, so that a mismatch can be traced to a rank's share. */
public final class KernelInputs {

  private List<HostTensor> tensors = List.of();

  public void set(List<HostTensor> inputs) {
    tensors = List.copyOf(inputs);
  }

  public List<HostTensor> tensors() {
    return tensors;
  }
}
