package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Attribute.NotifyOp;
import io.ringmaster.worker.ir.Attribute.ReduceOp;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.lowering.Schedule.Ranks;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What each collective becomes when a kernel calls it; allreduce has classes of its own. */
final class InCoreCollectives {

  private InCoreCollectives() {}

  /** Writes the schedule of a call and says what it stands for. */
  static Stmt.Collective lower(Schedule s, Expr.Op op) {
    refuseEmpty(op);
    return switch (op.code()) {
      case BARRIER -> barrier(s, op);
      case BROADCAST -> broadcast(s, op);
      case ALLREDUCE -> allreduce(s, op);
      case ALLGATHER -> allgather(s, op);
      case REDUCE_SCATTER -> reduceScatter(s, op);
      case ALL_TO_ALL -> allToAll(s, op);
      case ALL_TO_ALL_V -> allToAllV(s, op);
      default -> throw new IllegalArgumentException(op.code() + " isn't a collective");
    };
  }

  /** A signal without rows is what a ring of one rank has; data without elements is a mistake. */
  static void refuseEmpty(Expr.Op op) {
    List<String> roles = HostCollectives.roles(op.code());
    for (int i = 0; i < op.operands().size(); i++) {
      boolean signal = roles.get(i).equals("signal");
      if (!signal
          && op.operands().get(i).type() instanceof Type.Tensor t
          && t.shape().stream().anyMatch(extent -> Build.isConstant(extent, 0))) {
        throw Errors.at(
            HostCollectives.place(op, roles.get(i)),
            op.code().printedName()
                + " "
                + roles.get(i)
                + " has no elements: shape "
                + Errors.shape(t.shape()),
            "Give every dimension at least one element, or leave the call out.");
      }
    }
  }

  private static Stmt.Collective barrier(Schedule s, Expr.Op op) {
    SignalShapes.mesh(op);
    Expr signal = op.operands().getFirst();
    Credits credits = credits(s, s.ranks(signal), signal);
    credits.barrier(1, "");
    credits.reset(1);
    return described(op, "credit");
  }

  /** Everyone pulls the root's data, the root its own through the same path. */
  private static Stmt.Collective broadcast(Schedule s, Expr.Op op) {
    SignalShapes.mesh(op);
    TensorView target = TensorView.of(op.operands().get(0));
    List<Long> shape = target.constantShape(op.place("target"), "pld.tensor.broadcast target");
    Ranks ranks = s.ranks(target.expr());
    long last = shape.getLast();
    long rows = shape.stream().reduce(1L, Math::multiplyExact) / Math.max(last, 1);
    Expr stage = s.let("bcast_stage", s.ir().stageTile(rows, last, target.dtype()));
    Credits credits = credits(s, ranks, op.operands().get(1));
    credits.barrier(1, "");
    Build ir = s.ir();
    s.eval(
        ir.op(
            OpCode.GET,
            target.expr(),
            ir.int32(root(op)),
            target.expr(),
            ir.zeros(target.rank()),
            ir.zeros(target.rank()),
            ir.tuple(target.shape()),
            stage));
    credits.reset(1);
    return described(op, "pull");
  }

  private static Stmt.Collective allreduce(Schedule s, Expr.Op op) {
    String mode = mode(op);
    if (!mode.equals("mesh") && !mode.equals("ring")) {
      throw Errors.at(
          op.place("mode"),
          "pld.tensor.allreduce mode must be \"ring\" or \"mesh\", got \"" + mode + "\"",
          "Leave mode out for \"mesh\".");
    }
    if (op.operands().size() < 2) {
      throw Errors.at(
          op.span(),
          mode.equals("ring")
              ? "pld.tensor.allreduce mode=ring requires an explicit signal"
              : "pld.tensor.allreduce requires an explicit signal outside host orchestrator"
                  + " functions",
          "Pass an INT32 window "
              + (mode.equals("ring") ? "[2*(NR-1), NR]" : "[NR, 1]")
              + " as the second argument.");
    }
    if (op.attributes().get("core_num") instanceof Attribute.Int cores && cores.value() > 1) {
      throw Errors.at(
          op.place("core_num"),
          "pld.tensor.allreduce core_num > 1 is supported only in a HOST orchestrator",
          "Leave core_num out, or call the collective from the HOST function.");
    }
    if (mode.equals("ring")) {
      SignalShapes.ring(op);
      RingAllReduce.lower(s, PartlyValid.narrowed(s, op), reduction(op));
    } else {
      SignalShapes.mesh(op);
      if (PartlyValid.isRectangle(s, op)) {
        PartlyValid.rectangle(s, op, reduction(op));
      } else {
        MeshAllReduce.lower(s, PartlyValid.narrowed(s, op), reduction(op));
      }
    }
    return described(op, mode);
  }

  /** Everyone pushes its chunk into its row on every rank, itself included. */
  private static Stmt.Collective allgather(Schedule s, Expr.Op op) {
    SignalShapes.mesh(op);
    TensorView source = plainSource(op, "local_data", "[1, SIZE]");
    TensorView target = TensorView.of(op.operands().get(1));
    Ranks ranks = s.ranks(target.expr());
    Expr stage = stageRow(s, "ag_stage", source, op);
    Build ir = s.ir();
    ranks.each(
        "push",
        peer ->
            s.eval(
                put(
                    s,
                    target,
                    peer,
                    source,
                    ir.tuple(ranks.mine(), ir.index(0)),
                    ir.zeros(2),
                    ir.tuple(ir.index(1), source.last()),
                    stage)));
    finishPush(s, ranks, op.operands().get(2));
    return described(op, "push");
  }

  /** Everyone reads its row from all ranks and adds them up, itself first. */
  private static Stmt.Collective reduceScatter(Schedule s, Expr.Op op) {
    SignalShapes.mesh(op);
    TensorView target = TensorView.of(op.operands().get(0));
    long size =
        target.constantExtent(
            target.last(), op.place("target"), "pld.tensor.reduce_scatter target");
    Ranks ranks = s.ranks(target.expr());
    Credits credits = credits(s, ranks, op.operands().get(1));
    Build ir = s.ir();
    Expr row = ir.tuple(ranks.mine(), ir.index(0));
    Expr extent = ir.tuple(ir.index(1), ir.index(size));
    credits.barrier(1, "");
    Expr.Var acc = s.let("acc", ir.op(OpCode.LOAD, target.expr(), row, extent));
    ranks.others(
        "reduce_peer",
        peer -> {
          Expr recv = s.let("recv", ir.op(OpCode.REMOTE_LOAD, target.expr(), peer, row, extent));
          s.assign(acc, ir.op(combiner(reduction(op)), acc, recv));
        });
    credits.barrier(2, "2");
    s.eval(ir.op(OpCode.STORE, acc, row, target.expr()));
    credits.reset(2);
    return described(op, "mesh");
  }

  private static Stmt.Collective allToAll(Schedule s, Expr.Op op) {
    SignalShapes.mesh(op);
    TensorView source = plainSource(op, "input", "[NR, SIZE]");
    TensorView target = TensorView.of(op.operands().get(1));
    Ranks ranks = s.ranks(target.expr());
    Expr stage = stageRow(s, "aa_stage", source, op);
    Build ir = s.ir();
    ranks.each(
        "dest",
        dest ->
            s.eval(
                put(
                    s,
                    target,
                    dest,
                    source,
                    ir.tuple(ranks.mine(), ir.index(0)),
                    ir.tuple(dest, ir.index(0)),
                    ir.tuple(ir.index(1), source.last()),
                    stage)));
    finishPush(s, ranks, op.operands().get(2));
    return described(op, "push");
  }

  /** As all_to_all with blocks of rows; the counts travel as plain cells, the whole block moves. */
  private static Stmt.Collective allToAllV(Schedule s, Expr.Op op) {
    SignalShapes.mesh(op);
    TensorView source = plainSource(op, "input", "[NR * M, SIZE]");
    TensorView target = TensorView.of(op.operands().get(1));
    TensorView signal = TensorView.of(op.operands().get(2));
    TensorView sendCounts = TensorView.of(op.operands().get(3));
    long ranksKnown =
        signal.constantExtent(
            signal.shape().get(0), op.place("signal"), "pld.tensor.all_to_all_v signal");
    long rows =
        target.constantExtent(
            target.shape().get(0), op.place("target"), "pld.tensor.all_to_all_v target");
    if (ranksKnown <= 0 || rows % ranksKnown != 0) {
      throw Errors.at(
          op.place("signal"),
          "pld.tensor.all_to_all_v signal dim 0 must divide target dim 0, got "
              + ranksKnown
              + " and "
              + rows,
          "Give the target NR * M rows and the signal NR.");
    }
    long capacity = rows / ranksKnown;
    Ranks ranks = s.ranks(target.expr());
    Expr stage = stageRow(s, "aav_stage", source, op);
    Build ir = s.ir();
    ranks.each(
        "dest",
        dest -> {
          Expr cell = sendCounts.rank() == 1 ? ir.tuple(dest) : ir.tuple(dest, ir.index(0));
          Expr count =
              s.let(
                  "aav_count",
                  ir.op(
                      OpCode.READ,
                      List.of(sendCounts.expr(), cell),
                      Map.of("low", new Attribute.Int(0), "high", new Attribute.Int(capacity))));
          Expr published = s.let("aav_rows", ir.min(count, ir.int32(capacity)));
          s.eval(
              ir.op(
                  OpCode.NOTIFY,
                  List.of(
                      op.operands().get(4), dest, ir.tuple(ranks.mine(), ir.index(0)), published),
                  Map.of("op", new Attribute.Notify(NotifyOp.SET))));
          s.eval(
              put(
                  s,
                  target,
                  dest,
                  source,
                  ir.tuple(ir.mul(ranks.mine(), ir.index(capacity)), ir.index(0)),
                  ir.tuple(ir.mul(dest, ir.index(capacity)), ir.index(0)),
                  ir.tuple(ir.index(capacity), source.last()),
                  stage));
        });
    finishPush(s, ranks, op.operands().get(2));
    return described(op, "push");
  }

  private static Expr stageRow(Schedule s, String purpose, TensorView source, Expr.Op op) {
    long size =
        source.constantExtent(
            source.last(), HostCollectives.place(op, "input"), op.code().printedName() + " input");
    return s.let(purpose, s.ir().stageTile(1, size, source.dtype()));
  }

  private static Expr put(
      Schedule s,
      TensorView target,
      Expr peer,
      TensorView source,
      Expr to,
      Expr from,
      Expr shape,
      Expr stage) {
    return s.ir().op(OpCode.PUT, target.expr(), peer, source.expr(), to, from, shape, stage);
  }

  /** The barrier after a push tells that every rank's data has landed. */
  private static void finishPush(Schedule s, Ranks ranks, Expr signal) {
    Credits credits = credits(s, ranks, signal);
    credits.barrier(1, "");
    credits.reset(1);
  }

  private static TensorView plainSource(Expr.Op op, String role, String shape) {
    TensorView source = TensorView.of(op.operands().getFirst());
    if (source.window()) {
      throw Errors.at(
          HostCollectives.place(op, "input"),
          op.code().printedName()
              + " "
              + role
              + " must be a plain Tensor "
              + shape
              + " on the InCore path",
          "Pass the tensor itself, not a window; windows as source belong to the HOST form.");
    }
    return source;
  }

  private static Credits credits(Schedule s, Ranks ranks, Expr signal) {
    return Credits.mesh(s, ranks, signal, 2);
  }

  static Stmt.Collective described(Expr.Op op, String algorithm) {
    return new Stmt.Collective(
        op.code(),
        Stmt.Rail.INCORE,
        algorithm,
        op.operands(),
        op.code() == OpCode.BROADCAST ? Optional.of(root(op)) : Optional.empty(),
        op.code() == OpCode.ALLREDUCE || op.code() == OpCode.REDUCE_SCATTER
            ? Optional.of(reduction(op))
            : Optional.empty());
  }

  static long root(Expr.Op op) {
    return op.attributes().get("root") instanceof Attribute.Int root ? root.value() : 0;
  }

  static ReduceOp reduction(Expr.Op op) {
    return op.attributes().get("op") instanceof Attribute.Reduce reduce
        ? reduce.value()
        : ReduceOp.SUM;
  }

  static String mode(Expr.Op op) {
    return op.attributes().get("mode") instanceof Attribute.Text mode ? mode.value() : "mesh";
  }

  /** The tile operation that folds one more operand in. */
  static OpCode combiner(ReduceOp op) {
    return switch (op) {
      case SUM -> OpCode.ADD;
      case MAX -> OpCode.MAXIMUM;
      case MIN -> OpCode.MINIMUM;
      case PROD -> OpCode.MUL;
    };
  }
}
