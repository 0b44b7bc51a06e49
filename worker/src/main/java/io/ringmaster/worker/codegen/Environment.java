package io.ringmaster.worker.codegen;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.fabric.Window;
import io.ringmaster.worker.fabric.WindowSlice;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.List;

/** What a machine asks of whoever runs it. */
public interface Environment {

  /**
   * More instructions for a machine that used up its allowance; throws when the run has to stop.
   */
  int refuel(Machine machine);

  /** Sends a notification whose cell was checked. */
  void send(Machine machine, Notification notification, WindowSlice target);

  /** Sends a notification of which nobody is told. */
  void send(Machine machine, WindowSlice target, long cell, int value, boolean set, Span span);

  /**
   * When a transfer between two different ranks ends that starts now.
   *
   * @param end when it would end if nobody else used ports and links
   */
  long transferred(int from, int to, long bytes, long start, long end);

  /** Keeps a finding that doesn't stop the run. */
  void report(Finding finding);

  /** Makes a tensor for {@code pl.create_tensor}. */
  TensorView createTensor(DType dtype, long[] shape, Span span);

  /** Number of ranks of the run. HOST only. */
  int worldSize();

  /** Makes a window buffer. HOST only. */
  Window allocateWindow(String name, long bytes, Span span);

  /**
   * Plans a call on a rank. HOST only.
   *
   * @return the results that aren't among the arguments, in order
   */
  List<TensorView> dispatch(DispatchCall call);

  /** Copies {@code source} over {@code target}, views of equal extents. HOST only. */
  void copy(TensorView source, TensorView target, Span span);
}
