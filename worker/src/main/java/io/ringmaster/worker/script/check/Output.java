package io.ringmaster.worker.script.check;

import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostBuffer;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.Stretches;
import org.jspecify.annotations.Nullable;

/** What one launch of a program writes into one of its parameters, and what of it was compared. */
public final class Output {

  private static final long[] NOTHING = {};

  private final Launch launch;
  private final String name;
  private final DType dtype;
  private final long[] shape;
  private final long[] strides;
  private final long offset;
  private final long[] stretches;
  private @Nullable HostBuffer buffer;
  private long[] written = NOTHING;
  private long[] verified = NOTHING;

  Output(Launch launch, String name, HostTensor tensor) {
    this.launch = launch;
    this.name = name;
    this.dtype = tensor.dtype();
    this.shape = tensor.shape();
    this.strides = tensor.strides();
    this.offset = tensor.offset();
    this.stretches = Stretches.of(tensor);
    this.buffer = tensor.buffer();
  }

  Launch launch() {
    return launch;
  }

  /** The parameter's name. */
  public String name() {
    return name;
  }

  boolean isOfSameProgramAs(Output other) {
    return launch.program().isLike(other.launch.program());
  }

  /** The launch is over: what the kernel has written is known, and the memory may go. */
  public void ended() {
    if (buffer != null) {
      for (int i = 0; i < stretches.length; i += 2) {
        written = Reads.union(written, buffer.written().within(stretches[i], stretches[i + 1]));
      }
      buffer = null;
    }
  }

  /** Bytes that the kernel wrote. */
  long[] written() {
    return written;
  }

  /** Bytes that a check which counts has looked at. */
  long[] verified() {
    return verified;
  }

  /**
   * Notes that a check has looked at bytes.
   *
   * @return false when all of them were noted before
   */
  boolean verify(long[] ranges) {
    long[] all = Reads.union(verified, ranges);
    boolean more = Reads.size(all) > Reads.size(verified);
    verified = all;
    return more;
  }

  DType dtype() {
    return dtype;
  }

  /** Byte offsets from the first of an element: the same of two outputs lie at the same place. */
  long place(long inBuffer) {
    return inBuffer - offset * dtype.bytes();
  }

  long[] shape() {
    return shape;
  }

  long[] strides() {
    return strides;
  }
}
