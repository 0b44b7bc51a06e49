package io.ringmaster.worker.observe;

import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.CollectiveCall;
import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.Operation;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.Transfer;
import io.ringmaster.worker.fabric.WindowInfo;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/** What one rank of a {@link Rehearsal} does, line by line. Rows of data are 256 bytes long. */
final class RankScript {

  static final long ROW = 256;

  private final Rehearsal stage;
  private final int number;
  private final List<Rehearsal.Step> steps = new ArrayList<>();
  private int line = 1;
  private int next;
  private long clock;
  private Optional<SignalWait> pending = Optional.empty();
  private Optional<CollectiveCall> call = Optional.empty();

  RankScript(Rehearsal stage, int number) {
    this.stage = stage;
    this.number = number;
  }

  int number() {
    return number;
  }

  /** Source line of the steps that follow; every step uses the line that was set last. */
  RankScript line(int line) {
    this.line = line;
    return this;
  }

  RankScript store(WindowInfo window, long row) {
    return access(Access.Kind.WRITE, Operation.STORE, number, window, row);
  }

  RankScript load(WindowInfo window, long row) {
    return access(Access.Kind.READ, Operation.LOAD, number, window, row);
  }

  RankScript remoteLoad(int peer, WindowInfo window, long row) {
    access(Access.Kind.READ, Operation.REMOTE_LOAD, peer, window, row);
    return transfer(peer, number, Operation.REMOTE_LOAD);
  }

  RankScript remoteStore(int peer, WindowInfo window, long row) {
    access(Access.Kind.WRITE, Operation.REMOTE_STORE, peer, window, row);
    return transfer(number, peer, Operation.REMOTE_STORE);
  }

  RankScript put(int peer, WindowInfo window, long row) {
    access(Access.Kind.WRITE, Operation.PUT, peer, window, row);
    return transfer(number, peer, Operation.PUT);
  }

  RankScript putAdd(int peer, WindowInfo window, long row) {
    return access(Access.Kind.ATOMIC_ADD, Operation.PUT, peer, window, row);
  }

  RankScript box(
      Access.Kind kind,
      int owner,
      WindowInfo window,
      long offset,
      long rows,
      long rowBytes,
      long stride) {
    Span span = span();
    steps.add(
        (on, rank) -> {
          on.observation()
              .accessed(
                  new Access(
                      number,
                      owner,
                      window,
                      kind,
                      kind == Access.Kind.READ ? Operation.LOAD : Operation.STORE,
                      offset,
                      rows,
                      rowBytes,
                      stride,
                      span,
                      rank.clock));
          return true;
        });
    return this;
  }

  private RankScript access(
      Access.Kind kind, Operation operation, int owner, WindowInfo window, long row) {
    Span span = span();
    steps.add(
        (on, rank) -> {
          on.observation()
              .accessed(
                  new Access(
                      number,
                      owner,
                      window,
                      kind,
                      operation,
                      row * ROW,
                      1,
                      ROW,
                      ROW,
                      span,
                      rank.clock));
          return true;
        });
    return this;
  }

  private RankScript transfer(int from, int to, Operation operation) {
    Span span = span();
    steps.add(
        (on, rank) -> {
          on.observation()
              .transferred(
                  new Transfer(
                      number,
                      from,
                      to,
                      operation,
                      ROW,
                      ROW + 32,
                      span,
                      rank.clock,
                      rank.clock + Rehearsal.STEP));
          return true;
        });
    return this;
  }

  RankScript notify(int peer, WindowInfo signal, long... coordinates) {
    return add(peer, 1, signal, coordinates);
  }

  RankScript add(int peer, int value, WindowInfo signal, long... coordinates) {
    return send(peer, value, false, signal, coordinates);
  }

  RankScript set(int peer, int value, WindowInfo signal, long... coordinates) {
    return send(peer, value, true, signal, coordinates);
  }

  private RankScript send(
      int peer, int value, boolean set, WindowInfo signal, long... coordinates) {
    Span span = span();
    List<Long> named = LongStream.of(coordinates).boxed().toList();
    steps.add(
        (on, rank) -> {
          on.send(
              new Notification(
                  on.nextId(),
                  number,
                  peer,
                  signal,
                  on.cell(signal, named),
                  named,
                  value,
                  set,
                  span,
                  rank.clock));
          return true;
        });
    return this;
  }

  RankScript await(int expected, WindowInfo signal, long... coordinates) {
    return await(expected, false, signal, coordinates);
  }

  RankScript awaitExactly(int expected, WindowInfo signal, long... coordinates) {
    return await(expected, true, signal, coordinates);
  }

  private RankScript await(int expected, boolean exact, WindowInfo signal, long... coordinates) {
    Span span = span();
    List<Long> named = LongStream.of(coordinates).boxed().toList();
    steps.add(
        (on, rank) -> {
          if (pending.isEmpty()) {
            SignalWait wait =
                new SignalWait(
                    on.nextId(),
                    number,
                    signal,
                    on.cell(signal, named),
                    named,
                    expected,
                    exact,
                    false,
                    span,
                    rank.clock);
            pending = Optional.of(wait);
            on.observation().waitStarted(wait, on.value(wait));
          }
          SignalWait wait = pending.get();
          int seen = on.value(wait);
          if (!wait.holds(seen)) {
            return false;
          }
          pending = Optional.empty();
          on.observation().waitSatisfied(wait, seen, rank.clock);
          return true;
        });
    return this;
  }

  /** Adds 1 to the own cell of every other member, then waits for theirs. */
  RankScript barrier(WindowInfo signal, int expected) {
    int me = signal.localRank(number);
    for (int peer : signal.members()) {
      if (peer != number) {
        notify(peer, signal, me, 0);
      }
    }
    for (int peer : signal.members()) {
      if (peer != number) {
        await(expected, signal, signal.localRank(peer), 0);
      }
    }
    return this;
  }

  /** Takes back {@code credits} credits of every other member. */
  RankScript clear(WindowInfo signal, int credits) {
    for (int peer : signal.members()) {
      if (peer != number) {
        add(number, -credits, signal, signal.localRank(peer), 0);
      }
    }
    return this;
  }

  RankScript compute(long nanos) {
    steps.add(
        (on, rank) -> {
          rank.clock += nanos;
          return true;
        });
    return this;
  }

  RankScript branch(boolean taken) {
    Span span = span();
    steps.add(
        (on, rank) -> {
          on.observation().branched(number, span, taken);
          return true;
        });
    return this;
  }

  RankScript dispatch(long id, String function, Long... after) {
    Span span = span();
    steps.add(
        (on, rank) -> {
          on.observation()
              .dispatchStarted(
                  new DispatchInfo(id, number, function, List.of(after), span), rank.clock);
          return true;
        });
    return this;
  }

  RankScript endDispatch(long id) {
    Span span = span();
    steps.add(
        (on, rank) -> {
          on.observation()
              .dispatchFinished(new DispatchInfo(id, number, "", List.of(), span), rank.clock);
          return true;
        });
    return this;
  }

  RankScript enter(String op, String algorithm, WindowInfo target) {
    return enter(
        new CollectiveCall(
            number,
            op,
            "incore",
            algorithm,
            target,
            List.of(4L, 64L),
            DType.FP32,
            Optional.empty(),
            Optional.empty(),
            span()));
  }

  RankScript enter(CollectiveCall entered) {
    steps.add(
        (on, rank) -> {
          call = Optional.of(entered);
          on.observation().collectiveEntered(entered, rank.clock);
          return true;
        });
    return this;
  }

  RankScript leave() {
    steps.add(
        (on, rank) -> {
          on.observation().collectiveLeft(call.orElseThrow(), rank.clock);
          return true;
        });
    return this;
  }

  Span span() {
    return new Span("kernel.py", line, 5, line, 20);
  }

  void rewind() {
    next = 0;
    clock = 0;
    pending = Optional.empty();
  }

  boolean isDone() {
    return next == steps.size();
  }

  boolean canAct() {
    return !isDone() && pending.map(wait -> wait.holds(stage.value(wait))).orElse(true);
  }

  void act() {
    if (steps.get(next).act(stage, this)) {
      next++;
      clock += Rehearsal.STEP;
    }
  }

  void wakeAt(long nanos) {
    if (pending.isPresent()) {
      clock = Math.max(clock, nanos);
    }
  }

  long clock() {
    return clock;
  }

  Optional<SignalWait> pending() {
    return pending;
  }
}
