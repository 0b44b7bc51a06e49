package io.ringmaster.worker.fabric;

import io.ringmaster.worker.source.Span;
import java.util.List;

/**
 * An operation in the kernel's text, for messages.
 *
 * @param operation its name as a kernel spells it
 * @param tensor what it touches, as the kernel names it
 * @param offsets where each offset into the tensor is written; fewer than there are, or none, where
 *     the text doesn't say
 * @param peer where the rank at the other end is written, else the operation
 */
public record Site(String operation, String tensor, Span span, List<Span> offsets, Span peer) {

  public Site {
    offsets = List.copyOf(offsets);
  }

  /** Of an operation whose operands stand nowhere in the text. */
  public Site(String operation, String tensor, Span span) {
    this(operation, tensor, span, List.of(), span);
  }

  /** Where the offset in one dimension is written, else the operation. */
  public Span offset(int axis) {
    return axis < offsets.size() ? offsets.get(axis) : span;
  }
}
