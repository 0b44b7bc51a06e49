package io.ringmaster.worker.codegen;

import io.ringmaster.worker.fabric.CollectiveCall;
import io.ringmaster.worker.fabric.Site;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.fabric.WindowSlice;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.source.Span;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Compiles operations; what they do is in the classes for memory, tiles, signals and transfers. */
final class OpCompiler {

  private final FunctionCompiler owner;
  private final ExprCompiler expressions;

  OpCompiler(FunctionCompiler owner, ExprCompiler expressions) {
    this.owner = owner;
    this.expressions = expressions;
  }

  /**
   * Emits an operation.
   *
   * @param target register of the result, negative for none; a scalar register if the type is one
   * @param name the variable that receives the result, as buffers are named after theirs
   */
  void compile(Expr.Op op, int target, String name) {
    owner.emit(instruction(op, target, name), op.span());
  }

  private Instruction instruction(Expr.Op op, int target, String name) {
    return switch (op.code()) {
      case LOAD -> MemoryOps.load(this, op, target);
      case STORE -> MemoryOps.store(this, op, target);
      case READ -> MemoryOps.read(this, op, target);
      case WRITE -> MemoryOps.write(this, op);
      case CREATE_TENSOR -> MemoryOps.createTensor(this, op, target, false);
      case FULL_TENSOR -> MemoryOps.createTensor(this, op, target, true);
      case SLICE -> MemoryOps.slice(this, op, target);
      case ASSEMBLE -> MemoryOps.assemble(this, op, target);
      case RESHAPE -> MemoryOps.reshape(this, op, target);
      case ARRAY_CREATE -> MemoryOps.createArray(op, target);
      case ARRAY_GET -> MemoryOps.arrayGet(this, op, target);
      case ARRAY_SET -> MemoryOps.arraySet(this, op, target);
      case CREATE_TILE, FULL_TILE -> TileOps.create(op, target);
      case MOVE -> TileOps.move(this, op, target);
      case SET_VALID_SHAPE -> TileOps.setValid(this, op, target);
      case FILL_PAD -> TileOps.fillPad(this, op, target);
      case ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM -> TileOps.binary(this, op, target);
      case EXP, LOG, SQRT, RSQRT, NEG, ABS, RECIP, SIN, COS -> TileOps.unary(this, op, target);
      case CAST -> TileOps.cast(this, op, target);
      case ROW_SUM, ROW_MAX, ROW_MIN, ROW_PROD, COL_SUM, COL_MAX, COL_MIN, COL_PROD ->
          TileOps.reduce(this, op, target);
      case CMP, SEL, SORT32, MRGSORT, GATHER, GATHER_MASK, SCATTER, TRANSPOSE ->
          ArrangeOps.arrange(this, op, target);
      case ARANGE, ARANGE_TILE -> ArrangeOps.count(this, op, target);
      case MATMUL -> TileOps.matmul(this, op, target, false);
      case MATMUL_ACC -> TileOps.matmul(this, op, target, true);
      case GET_COMM_CTX -> SignalOps.context(this, op, target);
      case NOTIFY -> SignalOps.notifying(this, op);
      case WAIT, DEFER_WAIT -> SignalOps.waiting(this, op);
      case REMOTE_LOAD -> TransferOps.remoteLoad(this, op, target);
      case REMOTE_STORE -> TransferOps.remoteStore(this, op, target);
      case PUT -> TransferOps.put(this, op, target);
      case GET -> TransferOps.get(this, op, target);
      case ALLOC_WINDOW -> HostOps.allocate(this, op, target, name);
      case WINDOW -> HostOps.window(this, op, target);
      case WORLD_SIZE, RANK, NRANKS, DIM ->
          throw new IllegalStateException("a scalar query: " + op.code());
      case BARRIER, BROADCAST, ALLREDUCE, ALLGATHER, REDUCE_SCATTER, ALL_TO_ALL, ALL_TO_ALL_V ->
          throw new IllegalArgumentException(
              op.code().printedName() + " has to be lowered before code is generated");
    };
  }

  /** True when a register's tile is never seen through anything else, see {@link OwnedTiles}. */
  boolean isOwned(int target) {
    return target >= 0 && owner.registers().isOwned(target);
  }

  /** True when a register's tile is only stored, see {@link PassedOn}. */
  boolean isPassedOn(int target) {
    return target >= 0 && owner.registers().isPassedOn(target);
  }

  boolean isHost() {
    return owner.isHost();
  }

  /** Register of the i-th operand, which isn't a scalar. */
  int reference(Expr.Op op, int i) {
    return owner.reference(op.operands().get(i));
  }

  LongExpr scalar(Expr.Op op, int i) {
    return owner.scalar(op.operands().get(i));
  }

  LongExpr[] tuple(Expr.Op op, int i) {
    return expressions.tuple(op.operands().get(i));
  }

  /** The place of the operation, the name of its i-th operand, and where that one's offsets are. */
  static Site site(Expr.Op op, int i) {
    String tensor =
        i < op.operands().size() && op.operands().get(i) instanceof Expr.Var variable
            ? written(variable.name())
            : "tensor";
    int peer = peer(op.code());
    return new Site(
        op.code().printedName(),
        tensor,
        op.span(),
        offsets(op, offsets(op.code(), i)),
        peer < 0 ? op.span() : place(op, op.operands().get(peer)));
  }

  private static List<Span> offsets(Expr.Op op, int operand) {
    if (operand < 0) {
      return List.of();
    }
    Expr offsets = op.operands().get(operand);
    List<Expr> each = offsets instanceof Expr.TupleExpr list ? list.elements() : List.of(offsets);
    return each.stream().map(offset -> place(op, offset)).toList();
  }

  /**
   * Where an operand is written; one that stands elsewhere, or that lowering made, is at the op.
   */
  static Span place(Expr.Op op, Expr operand) {
    return op.span().covers(operand.span()) ? operand.span() : op.span();
  }

  /** The operand that says where in its i-th operand an operation works, negative for none. */
  private static int offsets(OpCode code, int i) {
    return switch (code) {
      case LOAD, READ, WRITE, ARRAY_GET, ARRAY_SET, WAIT, DEFER_WAIT -> i == 0 ? 1 : -1;
      case STORE -> i == 2 ? 1 : -1;
      case SLICE, ASSEMBLE, NOTIFY, REMOTE_LOAD -> i == 0 ? 2 : -1;
      case REMOTE_STORE -> i == 1 ? 3 : -1;
      case PUT, GET -> i == 0 ? 3 : i == 2 ? 4 : -1;
      default -> -1;
    };
  }

  /** The operand that names the rank at the other end, negative for none. */
  private static int peer(OpCode code) {
    return switch (code) {
      case NOTIFY, REMOTE_LOAD, PUT, GET -> 1;
      case REMOTE_STORE -> 2;
      default -> -1;
    };
  }

  /** Of a name that lowering made, {@code y__value_tmp_v2}, the part that the user knows. */
  static String written(String name) {
    int made = name.indexOf("__");
    return made > 0 ? name.substring(0, made) : name;
  }

  /** Tells the observers that the rank begins a collective. */
  Instruction enter(Stmt.Region region, int slot) {
    Stmt.Collective collective = region.collective();
    int operand = targetOperand(collective.op());
    if (operand >= collective.operands().size()) {
      throw new IllegalArgumentException(collective.op() + " region without its target");
    }
    int target = owner.reference(collective.operands().get(operand));
    String op = collective.op().name().toLowerCase(Locale.ROOT);
    String rail = collective.rail().name().toLowerCase(Locale.ROOT);
    Optional<String> reduce = collective.reduce().map(OpCompiler::spelling);
    int signalOperand = SignalLayout.operand(collective.op());
    boolean hasLayout =
        collective.rail() == Stmt.Rail.INCORE && signalOperand < collective.operands().size();
    int signal = hasLayout ? owner.reference(collective.operands().get(signalOperand)) : -1;
    return (machine, frame, pc) -> {
      if (!machine.maySignal()) {
        return Instruction.YIELD;
      }
      if (hasLayout) {
        SignalLayout.check(machine.rank(), region, frame.view(signal));
      }
      if (!machine.fabric().observed()) {
        return pc + 1;
      }
      TensorView view = frame.view(target);
      if (view.region() instanceof WindowSlice slice) {
        List<Long> shape = Arrays.stream(view.shape()).boxed().toList();
        var call =
            new CollectiveCall(
                machine.rank(),
                op,
                rail,
                collective.algorithm(),
                slice.info(),
                shape,
                view.dtype(),
                collective.root(),
                reduce,
                region.span());
        frame.refs[slot] = call;
        machine.fabric().events().collectiveEntered(call, machine.clock());
      }
      return pc + 1;
    };
  }

  /** Tells the observers that the rank left the collective in {@code slot}. */
  Instruction leave(int slot) {
    return (machine, frame, pc) -> {
      if (!machine.maySignal()) {
        return Instruction.YIELD;
      }
      if (frame.refs[slot] instanceof CollectiveCall call) {
        machine.device().settle();
        machine.fabric().events().collectiveLeft(call, machine.clock());
      }
      return pc + 1;
    };
  }

  private static int targetOperand(OpCode code) {
    return switch (code) {
      case ALLGATHER, ALL_TO_ALL, ALL_TO_ALL_V -> 1;
      default -> 0;
    };
  }

  private static String spelling(io.ringmaster.worker.ir.Attribute.ReduceOp op) {
    String name = op.name();
    return name.charAt(0) + name.substring(1).toLowerCase(Locale.ROOT);
  }
}
