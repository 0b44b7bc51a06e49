package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.BlockedRank;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.WindowInfo;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A little stage on which scripted ranks act in front of an {@link Observation}: either by virtual
 * time, or in a random order in which notifies also arrive late. Every step takes 10 virtual
 * nanoseconds and a notify to another rank 100 more to arrive.
 */
final class Rehearsal {

  static final long STEP = 10;
  static final long FLIGHT = 100;

  /** What a rank does next; a wait is the only step that may not be over at once. */
  interface Step {
    /** False when the rank has to stay here. */
    boolean act(Rehearsal stage, RankScript rank);
  }

  private record Flight(Notification notification, long arrives) {}

  private record Cell(int window, int owner, long index) {}

  private final int ranks;
  private final List<RankScript> scripts = new ArrayList<>();
  private final List<WindowInfo> windows = new ArrayList<>();
  private final Map<Integer, Long> columns = new HashMap<>();
  private final Map<Cell, Integer> cells = new HashMap<>();
  private final List<Deque<Flight>> flights = new ArrayList<>();
  private Observation observation;
  private long ids;

  Rehearsal(int ranks) {
    this.ranks = ranks;
    this.observation = new Observation(ranks);
    for (int rank = 0; rank < ranks; rank++) {
      scripts.add(new RankScript(this, rank));
      flights.add(new ArrayDeque<>());
    }
  }

  /** A window of all ranks. */
  WindowInfo window(String name, long bytes) {
    return window(name, bytes, "comm_d0", IntStream.range(0, ranks).boxed().toList());
  }

  WindowInfo window(String name, long bytes, String domain, List<Integer> members) {
    WindowInfo window = new WindowInfo(windows.size(), name, domain, members, bytes);
    windows.add(window);
    return window;
  }

  /** A signal window with so many columns. */
  WindowInfo signal(String name, long rows, long width) {
    WindowInfo window = window(name, rows * width * 4);
    columns.put(window.index(), width);
    return window;
  }

  /** A signal window with one cell for each rank. */
  WindowInfo signal(String name) {
    return signal(name, ranks, 1);
  }

  RankScript rank(int rank) {
    return scripts.get(rank);
  }

  /** The same script on every rank. */
  Rehearsal everyRank(Consumer<RankScript> script) {
    scripts.forEach(script);
    return this;
  }

  int ranks() {
    return ranks;
  }

  Observation observation() {
    return observation;
  }

  /** Runs by virtual time, ties to the smaller rank. */
  Observation run() {
    return run(new Observation(ranks), Optional.empty());
  }

  /** Runs in an order that {@code seed} decides. */
  Observation run(long seed) {
    return run(new Observation(ranks), Optional.of(new Random(seed)));
  }

  Observation run(Observation watching, Optional<Random> random) {
    observation = watching;
    cells.clear();
    ids = 0;
    scripts.forEach(RankScript::rewind);
    while (random.isPresent() ? stepAtRandom(random.get()) : stepByTime()) {
      // each call is one step
    }
    List<BlockedRank> blocked =
        scripts.stream().filter(rank -> !rank.isDone()).map(this::blocked).toList();
    long now = scripts.stream().mapToLong(RankScript::clock).max().orElse(0);
    if (blocked.isEmpty()) {
      watching.finished(now);
    } else {
      watching.deadlocked(blocked, now);
    }
    return watching;
  }

  private BlockedRank blocked(RankScript rank) {
    SignalWait wait = rank.pending().orElseThrow();
    return BlockedRank.waiting(rank.number(), wait, value(wait), "waits");
  }

  private boolean stepAtRandom(Random random) {
    var choices = new ArrayList<Runnable>();
    for (RankScript rank : scripts) {
      if (rank.canAct()) {
        choices.add(rank::act);
      }
    }
    for (Deque<Flight> flight : flights) {
      if (!flight.isEmpty()) {
        choices.add(() -> arrive(flight.poll()));
      }
    }
    if (choices.isEmpty()) {
      return false;
    }
    choices.get(random.nextInt(choices.size())).run();
    return true;
  }

  private boolean stepByTime() {
    Optional<Flight> nextFlight =
        flights.stream()
            .filter(flight -> !flight.isEmpty())
            .map(Deque::peek)
            .min((one, other) -> Long.compare(one.arrives(), other.arrives()));
    Optional<RankScript> nextRank =
        scripts.stream()
            .filter(RankScript::canAct)
            .min((one, other) -> Long.compare(one.clock(), other.clock()));
    if (nextRank.isPresent()
        && (nextFlight.isEmpty() || nextRank.get().clock() < nextFlight.get().arrives())) {
      nextRank.get().act();
      return true;
    }
    nextFlight.ifPresent(flight -> arrive(flights.get(flight.notification().rank()).poll()));
    return nextFlight.isPresent();
  }

  long nextId() {
    return ids++;
  }

  void send(Notification notification) {
    observation.notified(notification);
    if (notification.isSelf()) {
      arrive(new Flight(notification, notification.sentNanos()));
    } else {
      flights
          .get(notification.rank())
          .add(new Flight(notification, notification.sentNanos() + FLIGHT));
    }
  }

  private void arrive(Flight flight) {
    Notification notification = flight.notification();
    Cell cell = new Cell(notification.window().index(), notification.owner(), notification.cell());
    int before = cells.getOrDefault(cell, 0);
    int after = notification.set() ? notification.value() : before + notification.value();
    cells.put(cell, after);
    observation.applied(notification, before, after, flight.arrives());
    scripts.get(notification.owner()).wakeAt(flight.arrives());
  }

  int value(SignalWait wait) {
    return cells.getOrDefault(new Cell(wait.window().index(), wait.rank(), wait.cell()), 0);
  }

  long cell(WindowInfo window, List<Long> coordinates) {
    long width = columns.getOrDefault(window.index(), 1L);
    return coordinates.size() == 1
        ? coordinates.getFirst()
        : coordinates.get(0) * width + coordinates.get(1);
  }
}
