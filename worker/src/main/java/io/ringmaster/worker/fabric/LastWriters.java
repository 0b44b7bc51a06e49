package io.ringmaster.worker.fabric;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which dispatch wrote each byte of a host tensor last, so that it is seen when one rank writes
 * over what another has left there and nobody has read. Only kept for tensors whose dispatches
 * overlap.
 */
public final class LastWriters {

  /** What a dispatch overwrites, and whose bytes they were. */
  public record Overwritten(DispatchInfo earlier, DispatchInfo later, long from, long to) {}

  private record Piece(long end, DispatchInfo by) {}

  private record Pair(long earlier, long later) {}

  /** Bytes that a dispatch is declared to read. */
  private record Reading(long dispatch, long from, long to) {}

  private final TreeMap<Long, Piece> pieces = new TreeMap<>();
  private final List<Reading> readings = new ArrayList<>();
  private final Set<Pair> seen = new HashSet<>();
  private final List<Overwritten> found = new ArrayList<>();
  private @Nullable DispatchInfo running;

  /** A dispatch reads these bytes, or may: what was there before has served its purpose. */
  public void reads(DispatchInfo dispatch, long from, long to) {
    readings.add(new Reading(dispatch.id(), from, to));
  }

  /** Whoever writes from now on. */
  public void running(DispatchInfo dispatch) {
    running = dispatch;
  }

  /** The running dispatch writes {@code [from, to)}. */
  public void wrote(long from, long to) {
    DispatchInfo writer = running;
    if (writer == null || from >= to) {
      return;
    }
    Map.Entry<Long, Piece> entry = pieces.floorEntry(from);
    if (entry == null || entry.getValue().end() <= from) {
      entry = pieces.higherEntry(from);
    }
    while (entry != null && entry.getKey() < to) {
      long start = entry.getKey();
      Piece old = entry.getValue();
      note(old.by(), writer, Math.max(start, from), Math.min(old.end(), to));
      pieces.remove(start);
      if (start < from) {
        pieces.put(start, new Piece(from, old.by()));
      }
      if (old.end() > to) {
        pieces.put(to, old);
      }
      entry = pieces.higherEntry(start);
    }
    pieces.put(from, new Piece(to, writer));
  }

  private void note(DispatchInfo earlier, DispatchInfo later, long from, long to) {
    if (earlier.rank() == later.rank() || wasRead(earlier, later, from, to)) {
      return;
    }
    if (seen.add(new Pair(earlier.id(), later.id()))) {
      found.add(new Overwritten(earlier, later, from, to));
    }
  }

  private boolean wasRead(DispatchInfo earlier, DispatchInfo later, long from, long to) {
    return readings.stream()
        .anyMatch(
            reading ->
                reading.dispatch() > earlier.id()
                    && reading.dispatch() <= later.id()
                    && reading.from() < to
                    && from < reading.to());
  }

  /** What was overwritten, one for each two dispatches, in the order in which it happened. */
  public List<Overwritten> found() {
    return found;
  }
}
