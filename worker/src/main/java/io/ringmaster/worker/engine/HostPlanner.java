package io.ringmaster.worker.engine;

import io.ringmaster.worker.codegen.CompiledFunction;
import io.ringmaster.worker.codegen.Copies;
import io.ringmaster.worker.codegen.DispatchCall;
import io.ringmaster.worker.codegen.Environment;
import io.ringmaster.worker.codegen.Machine;
import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.fabric.Box;
import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.Fabric;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.HostRegion;
import io.ringmaster.worker.fabric.MemoryLimitExceeded;
import io.ringmaster.worker.fabric.Notification;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.fabric.Window;
import io.ringmaster.worker.fabric.WindowSlice;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostBuffer;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Executes the HOST function: it makes windows and turns every dispatch into a {@link Task}, with
 * the tasks it has to wait for. Nothing runs on a rank yet.
 */
final class HostPlanner implements Environment {

  /** All dispatches are planned before the first runs, so they are in memory together. */
  private static final int MOST_DISPATCHES = 200_000;

  private final Program program;
  private final RunRequest request;
  private final Fabric fabric;
  private final Device device;
  private final Meter meter;
  private final Findings findings;
  private final Map<String, Window> buffers = new java.util.HashMap<>();
  private final IdentityHashMap<HostBuffer, HostRegion> regions = new IdentityHashMap<>();
  private final HostUses uses = new HostUses();
  private final Crowding crowding;
  private final List<List<Task>> tasks = new ArrayList<>();
  private long hostBytes;
  private int planned;

  HostPlanner(
      Program program,
      RunRequest request,
      Fabric fabric,
      Device device,
      Meter meter,
      Findings findings) {
    this.program = program;
    this.request = request;
    this.fabric = fabric;
    this.device = device;
    this.meter = meter;
    this.findings = findings;
    this.crowding = new Crowding(request.work().names());
    for (int rank = 0; rank < request.worldSize(); rank++) {
      tasks.add(new ArrayList<>());
    }
  }

  /** The planned tasks of each rank, in order. */
  List<List<Task>> tasks() {
    return tasks;
  }

  /** All is planned: where several ranks write, it is noted from now on who did. */
  void watch() {
    crowding.watch(tasks);
  }

  /** Says what ranks wrote over what others had written. */
  void overwritten() {
    crowding.overwritten(findings);
  }

  int planned() {
    return planned;
  }

  /**
   * The view of a host tensor; one region per buffer, so that overlaps are seen.
   *
   * @param name what HOST code calls it
   */
  TensorView view(HostTensor tensor, String name) {
    long row = tensor.rank() == 0 ? 0 : tensor.strides()[0] * tensor.dtype().bytes();
    return TensorView.of(
        regions.computeIfAbsent(
            tensor.buffer(), buffer -> fabric.host(buffer, name, tensor.offset() == 0 ? row : 0)),
        tensor);
  }

  /** Brings what kernels wrote into host tensors. */
  void bringHome() {
    for (HostRegion region : regions.values()) {
      device.reading(region.segment(), 0, region.bytes());
    }
  }

  @Override
  public int refuel(Machine machine) {
    return meter.grant(machine);
  }

  @Override
  public void report(Finding finding) {
    findings.add(finding);
  }

  @Override
  public int worldSize() {
    return request.worldSize();
  }

  @Override
  public void send(Machine machine, Notification notification, WindowSlice target) {
    throw new IllegalStateException("HOST code doesn't notify");
  }

  @Override
  public void send(
      Machine machine, WindowSlice target, long cell, int value, boolean set, Span span) {
    throw new IllegalStateException("HOST code doesn't notify");
  }

  @Override
  public long transferred(int from, int to, long bytes, long start, long end) {
    throw new IllegalStateException("HOST code doesn't transfer");
  }

  @Override
  public TensorView createTensor(DType dtype, long[] shape, Span span) {
    long bytes = HostTensor.count(shape) * dtype.bytes();
    long limit = request.limits().memoryBytes();
    if (bytes > limit - hostBytes) {
      throw new MemoryLimitExceeded("pl.create_tensor in HOST code", bytes, hostBytes, limit);
    }
    hostBytes += bytes;
    return view(HostTensor.zeros(dtype, shape), "pl.create_tensor");
  }

  @Override
  public Window allocateWindow(String name, long bytes, Span span) {
    if (buffers.containsKey(name)) {
      throw rejected(
          "window buffer '" + name + "' is allocated twice",
          "move pld.alloc_window_buffer out of the loop",
          span);
    }
    Program.Domain domain =
        program.domains().stream()
            .filter(candidate -> candidate.buffers().contains(name))
            .findFirst()
            .orElse(new Program.Domain("comm_all", List.of(), List.of(name)));
    List<Integer> members =
        domain.coversAll() ? IntStream.range(0, worldSize()).boxed().toList() : domain.devices();
    if (members.getLast() >= worldSize()) {
      throw rejected(
          "rank "
              + members.getLast()
              + " of domain "
              + domain.name()
              + " (ranks "
              + members
              + ") doesn't exist: the run has "
              + worldSize()
              + " device(s)",
          "give at least " + (members.getLast() + 1) + " devices",
          span);
    }
    if (members.size() > request.profile().maxRanks()) {
      throw rejected(
          "domain "
              + domain.name()
              + " has "
              + members.size()
              + " ranks; "
              + request.profile().platform()
              + " allows "
              + request.profile().maxRanks(),
          "use fewer devices, or platform sim, which has no such limit",
          span);
    }
    Window window = fabric.allocate(name, domain.name(), members, bytes);
    request.kept().ifPresent(kept -> fabric.restore(window, kept));
    buffers.put(name, window);
    return window;
  }

  @Override
  public List<TensorView> dispatch(DispatchCall call) {
    if (planned >= MOST_DISPATCHES) {
      throw new RunStop(
          RunOutcome.Status.RESOURCE,
          "the limit of "
              + MOST_DISPATCHES
              + " dispatches of one launch is reached at "
              + call.span()
              + "; loop inside the kernel, or launch several times");
    }
    int rank = rank(call);
    Function function = call.function().source();
    @Nullable Object[] arguments = call.arguments().clone();
    List<HostUses.Touch> touches = new ArrayList<>();
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = onRank(arguments[i], rank, call);
      if (arguments[i] instanceof TensorView view && view.region() instanceof HostRegion host) {
        Function.Direction direction = function.params().get(i).direction();
        var touch = HostUses.Touch.of(view, host, direction.isWritten());
        touches.add(touch);
        if (direction == Function.Direction.OUT && !isHostWork(function)) {
          touch.bytes().addTo(host.buffer().promised());
        }
      }
    }
    List<TensorView> results = results(call);
    List<Task> queue = tasks.get(rank);
    Set<Task> after = new LinkedHashSet<>();
    uses.before(touches, after);
    after.removeIf(earlier -> earlier.info.rank() == rank);
    if (!queue.isEmpty()) {
      after.add(queue.getLast());
    }
    List<Long> ids = after.stream().map(task -> task.info.id()).sorted().toList();
    var info = new DispatchInfo(planned++, rank, function.name(), ids, call.span());
    var task = new Task(info, call.function(), arguments, call.dims(), results);
    for (TensorView result : results) {
      if (result.region() instanceof HostRegion host) {
        touches.add(HostUses.Touch.of(result, host, true));
      }
    }
    if (after.stream().anyMatch(earlier -> earlier.info.rank() != rank)) {
      crowding.dispatched(touches, task, uses);
    }
    uses.add(touches, task);
    for (Task earlier : after) {
      if (earlier.info.rank() != rank) {
        earlier.dependents.add(task);
        task.open.add(earlier);
      }
    }
    queue.add(task);
    return results;
  }

  private boolean isHostWork(Function function) {
    return request.work().names().contains(function.name());
  }

  @Override
  public void copy(TensorView source, TensorView target, Span span) {
    if (!(source.region() instanceof HostRegion from)
        || !(target.region() instanceof HostRegion to)
        || source.dtype() != target.dtype()
        || source.elements() != target.elements()) {
      throw rejected(
          "HOST code can assign a host tensor of " + source + " only to a region of its kind",
          "both sides must be host tensors of one dtype and shape",
          span);
    }
    TensorView shaped = source.as(target.shape(), source.dtype());
    if (shaped != null && box(shaped).sameBytes(box(target))) {
      // y[r] = self.chip(x[r], y[r]): the result is there by itself.
      return;
    }
    Set<Task> after = new LinkedHashSet<>();
    uses.before(
        List.of(HostUses.Touch.of(source, from, false), HostUses.Touch.of(target, to, true)),
        after);
    if (!after.isEmpty()) {
      throw rejected(
          "HOST code assigns host tensor bytes that an earlier dispatch ("
              + after.iterator().next().info.function()
              + ") uses; such a copy between dispatches isn't supported",
          "let the dispatch write there, through a parameter that is pl.Out, or copy in a kernel",
          span);
    }
    if (shaped == null) {
      throw rejected(
          "HOST code assigns " + source + " to " + target, "make the shapes equal", span);
    }
    Box place = box(target);
    Copies.copy(device, box(shaped), place, false);
    place.recordWrite();
  }

  private static Box box(TensorView view) {
    return new Box(view.region(), view.start(), view.shape(), view.strides(), view.dtype());
  }

  private int rank(DispatchCall call) {
    if (call.device().isEmpty()) {
      for (Object argument : call.arguments()) {
        if (argument instanceof WindowSlice
            || (argument instanceof TensorView view && view.region() instanceof WindowSlice)) {
          throw rejected(
              "the call of '" + call.function().name() + "' passes a window without device=",
              "add device=r",
              call.span());
        }
      }
      return 0;
    }
    long device = call.device().getAsLong();
    if (device < 0 || device >= worldSize()) {
      throw rejected(
          "device="
              + device
              + " is out of range: the run has "
              + worldSize()
              + " device(s), ranks 0.."
              + (worldSize() - 1),
          "loop over pl.range(pld.world_size()), or give more devices",
          call.span());
    }
    return (int) device;
  }

  /** A window argument as the rank sees it: its own slice. */
  private @Nullable Object onRank(@Nullable Object argument, int rank, DispatchCall call) {
    return switch (argument) {
      case TensorView view when view.region() instanceof WindowSlice slice ->
          view.in(ownSlice(slice, rank, call));
      case WindowSlice slice -> ownSlice(slice, rank, call);
      case null, default -> argument;
    };
  }

  private WindowSlice ownSlice(WindowSlice slice, int rank, DispatchCall call) {
    int local = slice.info().localRank(rank);
    if (local < 0) {
      throw rejected(
          "window buffer '"
              + slice.info().buffer()
              + "' belongs to ranks "
              + slice.info().members()
              + "; '"
              + call.function().name()
              + "' is dispatched on rank "
              + rank,
          "use the window only on the ranks of its domain " + slice.info().domain(),
          call.span());
    }
    int limit = request.profile().maxHostBuiltinRanks();
    if (slice.window().size() > limit && HostRegions.in(call.function().source())) {
      throw rejected(
          "a collective called from HOST supports "
              + limit
              + " or fewer participating devices on "
              + request.profile().platform()
              + ", domain "
              + slice.info().domain()
              + " has "
              + slice.window().size(),
          "call the collective inside a kernel, or use fewer devices",
          call.span());
    }
    return slice.window().slice(local);
  }

  /** Zeroed host tensors for the results of a function that has no output parameter. */
  private List<TensorView> results(DispatchCall call) {
    CompiledFunction function = call.function();
    boolean writesArguments =
        function.source().params().stream()
            .anyMatch(
                param -> param.type() instanceof Type.Tensor && param.direction().isWritten());
    if (writesArguments) {
      return List.of();
    }
    List<TensorView> results = new ArrayList<>();
    for (Type type : function.source().returns()) {
      if (type instanceof Type.Tensor tensor) {
        long[] shape = tensor.shape().stream().mapToLong(extent -> extent(extent, call)).toArray();
        results.add(createTensor(tensor.dtype(), shape, call.span()));
      }
    }
    return results;
  }

  private long extent(Expr extent, DispatchCall call) {
    Long value =
        switch (extent) {
          case Expr.IntConst constant -> Long.valueOf(constant.value());
          case Expr.Dim dim -> call.dims().get(dim.name());
          default -> null;
        };
    if (value == null) {
      throw rejected(
          "Distributed callee return shape dim of '"
              + call.function().name()
              + "' must be ConstInt or Var",
          "give the result a pl.Out parameter",
          call.span());
    }
    return value;
  }

  private static DiagnosticException rejected(String message, String hint, Span span) {
    return new DiagnosticException(Diagnostic.error(message, hint, span));
  }
}
