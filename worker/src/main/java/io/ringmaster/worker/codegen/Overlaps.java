package io.ringmaster.worker.codegen;

import io.ringmaster.worker.codegen.Iterations.Run;
import io.ringmaster.worker.codegen.Iterations.Touch;
import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Place;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.fabric.WindowSlice;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Finds bytes that two iterations of an unordered loop touch, one of them to change them: a device
 * may run either first. One finding for each pair of places, whatever the values were.
 */
final class Overlaps {

  /** Stretches of memory that are told apart; a loop that touches more goes unchecked. */
  private static final long MOST_ROWS = 1 << 21;

  private record Pair(Span earlier, Span later, Access.Kind kind, Access.Kind with) {}

  private static final class Overlap {
    final Touch earlier;
    final Touch later;
    final long from;
    long to;

    Overlap(Touch earlier, Touch later, long from, long to) {
      this.earlier = earlier;
      this.later = later;
      this.from = from;
      this.to = to;
    }
  }

  /** Bytes with one history, up to {@code to}. */
  private record Piece(long to, List<Touch> touches) {}

  private final int rank;
  private final Iterations iterations;
  private final Map<Pair, Overlap> found = new LinkedHashMap<>();

  Overlaps(int rank, Iterations iterations) {
    this.rank = rank;
    this.iterations = iterations;
  }

  void report(Consumer<Finding> findings) {
    List<List<Run>> regions = iterations.changed();
    long rows = regions.stream().flatMap(List::stream).mapToLong(Overlaps::pieces).sum();
    if (iterations.tooMany() || rows > MOST_ROWS) {
      findings.accept(unchecked());
      return;
    }
    regions.forEach(this::search);
    found.values().forEach(overlap -> findings.accept(finding(overlap)));
  }

  private static boolean isPacked(Run run) {
    return run.rowStride() == run.rowBytes();
  }

  private static long pieces(Run run) {
    return isPacked(run) ? 1 : run.rows();
  }

  private void search(List<Run> runs) {
    NavigableMap<Long, Piece> pieces = new TreeMap<>();
    for (Run run : runs) {
      if (isPacked(run)) {
        touch(pieces, run.from(), run.from() + run.rows() * run.rowBytes(), run.touch());
        continue;
      }
      for (long row = 0; row < run.rows(); row++) {
        long from = run.from() + row * run.rowStride();
        touch(pieces, from, from + run.rowBytes(), run.touch());
      }
    }
  }

  private void touch(NavigableMap<Long, Piece> pieces, long from, long to, Touch touch) {
    if (from >= to) {
      return;
    }
    split(pieces, from);
    split(pieces, to);
    long at = from;
    while (at < to) {
      Map.Entry<Long, Piece> next = pieces.ceilingEntry(at);
      if (next == null || next.getKey() >= to) {
        pieces.put(at, new Piece(to, List.of(touch)));
        return;
      }
      if (next.getKey() > at) {
        pieces.put(at, new Piece(next.getKey(), List.of(touch)));
        at = next.getKey();
        continue;
      }
      Piece piece = next.getValue();
      compare(at, piece, touch);
      pieces.put(at, new Piece(piece.to(), with(piece.touches(), touch)));
      at = piece.to();
    }
  }

  private static void split(NavigableMap<Long, Piece> pieces, long at) {
    Map.Entry<Long, Piece> before = pieces.lowerEntry(at);
    if (before != null && before.getValue().to() > at) {
      pieces.put(at, before.getValue());
      pieces.put(before.getKey(), new Piece(at, before.getValue().touches()));
    }
  }

  /** Two touches of a kind, of different iterations, are enough: any third meets one of them. */
  private static List<Touch> with(List<Touch> touches, Touch touch) {
    int alike = 0;
    for (Touch other : touches) {
      if (other.kind() == touch.kind()) {
        alike++;
        if (other.number() == touch.number() || alike == 2) {
          return touches;
        }
      }
    }
    List<Touch> more = new ArrayList<>(touches);
    more.add(touch);
    return more;
  }

  private void compare(long from, Piece piece, Touch touch) {
    for (Touch earlier : piece.touches()) {
      if (!touch.conflictsWith(earlier)) {
        continue;
      }
      var pair = new Pair(earlier.site().span(), touch.site().span(), earlier.kind(), touch.kind());
      Overlap known = found.get(pair);
      if (known == null) {
        found.put(pair, new Overlap(earlier, touch, from, piece.to()));
      } else if (known.later.equals(touch) && known.earlier.equals(earlier) && known.to == from) {
        known.to = piece.to();
      }
    }
  }

  private Finding unchecked() {
    Iterations.Loop loop = iterations.loop();
    return Finding.of(
        Finding.Kind.ORDER_UNCHECKED,
        "rank %d: the %s on line %d touches memory too often to remember all of it: whether its %ss depend on each other isn't checked"
            .formatted(rank, loop.spelling(), loop.span().line(), loop.unit()),
        "run it with a smaller size too",
        List.of(rank),
        List.of(new Place(rank, loop.span(), "runs one after another here")));
  }

  private Finding finding(Overlap overlap) {
    Iterations.Loop loop = iterations.loop();
    boolean window = overlap.later.view().region() instanceof WindowSlice;
    long start = window ? 0 : overlap.later.view().start();
    return new Finding(
        Finding.Kind.RACE,
        Finding.Kind.RACE.severity(),
        "rank %d: %s %s %s, which %s %s, and nothing orders the %ss of the %s on line %d"
            .formatted(
                rank,
                iterations.name(overlap.later.number()),
                verb(overlap.later),
                bytes(overlap),
                iterations.name(overlap.earlier.number()),
                verb(overlap.earlier)
                    + (overlap.earlier.kind() == overlap.later.kind() ? " too" : ""),
                loop.unit(),
                loop.spelling(),
                loop.span().line()),
        hint(overlap, loop),
        List.of(rank),
        overlap.later.view().region() instanceof WindowSlice slice
            ? Optional.of(slice.info().buffer())
            : Optional.empty(),
        Optional.empty(),
        Optional.of(overlap.from - start),
        Optional.of(overlap.to - start),
        Optional.empty(),
        Optional.empty(),
        List.of(place(overlap.earlier, overlap), place(overlap.later, overlap)));
  }

  private Place place(Touch touch, Overlap overlap) {
    return new Place(
        rank,
        touch.site().span(),
        verb(touch) + " " + bytes(overlap) + " in " + iterations.name(touch.number()));
  }

  private static String hint(Overlap overlap, Iterations.Loop loop) {
    boolean bothChange =
        overlap.earlier.kind() != Access.Kind.READ && overlap.later.kind() != Access.Kind.READ;
    String apart =
        bothChange
            ? "let each %s write bytes of its own; where a sum is meant, add with atomic=pl.AtomicType.Add"
                .formatted(loop.unit())
            : "let each %s keep to bytes that no other one writes".formatted(loop.unit());
    if (loop.isTasks()) {
      return "in a manual scope nothing but deps= orders tasks: name the earlier one (as tid) and give the later one deps=[tid], or leave pl.manual_scope() away";
    }
    return loop.isBlocks()
        ? "blocks of pl.spmd run at the same time: read what they wrote after the pl.spmd, in a task of its own, or "
            + apart
        : "iterations of pl.parallel may run in any order or at the same time: use pl.range, or "
            + apart;
  }

  private static String verb(Touch touch) {
    return switch (touch.kind()) {
      case READ -> "reads";
      case WRITE -> "writes";
      case ATOMIC_ADD -> "adds to";
    };
  }

  /** {@code row 1 of `y` (bytes 256..512)}, counted from where the kernel's tensor begins. */
  private static String bytes(Overlap overlap) {
    TensorView view = overlap.later.view();
    String tensor = "`" + overlap.later.site().tensor() + "`";
    long from = overlap.from - view.start();
    long to = overlap.to - view.start();
    String owner = view.region() instanceof WindowSlice slice ? " of rank " + slice.owner() : "";
    String range = "bytes " + from + ".." + to;
    long rowBytes = view.rank() > 1 ? view.strides()[0] * view.dtype().bytes() : 0;
    if (rowBytes <= 0 || from < 0) {
      return range + " of " + tensor + owner;
    }
    long first = from / rowBytes;
    long last = (to - 1) / rowBytes;
    String rows = first == last ? "row " + first : "rows " + first + ".." + last;
    return rows + " of " + tensor + owner + " (" + range + ")";
  }
}
