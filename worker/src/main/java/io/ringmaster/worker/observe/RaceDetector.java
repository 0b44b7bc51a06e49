package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.CollectiveCall;
import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.Operation;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.WindowInfo;
import io.ringmaster.worker.observe.HappensBefore.Doubted;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds pairs of accesses to the same window bytes, at least one of them a write, that no
 * notify/wait chain orders. Equal values are no excuse, and neither is a schedule in which the
 * right one happened to come first.
 *
 * <p>One finding for each pair of source places and window, however many ranks and bytes it hits.
 */
final class RaceDetector implements FabricListener {

  private record Slice(int window, int owner) {}

  private record Pair(int window, Span one, Span other, boolean write) {}

  private final HappensBefore order;
  private final Map<Slice, Shadow> shadows = new HashMap<>();
  private final Map<Pair, Race> races = new LinkedHashMap<>();
  private final Touch[] latest;
  private final String[] collectives;

  /** The last own bytes that a rank has read in the collective it is in. */
  private final @Nullable Access[] lastRead;

  /** The last wait that a rank has passed in the dispatch it is in. */
  private final @Nullable SignalWait[] lastWait;

  private long accesses;

  /** {@code order} has to hear every event first. */
  RaceDetector(HappensBefore order, int ranks) {
    this.order = order;
    latest = new Touch[ranks];
    collectives = new String[ranks];
    lastRead = new Access[ranks];
    lastWait = new SignalWait[ranks];
    for (int rank = 0; rank < ranks; rank++) {
      collectives[rank] = "";
      latest[rank] =
          new Touch(
              Access.Kind.READ,
              order.now(rank),
              Operation.LOAD,
              Span.NONE,
              -1,
              "",
              Optional.empty());
    }
  }

  @Override
  public void dispatchStarted(DispatchInfo dispatch, long virtualNanos) {
    lastWait[dispatch.rank()] = null;
  }

  @Override
  public void waitSatisfied(SignalWait wait, int seen, long virtualNanos) {
    lastWait[wait.rank()] = wait;
  }

  @Override
  public void collectiveEntered(CollectiveCall call, long virtualNanos) {
    collectives[call.rank()] = call.op();
    lastRead[call.rank()] = null;
  }

  @Override
  public void collectiveLeft(CollectiveCall call, long virtualNanos) {
    collectives[call.rank()] = "";
  }

  @Override
  public void accessed(Access access) {
    accesses++;
    if (isCopyOntoItself(access)) {
      return;
    }
    Touch touch =
        interned(
            new Touch(
                access.kind(),
                order.now(access.rank()),
                access.operation(),
                access.span(),
                access.rowBytes(),
                collectives[access.rank()],
                Optional.ofNullable(lastWait[access.rank()])));
    Shadow shadow = shadow(access.window(), access.owner());
    if (access.rowStride() == access.rowBytes()) {
      shadow.touch(
          access.byteOffset(), access.byteOffset() + access.rows() * access.rowBytes(), touch);
      return;
    }
    for (long row = 0; row < access.rows(); row++) {
      long from = access.byteOffset() + row * access.rowStride();
      shadow.touch(from, from + access.rowBytes(), touch);
    }
  }

  /**
   * The root of a HOST broadcast loads its tile and stores it back: bytes onto themselves, which is
   * no write, as with the get to itself in a kernel's broadcast.
   */
  private boolean isCopyOntoItself(Access access) {
    int rank = access.rank();
    if (!collectives[rank].equals("broadcast") || access.owner() != rank) {
      return false;
    }
    if (access.kind() == Access.Kind.READ) {
      lastRead[rank] = access;
      return false;
    }
    Access read = lastRead[rank];
    return read != null
        && access.operation() == Operation.STORE
        && read.window().index() == access.window().index()
        && read.byteOffset() == access.byteOffset()
        && read.rows() == access.rows()
        && read.rowBytes() == access.rowBytes()
        && read.rowStride() == access.rowStride();
  }

  /**
   * A notify is an atomic access to its cell: plain reads and writes of the cell must be ordered.
   */
  @Override
  public void notified(Notification notification) {
    accesses++;
    int rank = notification.rank();
    Touch touch =
        new Touch(
            Access.Kind.ATOMIC_ADD,
            order.lastSent(rank),
            Operation.NOTIFY,
            notification.span(),
            Integer.BYTES,
            collectives[rank],
            Optional.empty());
    long from = notification.cell() * Integer.BYTES;
    shadow(notification.window(), notification.owner()).touch(from, from + Integer.BYTES, touch);
  }

  private Touch interned(Touch touch) {
    if (!touch.sameAs(latest[touch.rank()])) {
      latest[touch.rank()] = touch;
    }
    return latest[touch.rank()];
  }

  private Shadow shadow(WindowInfo window, int owner) {
    return shadows.computeIfAbsent(
        new Slice(window.index(), owner),
        _ ->
            new Shadow(
                order,
                (earlier, later, from, to, reuse) ->
                    conflict(window, owner, earlier, later, from, to, reuse)));
  }

  private void conflict(
      WindowInfo window, int owner, Touch earlier, Touch later, long from, long to, boolean reuse) {
    races
        .computeIfAbsent(
            pair(window, earlier, later),
            _ ->
                new Race(
                    window,
                    owner,
                    earlier,
                    later,
                    order.doubted(earlier.when(), later.rank()),
                    from,
                    to,
                    reuse,
                    accesses))
        .seen(earlier, from, to, accesses);
  }

  private static Pair pair(WindowInfo window, Touch earlier, Touch later) {
    boolean swap = Findings.SPANS.compare(earlier.span(), later.span()) > 0;
    return new Pair(
        window.index(),
        swap ? later.span() : earlier.span(),
        swap ? earlier.span() : later.span(),
        !earlier.reads() && !later.reads());
  }

  /** Number of byte ranges that are remembered apart; a measure of memory. */
  int segments() {
    return shadows.values().stream().mapToInt(Shadow::size).sum();
  }

  List<Finding> findings() {
    var findings = new ArrayList<Finding>();
    for (Race race : races.values()) {
      findings.add(RaceReport.finding(race));
    }
    return findings;
  }

  /** The first occurrence of a race between two source places, and how often it was seen. */
  static final class Race {
    final WindowInfo window;
    final int owner;
    final Touch earlier;
    final Touch later;
    final Optional<Doubted> doubt;
    final boolean reuse;
    private final long firstAccess;
    private final Set<Touch> counted = new HashSet<>();
    private long lastAccess;
    private long from;
    private long to;
    private long count;

    Race(
        WindowInfo window,
        int owner,
        Touch earlier,
        Touch later,
        Optional<Doubted> doubt,
        long from,
        long to,
        boolean reuse,
        long access) {
      this.window = window;
      this.owner = owner;
      this.earlier = earlier;
      this.later = later;
      this.doubt = doubt;
      this.reuse = reuse;
      this.from = from;
      this.to = to;
      this.firstAccess = access;
      this.lastAccess = access - 1;
    }

    /** Counts pairs, not segments, and widens the byte range over the first pair's segments. */
    private void seen(Touch by, long segmentFrom, long segmentTo, long access) {
      if (access == firstAccess && by.equals(earlier)) {
        from = Math.min(from, segmentFrom);
        to = Math.max(to, segmentTo);
      }
      if (access != lastAccess) {
        lastAccess = access;
        counted.clear();
      }
      if (counted.add(by)) {
        count++;
      }
    }

    long from() {
      return from;
    }

    long to() {
      return to;
    }

    long count() {
      return count;
    }

    Optional<Touch> reader() {
      if (earlier.reads()) {
        return Optional.of(earlier);
      }
      return later.reads() ? Optional.of(later) : Optional.empty();
    }

    Touch writer() {
      return earlier.reads() ? later : earlier;
    }
  }
}
