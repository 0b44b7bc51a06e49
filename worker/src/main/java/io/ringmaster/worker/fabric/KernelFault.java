package io.ringmaster.worker.fabric;

import io.ringmaster.worker.source.Span;
import java.util.List;
import java.util.Optional;

/** Stops a run because a rank did something that can't be carried out. */
public final class KernelFault extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient Finding finding;

  public KernelFault(Finding finding) {
    super(finding.message(), null, false, false);
    this.finding = finding;
  }

  public Finding finding() {
    return finding;
  }

  /** A fault of one rank in which no window byte is involved. */
  public static KernelFault of(
      Finding.Kind kind, int rank, Span span, String message, String hint) {
    return new KernelFault(
        Finding.of(
            kind,
            message,
            hint,
            rank < 0 ? List.of() : List.of(rank),
            List.of(new Finding.Place(rank, span, message))));
  }

  /**
   * An access outside a tensor, view or slot.
   *
   * @param at what the message is about: an offset, the peer, or all of the operation
   * @param detail what is outside of what, with the values
   * @param from first byte asked for, relative to the region
   */
  static KernelFault outOfBounds(
      int rank, Site site, Span at, Region region, String detail, String hint, long from, long to) {
    return new KernelFault(
        new Finding(
            Finding.Kind.OUT_OF_BOUNDS,
            Finding.Kind.OUT_OF_BOUNDS.severity(),
            (rank < 0 ? "HOST" : "rank " + rank) + ": " + site.operation() + ": " + detail,
            hint,
            rank < 0 ? List.of() : List.of(rank),
            region instanceof WindowSlice slice
                ? Optional.of(slice.info().buffer())
                : Optional.empty(),
            Optional.empty(),
            Optional.of(from),
            Optional.of(to),
            Optional.empty(),
            Optional.empty(),
            List.of(new Finding.Place(rank, at, detail))));
  }
}
