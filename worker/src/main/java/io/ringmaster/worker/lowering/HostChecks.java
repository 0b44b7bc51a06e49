package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Attribute.ReduceOp;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.tensor.DType;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The rules for a collective called from HOST; what depends on the rank count only if it is known.
 */
final class HostChecks {

  private final Expr.Op op;
  private final String name;
  private final HostValues values;
  private final LoweringContext context;
  private final OptionalInt ranks;
  private final DeviceSet devices;
  private final List<String> roles;

  /**
   * @param devices ranks of the operands' domain
   */
  HostChecks(Expr.Op op, HostValues values, LoweringContext context, DeviceSet devices) {
    this.op = op;
    this.name = op.code().printedName();
    this.values = values;
    this.context = context;
    this.devices = devices;
    this.ranks = devices.size(context.worldSize());
    this.roles = HostCollectives.roles(op.code());
  }

  /**
   * The rules that a call keeps or breaks by itself, whatever is known of the function around it.
   */
  static void alone(Expr.Op op, HostValues values, Platform platform) {
    if (op.operands().size() == HostCollectives.roles(op.code()).size()) {
      new HostChecks(op, values, LoweringContext.of(platform), DeviceSet.ALL).check();
    }
  }

  /** Operands must be windows, each an allocation of its own; checked before there is a domain. */
  static void operands(Expr.Op op, List<Optional<String>> buffers) {
    List<String> roles = HostCollectives.roles(op.code());
    String name = op.code().printedName();
    for (int i = 0; i < buffers.size(); i++) {
      if (buffers.get(i).isEmpty()) {
        throw Errors.at(
            HostCollectives.place(op, roles.get(i)),
            name
                + " "
                + roles.get(i)
                + " must be a window-bound DistributedTensor (a view of an alloc_window_buffer)"
                + " when called from a HOST orchestrator",
            "Stage the data into a window with a dispatch first and pass the pld.window view.");
      }
      for (int j = 0; j < i; j++) {
        if (buffers.get(i).equals(buffers.get(j))) {
          throw Errors.at(
              HostCollectives.place(op, roles.get(i)),
              name
                  + " "
                  + roles.get(j)
                  + " and "
                  + roles.get(i)
                  + " must be different window allocations (two pld.window views '"
                  + nameOf(op.operands().get(j))
                  + "' and '"
                  + nameOf(op.operands().get(i))
                  + "' of buffer '"
                  + buffers.get(i).orElse("")
                  + "')",
              "Allocate a buffer for each of them.");
        }
      }
    }
  }

  private static String nameOf(Expr expr) {
    return expr instanceof Expr.Var v ? v.name() : "operand";
  }

  void check() {
    InCoreCollectives.refuseEmpty(op);
    checkMode();
    checkRanks();
    checkDtypes();
    checkLanes();
    switch (op.code()) {
      case ALLREDUCE -> {
        if (isRing()) {
          ring();
        }
      }
      case BROADCAST -> root();
      case REDUCE_SCATTER -> atLeastRanks(0, "target first dimension");
      case ALLGATHER -> exactlyRanks(1, "target first dimension");
      case ALL_TO_ALL -> {
        exactlyRanks(0, "input first dimension");
        exactlyRanks(1, "target first dimension");
      }
      case ALL_TO_ALL_V -> capacity();
      default -> {}
    }
    if (!isRing()) {
      signal();
    }
  }

  private boolean isRing() {
    return op.code() == OpCode.ALLREDUCE && InCoreCollectives.mode(op).equals("ring");
  }

  private void checkMode() {
    String mode = InCoreCollectives.mode(op);
    if (!mode.equals("mesh") && !mode.equals("ring")) {
      throw error(
          "mode",
          "mode must be \"ring\" or \"mesh\", got \"" + mode + "\"",
          "Leave mode out for \"mesh\".");
    }
  }

  private void checkRanks() {
    int limit = context.platform().hostRanks();
    if (ranks.isPresent() && ranks.getAsInt() > limit) {
      throw Errors.at(
          op.span(),
          name
              + " supports "
              + limit
              + " or fewer participating devices on the HOST rail, got "
              + ranks.getAsInt(),
          "Call the collective from a kernel, or use fewer devices.");
    }
  }

  private void checkDtypes() {
    for (int i = 0; i < roles.size(); i++) {
      DType dtype = tensor(i).dtype();
      switch (roles.get(i)) {
        case "signal", "recv_counts", "send_counts" -> {
          if (dtype != DType.INT32) {
            throw error(
                roles.get(i),
                roles.get(i) + " must have INT32 element type, got " + dtype,
                "View the window with dtype=pl.INT32.");
          }
        }
        default -> {
          boolean mesh = op.code() == OpCode.ALLREDUCE && !isRing();
          if (dtype != DType.FP32 && !(mesh && dtype == DType.FP16)) {
            throw error(
                roles.get(i),
                (isRing() ? "mode=\"ring\" " : "")
                    + "currently supports only dtype=FP32"
                    + (mesh ? " or FP16" : "")
                    + " on the HOST rail, got "
                    + dtype,
                isRing()
                    ? "Use mode=\"mesh\" for FP16, or call the ring from a kernel."
                    : "Call the collective from a kernel for other types.");
          }
        }
      }
    }
  }

  private void checkLanes() {
    long lanes = HostCollectives.lanes(op);
    if (lanes > context.platform().vectorCores()) {
      throw error(
          "core_num",
          "core_num ("
              + lanes
              + ") exceeds the backend AIV core count ("
              + context.platform().vectorCores()
              + " on "
              + context.platform().name()
              + ")",
          "Ask for at most " + context.platform().vectorCores() + " blocks.");
    }
  }

  private void signal() {
    List<Expr> shape = signalShape();
    switch (op.code()) {
      case BARRIER, BROADCAST, REDUCE_SCATTER -> {
        if (shape.size() != 1) {
          throw error(
              "signal",
              "signal must be a rank-1 DistributedTensor on the HOST rail, got "
                  + Errors.shape(shape),
              "View the signal as [world_size]; the [NR, 1] form belongs to kernels.");
        }
      }
      default -> {
        if (shape.size() > 2) {
          throw error(
              "signal",
              "collective signal must be rank-1 [world_size] or rank-2 [world_size, lanes], got "
                  + Errors.shape(shape),
              "View the signal as [world_size].");
        }
      }
    }
    long lanes = HostCollectives.lanes(op);
    if (shape.size() == 1 && lanes > 1) {
      throw error(
          "signal",
          "rank-1 signal is valid only when one signal lane is required, core_num is " + lanes,
          "View the signal as [world_size, " + lanes + "].");
    }
    if (shape.size() == 2) {
      stride(shape.get(1), lanes);
    }
    OptionalLong rows = values.value(shape.getFirst());
    if (rows.isPresent() && ranks.isPresent() && rows.getAsLong() < ranks.getAsInt()) {
      throw error(
          "signal",
          "collective signal shape[0] ("
              + rows.getAsLong()
              + ") must be at least the participating device count ("
              + ranks.getAsInt()
              + ")",
          "Give every rank a cell: size the signal by pld.world_size().");
    }
  }

  private void stride(Expr extent, long lanes) {
    OptionalLong stride = Build.constant(values.resolve(extent));
    if (stride.isEmpty()) {
      throw error(
          "signal",
          "rank-2 signal shape[1] must be constant, got " + Errors.shape(signalShape()),
          "Write the number of lanes as a constant.");
    }
    if (op.code() == OpCode.ALLREDUCE && stride.getAsLong() < lanes) {
      throw error(
          "signal",
          "rank-2 signal shape[1] ("
              + stride.getAsLong()
              + ") must be at least the required lane count ("
              + lanes
              + ")",
          "View the signal as [world_size, " + lanes + "].");
    }
    if (op.code() != OpCode.ALLREDUCE && stride.getAsLong() != 1) {
      throw error(
          "signal",
          "rank-2 signal shape[1] ("
              + stride.getAsLong()
              + ") must equal the required lane count (1)",
          "View the signal as [world_size, 1].");
    }
  }

  private void ring() {
    if (HostCollectives.lanes(op) > 1) {
      throw error("core_num", "mode=\"ring\" does not support core_num > 1", "Leave core_num out.");
    }
    if (InCoreCollectives.reduction(op) != ReduceOp.SUM) {
      throw error(
          "op",
          "mode=\"ring\" supports only ReduceOp.Sum on the HOST rail, got "
              + InCoreCollectives.reduction(op),
          "Use mode=\"mesh\" for Max, Min and Prod, or call the ring from a kernel.");
    }
    OptionalLong elements = values.product(tensor(0).shape());
    boolean open = ranks.isEmpty() && tensor(0).shape().stream().anyMatch(this::mentionsWorld);
    if (elements.isEmpty() && !open) {
      throw error(
          "target",
          "mode=\"ring\" requires a statically-known target size, got "
              + Errors.shape(tensor(0).shape()),
          "View the target with constant extents.");
    }
    if (elements.isPresent()
        && ranks.isPresent()
        && (elements.getAsLong() % ranks.getAsInt() != 0 || elements.getAsLong() == 0)) {
      throw error(
          "target",
          "mode=\"ring\" target size ("
              + elements.getAsLong()
              + ") must be an exact multiple of the rank count ("
              + ranks.getAsInt()
              + "), remainder "
              + elements.getAsLong() % ranks.getAsInt(),
          "Pad the vector, or use mode=\"mesh\".");
    }
    ringSignal();
  }

  private boolean mentionsWorld(Expr extent) {
    boolean[] found = {false};
    io.ringmaster.worker.ir.Traversal.expressions(
        values.resolve(extent), part -> found[0] |= values.isWorldSize(part));
    return found[0];
  }

  private void ringSignal() {
    List<Expr> shape = signalShape();
    if (shape.size() != 2) {
      throw error(
          "signal",
          "mode=\"ring\" signal must be 2D [2*(NR-1) + 1, NR], got " + Errors.shape(shape),
          "View the signal with one row for each round and one for the end.");
    }
    OptionalLong rows = values.value(shape.get(0));
    OptionalLong columns = values.value(shape.get(1));
    if (columns.isPresent() && ranks.isPresent() && columns.getAsLong() != ranks.getAsInt()) {
      throw error(
          "signal",
          "mode=\"ring\" signal shape[1] ("
              + columns.getAsLong()
              + ") must equal the participating device count ("
              + ranks.getAsInt()
              + ")",
          "View the signal as [2*(NR-1) + 1, NR] with NR = " + ranks.getAsInt() + ".");
    }
    OptionalLong count = ranks.isPresent() ? OptionalLong.of(ranks.getAsInt()) : columns;
    if (rows.isPresent()
        && count.isPresent()
        && rows.getAsLong() != 2 * (count.getAsLong() - 1) + 1) {
      throw error(
          "signal",
          "mode=\"ring\" signal shape[0] ("
              + rows.getAsLong()
              + ") must equal 2*(NR-1) + 1 = "
              + (2 * (count.getAsLong() - 1) + 1)
              + " for NR = "
              + count.getAsLong(),
          "The HOST form has one row more than the form inside a kernel.");
    }
  }

  private void root() {
    long root = InCoreCollectives.root(op);
    if (ranks.isPresent() && root >= ranks.getAsInt()) {
      throw error(
          "root",
          "root ("
              + root
              + ") must be a valid rank in [0, "
              + ranks.getAsInt()
              + ")"
              + (devices.all() ? "" : " for this explicit device subset"),
          "Ranks of a domain count from 0.");
    }
  }

  private void exactlyRanks(int operand, String what) {
    rows(operand, what, true);
  }

  private void atLeastRanks(int operand, String what) {
    rows(operand, what, false);
  }

  private void rows(int operand, String what, boolean exactly) {
    OptionalLong rows = values.value(tensor(operand).shape().getFirst());
    if (rows.isPresent()
        && ranks.isPresent()
        && (exactly ? rows.getAsLong() != ranks.getAsInt() : rows.getAsLong() < ranks.getAsInt())) {
      throw error(
          roles.get(operand),
          what
              + " ("
              + rows.getAsLong()
              + ") must "
              + (exactly ? "equal" : "be at least")
              + " the participating device count ("
              + ranks.getAsInt()
              + ")",
          "Give every rank a row: view the window as [pld.world_size(), SIZE].");
    }
  }

  private void capacity() {
    OptionalLong rows = values.value(tensor(1).shape().getFirst());
    if (rows.isPresent()
        && ranks.isPresent()
        && (rows.getAsLong() % ranks.getAsInt() != 0 || rows.getAsLong() < ranks.getAsInt())) {
      throw error(
          "target",
          "target first dimension ("
              + rows.getAsLong()
              + ") must be a positive multiple of the participating device count ("
              + ranks.getAsInt()
              + ")",
          "View the target as [NR * M, SIZE] with M rows for each sender.");
    }
  }

  private List<Expr> signalShape() {
    return tensor(roles.indexOf("signal")).shape();
  }

  private Type.Tensor tensor(int operand) {
    return (Type.Tensor) op.operands().get(operand).type();
  }

  /** About one argument: an operand by its role, or what was said by keyword. */
  private DiagnosticException error(String argument, String message, String hint) {
    return Errors.at(HostCollectives.place(op, argument), name + " " + message, hint);
  }
}
