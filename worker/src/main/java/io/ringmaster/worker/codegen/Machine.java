package io.ringmaster.worker.codegen;

import io.ringmaster.worker.device.CostModel;
import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.DeviceFault;
import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.Box;
import io.ringmaster.worker.fabric.Fabric;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.KernelFault;
import io.ringmaster.worker.fabric.Operation;
import io.ringmaster.worker.fabric.SignalWait;
import io.ringmaster.worker.fabric.Site;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.fabric.WindowSlice;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.stop.StopOrder;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One rank as a resumable object: a stack of frames, a virtual clock, and at most one wait. It runs
 * until it must let somebody else go first, waits, or is done; {@link #run()} goes on from there.
 */
public final class Machine {

  /** Why {@link #run()} came back. */
  public enum Status {
    /** Somebody else is earlier on the virtual clock. */
    YIELDED,
    /** It waits for {@link #awaited()}. */
    BLOCKED,
    /** The function it was started with has returned. */
    FINISHED
  }

  /** Rank number of the machine that executes HOST code. */
  public static final int HOST = -1;

  private final int rank;
  private final Environment environment;
  private final OperationCounts counts;
  private final Fabric fabric;
  private final Device device;
  private final CostModel cost;
  private @Nullable Frame frame;
  private Map<String, Long> dims = Map.of();
  private @Nullable Object[] results = {};
  private long clock;
  private long horizon = Long.MAX_VALUE;
  private boolean horizonIncluded = true;
  private int fuel;
  private @Nullable Pending pending;
  private boolean waitOver;
  private double slowness = 1;
  private boolean runsAhead;
  private boolean waits = true;
  private final Unordered unordered;

  /**
   * @param rank global rank, or {@link #HOST}
   * @param counts where to count operations; may be shared
   */
  public Machine(
      int rank,
      Environment environment,
      Fabric fabric,
      Device device,
      CostModel cost,
      OperationCounts counts) {
    this.counts = counts;
    this.rank = rank;
    this.environment = environment;
    this.fabric = fabric;
    this.device = device;
    this.cost = cost;
    this.unordered = new Unordered(rank, device.computes(), environment::report);
  }

  /**
   * Prepares a call of {@code function}.
   *
   * @param arguments one per parameter: views, contexts, raw scalars
   * @param outerDims values of dynamic dimensions that the arguments don't determine
   */
  public void start(
      CompiledFunction function, @Nullable Object[] arguments, Map<String, Long> outerDims) {
    dims = outerDims;
    Frame first = new Frame(this, function, null, null, arguments);
    function.binding().bind(first, function.source().span());
    frame = first;
  }

  /** Executes until the rank yields, blocks or finishes. */
  public Status run() {
    Frame current = frame();
    Instruction[] code = current.function.code();
    int pc = current.pc;
    try {
      while (true) {
        StopOrder.look();
        if (--fuel < 0) {
          fuel = 0;
          current.pc = pc;
          fuel = environment.refuel(this);
        }
        int next = code[pc].run(this, current, pc);
        if (next >= 0) {
          pc = next;
          continue;
        }
        switch (next) {
          case Instruction.SWITCH -> {
            current = frame();
            code = current.function.code();
            pc = current.pc;
          }
          case Instruction.DONE -> {
            frame = null;
            return Status.FINISHED;
          }
          default -> {
            // It has had no effect and will be executed later: that is when it counts.
            fuel++;
            current.pc = pc;
            return next == Instruction.BLOCK ? Status.BLOCKED : Status.YIELDED;
          }
        }
      }
    } catch (DeviceFault fault) {
      throw fault(current, pc, fault);
    } catch (StopOrder.Stopped stopped) {
      current.pc = pc;
      throw stopped;
    }
  }

  private KernelFault fault(Frame at, int pc, DeviceFault fault) {
    var kind = fault.isOutOfBounds() ? Finding.Kind.OUT_OF_BOUNDS : Finding.Kind.RULE_BROKEN;
    return KernelFault.of(
        kind,
        rank,
        at.function.span(pc),
        "rank " + rank + ": " + fault.getMessage(),
        "check shapes, dtypes and values of this operation");
  }

  /**
   * Where it stands since it last yielded, waited, was refuelled or told to stop, for people:
   * {@code rank 0 was at kernel.py:12:5 in 'kernel'}.
   */
  public String whereabouts() {
    Frame at = frame();
    return (rank == HOST ? "HOST" : "rank " + rank)
        + " was at "
        + at.function.span(at.pc)
        + " in '"
        + at.function.source().name()
        + "'";
  }

  /** Global rank. */
  public int rank() {
    return rank;
  }

  /** Virtual time in nanoseconds. */
  public long clock() {
    return clock;
  }

  /** Moves the clock forward; never back. */
  public void advanceTo(long time) {
    clock = Math.max(clock, time);
  }

  /** Makes everything that the rank does itself take {@code factor} times as long. */
  public void slowDown(double factor) {
    slowness = factor;
  }

  void spend(long nanos) {
    clock += slowness == 1 ? nanos : (long) (nanos * slowness);
  }

  /** Spends the time of a transfer that alone would take {@code nanos}. */
  void transfer(int from, int to, long bytes, long nanos) {
    long start = clock;
    spend(nanos);
    if (from != to) {
      clock = environment.transferred(from, to, bytes, start, clock);
    }
  }

  /** The loops it is in whose iterations are in no order. */
  Unordered unordered() {
    return unordered;
  }

  /** Reports that it touches a box of a tensor. */
  void touches(Operation operation, Access.Kind kind, Box box, TensorView view, Site site) {
    fabric.accessed(rank, operation, kind, box, site.span(), clock);
    unordered.touch(kind, box, view, site);
  }

  /** As above, for the element at byte {@code at} of the region. */
  void touches(Operation operation, Access.Kind kind, TensorView view, long at, Site site) {
    int bytes = view.dtype().bytes();
    fabric.accessedElement(rank, operation, kind, view.region(), at, bytes, site.span(), clock);
    unordered.touch(kind, view.region(), at, bytes, view, site);
  }

  /**
   * Sets the time until which the machine may touch shared memory without yielding.
   *
   * @param included whether it may still do so at exactly that time
   */
  public void setHorizon(long time, boolean included) {
    horizon = time;
    horizonIncluded = included;
  }

  /** Lets the rank notify and look at cells before it is its turn. */
  public void letRunAhead() {
    runsAhead = true;
  }

  /** Lets the rank go past every wait: shows what it would do if none held it up. */
  public void waitForNobody() {
    waits = false;
  }

  /** False when no wait holds it up. */
  boolean waits() {
    return waits;
  }

  /** True when it may notify and look at cells now. */
  boolean maySignal() {
    return runsAhead || mayTouch();
  }

  /** True when nobody else is earlier. */
  boolean mayTouch() {
    return clock < horizon || (clock == horizon && horizonIncluded);
  }

  /** Instructions left of the last refuel. */
  public int fuel() {
    return fuel;
  }

  OperationCounts counts() {
    return counts;
  }

  /** True between {@link #start} and the end of the function. */
  public boolean isRunning() {
    return frame != null;
  }

  /** What the function returned; set when it finished. */
  public @Nullable Object[] results() {
    return results;
  }

  void finish(@Nullable Object[] values) {
    results = values;
  }

  /**
   * A wait that isn't over.
   *
   * @param event what observers were told; null when nobody listens
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Pending(
      WindowSlice slice,
      long cell,
      long[] coordinates,
      int expected,
      boolean exact,
      boolean deferred,
      Span span,
      long since,
      @Nullable SignalWait event) {

    boolean holds(int value) {
      return SignalWait.holds(value, expected, exact, deferred);
    }
  }

  /** The wait in which the machine is stuck, if it is. */
  public Optional<SignalWait> awaited() {
    Pending wait = pending;
    if (wait == null) {
      return Optional.empty();
    }
    return Optional.of(
        wait.event() != null
            ? wait.event()
            : new SignalWait(
                fabric.nextWait(),
                rank,
                wait.slice().info(),
                wait.cell(),
                java.util.Arrays.stream(wait.coordinates()).boxed().toList(),
                wait.expected(),
                wait.exact(),
                wait.deferred(),
                wait.span(),
                wait.since()));
  }

  /** True when the machine waits for this cell. */
  public boolean awaits(WindowSlice slice, long cell) {
    Pending wait = pending;
    return wait != null && wait.slice() == slice && wait.cell() == cell;
  }

  /** Value of the cell in which the machine is stuck; 0 when it isn't. */
  public int awaitedValue() {
    Pending wait = pending;
    return wait == null ? 0 : wait.slice().cell(wait.cell());
  }

  /** Ends the wait at {@code time}, if {@code value} satisfies it; says whether it did. */
  public boolean satisfy(int value, long time) {
    Pending wait = pending;
    if (wait == null || !wait.holds(value)) {
      return false;
    }
    advanceTo(time);
    pending = null;
    waitOver = true;
    if (wait.event() != null) {
      fabric.events().waitSatisfied(wait.event(), value, clock);
    }
    return true;
  }

  void block(Pending wait) {
    pending = wait;
  }

  /** True once after a wait was satisfied while the machine was blocked. */
  boolean takeWaitOver() {
    boolean over = waitOver;
    waitOver = false;
    return over;
  }

  Environment environment() {
    return environment;
  }

  Fabric fabric() {
    return fabric;
  }

  Device device() {
    return device;
  }

  CostModel cost() {
    return cost;
  }

  Frame frame() {
    if (frame == null) {
      throw new IllegalStateException("rank " + rank + " isn't running");
    }
    return frame;
  }

  void enter(Frame next) {
    frame = next;
  }

  /** Value of a dynamic dimension that came from outside. */
  @Nullable Long outerDim(String name) {
    return dims.get(name);
  }

  /** A fresh tensor for a result of an operation on whole tensors. */
  TensorView newTensor(io.ringmaster.worker.tensor.DType dtype, long[] shape, int pc, Frame at) {
    return environment.createTensor(dtype, shape, at.function.span(pc));
  }
}
