package io.ringmaster.worker.fabric;

import io.ringmaster.worker.source.Span;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Something a run revealed about the kernel.
 *
 * @param message one sentence a colleague would say, with ranks, names and values
 * @param hint one line: what to change
 * @param ranks global ranks involved, ascending
 * @param window buffer name, where one is involved
 * @param cell signal coordinates as written, e.g. {@code [1, 0]}
 * @param fromByte first byte of the range in the buffer, with {@code toByte} exclusive
 * @param seen value found
 * @param needed value that was needed
 */
public record Finding(
    Kind kind,
    Severity severity,
    String message,
    String hint,
    List<Integer> ranks,
    Optional<String> window,
    Optional<String> cell,
    Optional<Long> fromByte,
    Optional<Long> toByte,
    Optional<Long> seen,
    Optional<Long> needed,
    List<Place> places) {

  public Finding {
    ranks = List.copyOf(ranks);
    places = List.copyOf(places);
  }

  /** Where something happened, and what. */
  public record Place(int rank, Span span, String what) {}

  /** Fixed per kind; see {@link Kind#severity()}. */
  public enum Severity {
    NOTE,
    WARNING,
    ERROR
  }

  /** Every fault the product can name at run time; the order is the order of precedence. */
  public enum Kind {
    OUT_OF_BOUNDS(Severity.ERROR),
    MISMATCH(Severity.ERROR),
    DEADLOCK(Severity.ERROR),
    RACE(Severity.ERROR),
    /** A wait let through by a credit of another round. Verdict RACE. */
    STALE_CREDIT(Severity.ERROR),
    /** A Set destroyed a credit nobody had consumed. Verdict RACE. */
    LOST_CREDIT(Severity.ERROR),
    NEVER_WRITTEN(Severity.ERROR),
    /** A kernel read window bytes that no one had written: it got zeros. */
    UNINITIALISED_READ(Severity.WARNING),
    RESIDUE(Severity.NOTE),
    SIGNAL_WRAPPED(Severity.ERROR),
    LAYOUT_CONFLICT(Severity.WARNING),
    IDLE_RANK(Severity.WARNING),
    NEGATIVE_DIVIDEND(Severity.WARNING),
    /** A rule of the language that only the run could check. Verdict REJECTED. */
    RULE_BROKEN(Severity.ERROR),
    /** Staged bytes that a collective replaced before anyone read them. */
    REDUNDANT_STAGING(Severity.WARNING),
    /** A notify that the run was asked to lose. */
    NOTIFY_DROPPED(Severity.NOTE),
    /** How the orders ended that were run beside the asked one; the verdict is the gravest. */
    SCHEDULE_SEARCH(Severity.NOTE),
    /** A rank wrote over what another had left in a host tensor and nobody had read. */
    OUTPUT_OVERWRITTEN(Severity.WARNING),
    /** An output, or a part of it, that no check looks at. */
    UNCOMPARED_OUTPUT(Severity.NOTE),
    /** A part of an output that holds the golden because the script put it there. */
    PREFILLED_OUTPUT(Severity.WARNING),
    /** Inputs in which all ranks get the same, so that a wrong share doesn't show. */
    ALIKE_INPUTS(Severity.NOTE),
    /** What is compared is coarser than what the kernel wrote: small differences go unseen. */
    COARSE_COMPARISON(Severity.NOTE),
    /** Too many ranks to track which accesses are in no order. */
    ORDER_UNCHECKED(Severity.NOTE),
    LIMIT(Severity.ERROR);

    private final Severity severity;

    Kind(Severity severity) {
      this.severity = severity;
    }

    public Severity severity() {
      return severity;
    }
  }

  /** The same, with these ranks beside its own. */
  public Finding alsoOn(List<Integer> others) {
    List<Integer> all = Stream.concat(ranks.stream(), others.stream()).distinct().sorted().toList();
    return new Finding(
        kind, severity, message, hint, all, window, cell, fromByte, toByte, seen, needed, places);
  }

  /** A finding that no single window or cell stands for. */
  public static Finding of(
      Kind kind, String message, String hint, List<Integer> ranks, List<Place> places) {
    return new Finding(
        kind,
        kind.severity(),
        message,
        hint,
        ranks,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        places);
  }
}
