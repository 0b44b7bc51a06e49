package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Place;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.WindowInfo;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.ByteRanges;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds reads of window bytes that nobody has written yet: the reader gets zeros. Where the first
 * write isn't ordered after the read, the two are the race detector's business. Signal windows are
 * left out: cells that no one notifies are meant to be zero.
 */
final class UninitialisedReads implements FabricListener {

  /** A place that read unwritten bytes remembers this many of its reads. */
  private static final int REMEMBERED = 256;

  private record Slice(int window, int owner) {}

  private record Site(int window, Span span) {}

  /** A read, and the first of its bytes that were unwritten then. */
  private record Read(int rank, int owner, long from, long to) {}

  private static final class Suspects {
    final WindowInfo window;
    final Map<Read, Stamp> reads = new LinkedHashMap<>();

    Suspects(WindowInfo window) {
      this.window = window;
    }
  }

  private final HappensBefore order;
  private final Map<Slice, ByteRanges> written = new HashMap<>();
  private final Map<Site, Suspects> suspects = new LinkedHashMap<>();
  private final Set<Integer> signals = new HashSet<>();

  /** {@code order} has to hear every event first. */
  UninitialisedReads(HappensBefore order) {
    this.order = order;
  }

  @Override
  public void kept(WindowInfo window) {
    window.members().forEach(owner -> bytes(window.index(), owner).add(0, window.logicalBytes()));
  }

  @Override
  public void notified(Notification notification) {
    signals.add(notification.window().index());
  }

  @Override
  public void waitStarted(SignalWait wait, int seen) {
    signals.add(wait.window().index());
  }

  @Override
  public void accessed(Access access) {
    boolean contiguous = access.rowStride() == access.rowBytes();
    long rows = contiguous ? 1 : access.rows();
    long rowBytes = contiguous ? access.rows() * access.rowBytes() : access.rowBytes();
    ByteRanges bytes = bytes(access.window().index(), access.owner());
    for (long row = 0; row < rows; row++) {
      long from = access.byteOffset() + row * access.rowStride();
      // Padding between the logical end and the end of the slot is nobody's data.
      long to = Math.min(from + rowBytes, access.window().logicalBytes());
      if (access.kind() != Access.Kind.READ) {
        acquitRacing(access, from, to, bytes);
        bytes.add(from, to);
      } else if (!bytes.containsAll(from, to)) {
        suspect(access, from, to, bytes);
      }
    }
  }

  private void suspect(Access access, long from, long to, ByteRanges bytes) {
    Map<Read, Stamp> reads =
        suspects.computeIfAbsent(
                new Site(access.window().index(), access.span()),
                _ -> new Suspects(access.window()))
            .reads;
    if (reads.size() < REMEMBERED) {
      long first = firstGap(bytes, from, to);
      Read read = new Read(access.rank(), access.owner(), first, endOfGap(bytes, first, to));
      reads.putIfAbsent(read, order.now(access.rank()));
    }
  }

  /** Forgets reads that the first write of their bytes could as well have come before. */
  private void acquitRacing(Access write, long from, long to, ByteRanges bytes) {
    if (suspects.isEmpty() || bytes.containsAll(from, to)) {
      return;
    }
    for (Suspects suspect : suspects.values()) {
      if (suspect.window.index() == write.window().index()) {
        suspect
            .reads
            .entrySet()
            .removeIf(
                read ->
                    read.getKey().owner() == write.owner()
                        && read.getKey().from() < to
                        && from < read.getKey().to()
                        && !order.precedes(read.getValue(), write.rank()));
      }
    }
  }

  private ByteRanges bytes(int window, int owner) {
    return written.computeIfAbsent(new Slice(window, owner), _ -> new ByteRanges());
  }

  List<Finding> findings() {
    var findings = new ArrayList<Finding>();
    suspects.forEach(
        (site, suspect) -> {
          if (!signals.contains(site.window())) {
            finding(site, suspect).ifPresent(findings::add);
          }
        });
    return findings;
  }

  private static Optional<Finding> finding(Site site, Suspects suspect) {
    List<Integer> ranks =
        suspect.reads.keySet().stream().map(Read::rank).distinct().sorted().toList();
    return suspect.reads.keySet().stream()
        .findFirst()
        .map(first -> describe(site, suspect.window, first, ranks));
  }

  private static Finding describe(Site site, WindowInfo window, Read read, List<Integer> ranks) {
    String name = Words.window(window);
    List<Integer> others = ranks.stream().filter(rank -> rank != read.rank()).toList();
    String too = others.isEmpty() ? "" : "; the same on " + Words.ranks(others);
    return new Finding(
        Finding.Kind.UNINITIALISED_READ,
        Finding.Kind.UNINITIALISED_READ.severity(),
        "rank %d reads bytes %d..%d of %s on rank %d, which nobody has written: it gets zeros%s"
            .formatted(read.rank(), read.from(), read.to(), name, read.owner(), too),
        "store the data into "
            + name
            + " on rank "
            + read.owner()
            + " before it is read, or read the bytes that are written",
        ranks,
        Optional.of(window.buffer()),
        Optional.empty(),
        Optional.of(read.from()),
        Optional.of(read.to()),
        Optional.empty(),
        Optional.empty(),
        List.of(new Place(read.rank(), site.span(), "reads bytes that nobody has written")));
  }

  /** First byte of {@code [from, to)}, which has one, that isn't in the set. */
  private static long firstGap(ByteRanges bytes, long from, long to) {
    long covered = from;
    long beyond = to;
    while (covered < beyond) {
      long middle = covered + (beyond - covered + 1) / 2;
      if (bytes.containsAll(from, middle)) {
        covered = middle;
      } else {
        beyond = middle - 1;
      }
    }
    return covered;
  }

  private static long endOfGap(ByteRanges bytes, long from, long to) {
    long free = from + 1;
    long beyond = to;
    while (free < beyond) {
      long middle = free + (beyond - free + 1) / 2;
      if (bytes.intersects(from, middle)) {
        beyond = middle - 1;
      } else {
        free = middle;
      }
    }
    return free;
  }
}
