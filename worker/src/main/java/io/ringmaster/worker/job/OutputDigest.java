package io.ringmaster.worker.job;

import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.HostTensor;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 over the outputs of every launch: equal digests mean equal bytes. */
public final class OutputDigest {

  /** Bytes digested between two looks at the order to stop. */
  private static final long PIECE = 16L << 20;

  private final MessageDigest digest;

  OutputDigest() {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** The digest of one tensor: dtype, shape, and its elements. */
  public static String of(HostTensor tensor) {
    var one = new OutputDigest();
    one.add(tensor);
    return one.hex();
  }

  /** Adds a tensor: dtype, shape, and its elements in row-major order. */
  void add(HostTensor tensor) {
    digest.update(tensor.toString().getBytes(StandardCharsets.UTF_8));
    add(tensor, 0, tensor.offset());
  }

  private void add(HostTensor tensor, int axis, long offset) {
    if (axis == tensor.rank() || isPacked(tensor, axis)) {
      long elements = 1;
      for (int i = axis; i < tensor.rank(); i++) {
        elements *= tensor.shape()[i];
      }
      int width = tensor.dtype().bytes();
      long end = (offset + elements) * width;
      for (long from = offset * width; from < end; from += PIECE) {
        StopOrder.look();
        digest.update(
            tensor.buffer().segment().asSlice(from, Math.min(PIECE, end - from)).asByteBuffer());
      }
      return;
    }
    for (long i = 0; i < tensor.shape()[axis]; i++) {
      add(tensor, axis + 1, offset + i * tensor.strides()[axis]);
    }
  }

  /** True when the dimensions from {@code axis} on lie in one piece. */
  private static boolean isPacked(HostTensor tensor, int axis) {
    long step = 1;
    for (int i = tensor.rank() - 1; i >= axis; i--) {
      if (tensor.shape()[i] != 1 && tensor.strides()[i] != step) {
        return false;
      }
      step *= tensor.shape()[i];
    }
    return true;
  }

  /** The digest of all that was added; starts over. */
  String hex() {
    return "sha256:" + HexFormat.of().formatHex(digest.digest());
  }
}
