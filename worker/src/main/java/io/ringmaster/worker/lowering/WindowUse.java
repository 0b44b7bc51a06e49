package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Traversal;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Walks a HOST function and notes, for every window buffer, the ranks that get to see it. */
final class WindowUse {

  private final Program program;
  private final Function host;
  private final LoweringContext context;
  private final HostValues values;
  private final WindowTracker windows;
  private final Dispatches dispatches;
  private final Map<String, Expr.Op> allocations = new LinkedHashMap<>();
  private final Set<String> viewed = new HashSet<>();
  private final Map<String, DeviceSet> devices = new HashMap<>();
  private final List<HostCollective> collectives = new ArrayList<>();
  private int loops;

  /** A collective called from HOST, with the buffers of its operands. */
  private record HostCollective(Expr.Op op, List<String> names) {}

  private WindowUse(Program program, Function host, LoweringContext context) {
    this.program = program;
    this.host = host;
    this.context = context;
    this.values = new HostValues(context.worldSize());
    this.windows = new WindowTracker(program);
    this.dispatches = new Dispatches(values);
  }

  static WindowUse of(Program program, Function host, LoweringContext context) {
    WindowUse use = new WindowUse(program, host, context);
    int before = context.mistakes().size();
    use.body(host.body());
    while (use.shareOnce()) {
      // A signal of one collective may be what gives the windows of another their ranks.
    }
    // What a refused dispatch would have covered is anybody's guess.
    if (context.mistakes().size() == before) {
      use.collectives.forEach(c -> context.mistakes().attempt(() -> use.checkShared(c)));
      use.checkAllocations();
    }
    return use;
  }

  /** Buffers in the order of their allocation. */
  List<String> buffers() {
    return List.copyOf(allocations.keySet());
  }

  DeviceSet devices(String buffer) {
    return devices.getOrDefault(buffer, DeviceSet.NONE).canonical(context.worldSize());
  }

  private void body(List<Stmt> body) {
    body.forEach(this::stmt);
  }

  private void stmt(Stmt stmt) {
    for (Expr value : Traversal.values(stmt)) {
      context.mistakes().attempt(() -> Traversal.expressions(value, this::visit));
    }
    values.accept(stmt);
    windows.accept(stmt);
    switch (stmt) {
      case Stmt.Assign s when MaterializeCommDomainScopes.isAllocation(s.value()) -> allocate(s);
      case Stmt.For s -> {
        dispatches.enter(s);
        loop(s.body(), s.span());
        dispatches.leave();
      }
      case Stmt.While s -> loop(s.body(), s.span());
      case Stmt.If s -> branches(s);
      default -> {}
    }
  }

  private void allocate(Stmt.Assign s) {
    if (loops > 0) {
      context
          .mistakes()
          .add(
              Errors.at(
                  s.span(),
                  "pld.alloc_window_buffer '" + s.target().name() + "' stands inside a loop",
                  "A window is allocated once for the whole host call: move it above the loop."));
    }
    allocations.put(s.target().name(), (Expr.Op) s.value());
  }

  /** A loop body is walked again with what it leaves behind: a later round must see the same. */
  private void loop(List<Stmt> body, Span span) {
    loops++;
    Map<String, String> before = windows.snapshot();
    body(body);
    Map<String, String> after = windows.snapshot();
    for (Map.Entry<String, String> entry : before.entrySet()) {
      String later = after.get(entry.getKey());
      if (later != null
          && !later.equals(entry.getValue())
          && isReadBeforeRebound(body, entry.getKey())) {
        context
            .mistakes()
            .add(
                Errors.at(
                    span,
                    "Rebinding loop-carried DistributedTensor '"
                        + entry.getKey()
                        + "' to a different DistributedTensor inside the loop is not supported",
                    "It views buffer '"
                        + entry.getValue()
                        + "' in the first round and '"
                        + later
                        + "' afterwards: use two names."));
      }
    }
    loops--;
  }

  private static boolean isReadBeforeRebound(List<Stmt> body, String name) {
    for (Stmt stmt : body) {
      for (Expr value : Traversal.values(stmt)) {
        boolean[] read = {false};
        Traversal.expressions(
            value, part -> read[0] |= part instanceof Expr.Var v && v.name().equals(name));
        if (read[0]) {
          return true;
        }
      }
      if (Traversal.targets(stmt).stream().anyMatch(target -> target.name().equals(name))) {
        return false;
      }
      if (Traversal.blocks(stmt).stream().anyMatch(block -> isReadBeforeRebound(block, name))) {
        return true;
      }
    }
    return false;
  }

  private void branches(Stmt.If s) {
    Map<String, String> before = windows.snapshot();
    body(s.thenBody());
    Map<String, String> then = windows.snapshot();
    windows.restore(before);
    body(s.elseBody());
    Map<String, String> otherwise = windows.snapshot();
    Map<String, String> merged = new HashMap<>(then);
    otherwise.forEach(
        (name, buffer) -> {
          String other = merged.putIfAbsent(name, buffer);
          if (other != null && !other.equals(buffer)) {
            context
                .mistakes()
                .add(
                    Errors.at(
                        s.span(),
                        "Assigning a different DistributedTensor in each branch of an `if` is not"
                            + " supported: '"
                            + name
                            + "' would view '"
                            + other
                            + "' or '"
                            + buffer
                            + "'",
                        "Make the whole dispatch conditional instead of the window."));
          }
        });
    windows.restore(merged);
  }

  private void visit(Expr expr) {
    switch (expr) {
      case Expr.Op op when op.code() == OpCode.WINDOW -> view(op);
      case Expr.Op op when op.code().isCollective() -> {
        List<Optional<String>> buffers = op.operands().stream().map(windows::bufferOf).toList();
        HostChecks.operands(op, buffers);
        collectives.add(
            new HostCollective(op, buffers.stream().flatMap(Optional::stream).toList()));
      }
      case Expr.Call call -> dispatch(call);
      default -> {}
    }
  }

  private void view(Expr.Op op) {
    Optional<String> buffer = windows.bufferOf(op.operands().getFirst());
    if (buffer.isEmpty() || !(op.type() instanceof Type.Tensor t)) {
      throw Errors.at(
          op.span(),
          "pld.window 'buf' must have type Ptr: it views no allocated window buffer",
          "Pass the name that pld.alloc_window_buffer was assigned to.");
    }
    viewed.add(buffer.get());
    Expr.Op allocation = allocations.get(buffer.get());
    if (allocation == null) {
      return;
    }
    OptionalLong has = values.value(allocation.operands().getFirst());
    OptionalLong elements = values.product(t.shape());
    if (has.isPresent()
        && elements.isPresent()
        && elements.getAsLong() > has.getAsLong() / t.dtype().bytes()) {
      throw Errors.at(
          op.span(),
          "the view "
              + Errors.shape(t.shape())
              + " "
              + t.dtype()
              + " of window '"
              + buffer.get()
              + "' needs "
              + elements.getAsLong() * t.dtype().bytes()
              + " bytes, the allocation has "
              + has.getAsLong(),
          "pld.alloc_window_buffer takes bytes, not elements: multiply by pl."
              + t.dtype()
              + ".get_byte().");
    }
  }

  private void dispatch(Expr.Call call) {
    Function.Level level =
        program.function(call.function()).map(Function::level).orElse(Function.Level.ORCHESTRATION);
    if (level == Function.Level.INCORE) {
      throw Errors.at(
          call.span(),
          "HOST function '"
              + host.name()
              + "' can only call same level sub-worker or next level Orch, not the InCore function"
              + " '"
              + call.function()
              + "'",
          "Wrap the kernel in a function of type pl.FunctionType.Orchestration.");
    }
    if (call.device().isEmpty()) {
      if (call.arguments().stream().anyMatch(a -> !windows.buffersIn(a).isEmpty())) {
        throw Errors.at(
            call.span(),
            "the dispatch of '" + call.function() + "' passes a window and needs device=",
            "Add device=r with the variable of the rank loop.");
      }
      return;
    }
    DeviceSet set = dispatches.of(call.device().get());
    checkRanks(set, call.device().get());
    for (Expr argument : call.arguments()) {
      for (String buffer : windows.buffersIn(argument)) {
        devices.merge(buffer, set, DeviceSet::union);
      }
    }
  }

  private void checkRanks(DeviceSet set, Expr device) {
    if (context.worldSize().isPresent()
        && !set.ranks().isEmpty()
        && set.ranks().getLast() >= context.worldSize().getAsInt()) {
      int world = context.worldSize().getAsInt();
      throw Errors.at(
          device.span(),
          "device= reaches rank "
              + set.ranks().getLast()
              + ", but the run has "
              + world
              + " device"
              + (world == 1 ? "" : "s"),
          "Ranks are 0.." + (world - 1) + "; loop to pld.world_size() to follow the device list.");
    }
  }

  /** Windows seen nowhere else inherit the ranks of those they are used with; true on a change. */
  private boolean shareOnce() {
    boolean changed = false;
    for (HostCollective collective : collectives) {
      DeviceSet known = DeviceSet.NONE;
      for (String buffer : collective.names()) {
        known = known.isEmpty() ? devices(buffer) : known;
      }
      for (String buffer : collective.names()) {
        if (devices(buffer).isEmpty() && !known.isEmpty()) {
          devices.put(buffer, known);
          changed = true;
        }
      }
    }
    return changed;
  }

  private void checkShared(HostCollective collective) {
    Expr.Op op = collective.op();
    String first = collective.names().getFirst();
    DeviceSet known = devices(first);
    if (known.isEmpty()) {
      throw Errors.at(
          op.span(),
          op.code().printedName() + " window '" + first + "' has no inferred comm-domain",
          "Pass the window to a dispatch with device= so that its ranks are known.");
    }
    for (String buffer : collective.names()) {
      if (!devices(buffer).equals(known)) {
        throw Errors.at(
            op.span(),
            op.code().printedName()
                + " window operands must be in the same comm domain: '"
                + first
                + "' belongs to "
                + known
                + ", '"
                + buffer
                + "' to "
                + devices(buffer),
            "Dispatch both windows to the same ranks.");
      }
    }
  }

  /** What a collective uses has been said where it is called. */
  private boolean isInCollective(String buffer) {
    return collectives.stream().anyMatch(collective -> collective.names().contains(buffer));
  }

  private void checkAllocations() {
    allocations.forEach(
        (buffer, op) -> {
          if (!viewed.contains(buffer)) {
            context
                .mistakes()
                .add(
                    Errors.consequence(
                        op.span(),
                        "window buffer '"
                            + buffer
                            + "' has no pld.tensor.window materialisation (dead allocation)",
                        "View it with pld.window, or drop the allocation."));
          } else if (devices(buffer).isEmpty() && !isInCollective(buffer)) {
            context
                .mistakes()
                .add(
                    Errors.consequence(
                        op.span(),
                        "window buffer '" + buffer + "' is not consumed by any chip_orch dispatch",
                        "Pass a view of it to a dispatch with device=, or drop the allocation."));
          }
        });
  }
}
