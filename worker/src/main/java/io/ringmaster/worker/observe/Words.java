package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.BlockedRank;
import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.WindowInfo;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** How findings name ranks, windows, cells and lines. */
final class Words {

  private Words() {}

  /** {@code `sig`}. */
  static String window(WindowInfo window) {
    return "`" + window.buffer() + "`";
  }

  /** Coordinates as the kernel wrote them: {@code [1, 0]}. */
  static String cell(List<Long> coordinates) {
    return coordinates.stream().map(String::valueOf).collect(Collectors.joining(", ", "[", "]"));
  }

  /** {@code rank 2}, {@code ranks 0 and 1}, {@code ranks 0, 1 and 3}. */
  static String ranks(Collection<Integer> ranks) {
    List<String> names = ranks.stream().sorted().map(String::valueOf).toList();
    return (names.size() == 1 ? "rank " : "ranks ") + and(names);
  }

  /** Joins with commas and a final "and". */
  static String and(List<String> parts) {
    if (parts.size() < 2) {
      return String.join("", parts);
    }
    return String.join(", ", parts.subList(0, parts.size() - 1)) + " and " + parts.getLast();
  }

  /** The first {@code most} of the parts, and how many more there are. */
  static List<String> shortened(List<String> parts, int most) {
    if (parts.size() <= most) {
      return parts;
    }
    var shown = new ArrayList<>(parts.subList(0, most));
    shown.add((parts.size() - most) + " more");
    return shown;
  }

  /** {@code line 12}; what a finding says where no line is known. */
  static String line(Span span) {
    return span.isKnown() ? "line " + span.line() : "generated code";
  }

  /**
   * {@code dispatch 0 (f on rank 0, line 5) and dispatch 1 (f on rank 1, line 5) both write ...}.
   */
  static String sharing(BlockedRank.Held held) {
    return dispatch(held.earlier())
        + " and "
        + dispatch(held.later())
        + (held.bothWrite() ? " both write " : " both use ")
        + held.bytes();
  }

  private static String dispatch(DispatchInfo info) {
    return "dispatch %d (%s on rank %d, %s)"
        .formatted(info.id(), info.function(), info.rank(), line(info.span()));
  }

  /** {@code at least 1} or {@code exactly 1}. */
  static String needs(SignalWait wait) {
    return (wait.exact() ? "exactly " : "at least ") + wait.expected();
  }

  /** {@code rank 1 adds 1 to cell [1, 0] of `sig` on rank 0}. */
  static String notifies(Notification notification) {
    String change =
        notification.set()
            ? " sets cell " + cell(notification.coordinates()) + " of "
            : " adds "
                + notification.value()
                + " to cell "
                + cell(notification.coordinates())
                + " of ";
    String value = notification.set() ? " to " + notification.value() : "";
    return "rank "
        + notification.rank()
        + change
        + window(notification.window())
        + " on rank "
        + notification.owner()
        + value;
  }
}
