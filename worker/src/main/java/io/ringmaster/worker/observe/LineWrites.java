package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Place;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.WindowInfo;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Finds writes of different ranks to different bytes of one cache line that are in no order. Where
 * memory is written by whole lines, each can undo the other's: the bytes of a neighbour are written
 * back as they were. Atomic additions happen in memory and are safe; the same bytes are the
 * business of {@link RaceDetector}.
 *
 * <p>Source: the memory model of the language, whose devices have lines of 64 bytes.
 */
final class LineWrites implements FabricListener {

  private static final int LINE = 64;

  private record Line(int window, int owner, long number) {}

  private record Write(Stamp when, long from, long to, Span span) {}

  private record Pair(int window, Span one, Span other) {}

  private final HappensBefore order;

  /** The last write of each rank to a line. */
  private final Map<Line, Map<Integer, Write>> lines = new HashMap<>();

  private final Map<Pair, Finding> conflicts = new LinkedHashMap<>();

  /** {@code order} has to hear every event first. */
  LineWrites(HappensBefore order) {
    this.order = order;
  }

  @Override
  public void accessed(Access access) {
    if (access.kind() != Access.Kind.WRITE) {
      return;
    }
    Stamp now = order.now(access.rank());
    for (long row = 0; row < access.rows(); row++) {
      long from = access.byteOffset() + row * access.rowStride();
      written(access.window(), access.owner(), from, from + access.rowBytes(), now, access.span());
    }
  }

  @Override
  public void notified(Notification notification) {
    if (notification.set()) {
      long from = notification.cell() * Integer.BYTES;
      written(
          notification.window(),
          notification.owner(),
          from,
          from + Integer.BYTES,
          order.lastSent(notification.rank()),
          notification.span());
    }
  }

  private void written(WindowInfo window, int owner, long from, long to, Stamp when, Span span) {
    for (long line = from / LINE; line * LINE < to; line++) {
      long first = Math.max(from, line * LINE);
      long end = Math.min(to, (line + 1) * LINE);
      Write write = new Write(when, first, end, span);
      Map<Integer, Write> writes =
          lines.computeIfAbsent(new Line(window.index(), owner, line), _ -> new TreeMap<>());
      for (Write other : writes.values()) {
        if (other.when().rank() != when.rank()
            && (other.to() <= first || end <= other.from())
            && !other.when().precedes(when)) {
          conflicts.computeIfAbsent(
              pair(window, other, write), _ -> describe(window, owner, other, write));
        }
      }
      writes.put(when.rank(), write);
    }
  }

  private static Pair pair(WindowInfo window, Write one, Write other) {
    boolean swap = Findings.SPANS.compare(one.span(), other.span()) > 0;
    return swap
        ? new Pair(window.index(), other.span(), one.span())
        : new Pair(window.index(), one.span(), other.span());
  }

  private static Finding describe(WindowInfo window, int owner, Write one, Write other) {
    int first = one.when().rank();
    int second = other.when().rank();
    return new Finding(
        Finding.Kind.RACE,
        Finding.Kind.RACE.severity(),
        "rank %d writes bytes %d..%d and rank %d bytes %d..%d of one 64-byte line of %s on rank %d, and nothing orders the two: whoever writes the line back last undoes the other's update"
            .formatted(
                first,
                one.from(),
                one.to(),
                second,
                other.from(),
                other.to(),
                Words.window(window),
                owner),
        "place what different ranks write 64 bytes apart (16 INT32 cells), or order the writes",
        List.of(Math.min(first, second), Math.max(first, second)),
        Optional.of(window.buffer()),
        Optional.empty(),
        Optional.of(Math.min(one.from(), other.from())),
        Optional.of(Math.max(one.to(), other.to())),
        Optional.empty(),
        Optional.empty(),
        List.of(
            new Place(first, one.span(), "writes a part of the line"),
            new Place(second, other.span(), "writes another part of it")));
  }

  List<Finding> findings() {
    return new ArrayList<>(conflicts.values());
  }
}
