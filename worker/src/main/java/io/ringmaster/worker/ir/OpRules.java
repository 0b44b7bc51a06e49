package io.ringmaster.worker.ir;

import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** What an operation needs: how many operands, of which kinds, and at which level. */
final class OpRules {

  private OpRules() {}

  /** Everything wrong with an operation in a function of that level, in words. */
  static List<String> problems(Expr.Op op, Function.Level level) {
    List<String> out = new ArrayList<>();
    String name = op.code().printedName();
    List<OpSyntax.Slot> slots = OpSyntax.slots(op.code());
    long needed = slots.stream().filter(slot -> !slot.optional()).count();
    int given = op.operands().size();
    if (given < needed || given > slots.size()) {
      out.add(name + " takes " + needed + " to " + slots.size() + " operands, got " + given);
      return out;
    }
    for (int i = 0; i < given; i++) {
      Type type = op.operands().get(i).type();
      Kind kind = kind(op.code(), slots.get(i).name());
      if (!kind.accepts().test(type)) {
        out.add(
            name + "'s " + slots.get(i).name() + " must be " + kind.words() + ", is " + show(type));
      }
    }
    if (!allowed(op.code(), level)) {
      out.add(name + " isn't allowed in a function of level " + level);
    }
    if (out.isEmpty()) {
      result(op).ifPresent(out::add);
    }
    return out;
  }

  private static Optional<String> result(Expr.Op op) {
    Optional<Type> expected =
        TypeRules.op(op.code(), op.operands(), op.attributes())
            .filter(type -> isExact(op.code()))
            .filter(type -> !sameValue(type, op.type()));
    return expected.map(
        type ->
            op.code().printedName()
                + " must yield "
                + show(type)
                + ", is typed "
                + show(op.type()));
  }

  /** Codes whose result type nobody may choose. */
  private static boolean isExact(OpCode code) {
    return switch (code) {
      case STORE,
          ASSEMBLE,
          WORLD_SIZE,
          RANK,
          NRANKS,
          GET_COMM_CTX,
          ALLOC_WINDOW,
          LOAD,
          REMOTE_LOAD ->
          true;
      default -> code.isCollective();
    };
  }

  /** The same kind, extents and element type; the valid box may differ. */
  static boolean sameValue(Type left, Type right) {
    if (left instanceof Type.Tensor a && right instanceof Type.Tensor b) {
      return Spans.sameType(whole(a), whole(b));
    }
    if (left instanceof Type.Tile a && right instanceof Type.Tile b) {
      return a.shape().equals(b.shape()) && a.dtype() == b.dtype() && a.memory() == b.memory();
    }
    if (left instanceof Type.Tuple a && right instanceof Type.Tuple b) {
      if (a.elements().size() != b.elements().size()) {
        return false;
      }
      for (int i = 0; i < a.elements().size(); i++) {
        if (!sameValue(a.elements().get(i), b.elements().get(i))) {
          return false;
        }
      }
      return true;
    }
    return Spans.sameType(left, right);
  }

  private static Type whole(Type.Tensor tensor) {
    return new Type.Tensor(tensor.shape(), tensor.dtype(), tensor.window());
  }

  /** A family of types, with words for a message. */
  private record Kind(String words, Predicate<Type> accepts) {}

  private static final Kind TENSOR = new Kind("a tensor", t -> t instanceof Type.Tensor);
  private static final Kind WINDOW =
      new Kind("a window", t -> t instanceof Type.Tensor tensor && tensor.window());
  private static final Kind TILE = new Kind("a tile", t -> t instanceof Type.Tile);
  private static final Kind DATA =
      new Kind("a tensor or tile", t -> t instanceof Type.Tensor || t instanceof Type.Tile);
  private static final Kind TERM =
      new Kind(
          "a tensor, tile or scalar",
          t -> t instanceof Type.Tensor || t instanceof Type.Tile || t instanceof Type.Scalar);
  private static final Kind SCALAR = new Kind("a scalar", t -> t instanceof Type.Scalar);
  private static final Kind INTEGER =
      new Kind(
          "an integer scalar", t -> t instanceof Type.Scalar(DType dtype) && dtype.isInteger());
  private static final Kind INTEGERS =
      new Kind(
          "a tuple of integer scalars",
          t ->
              t instanceof Type.Tuple tuple
                  && tuple.elements().stream().allMatch(OpRules::integer));
  private static final Kind ARRAY = new Kind("an array", t -> t instanceof Type.Array);
  private static final Kind BUFFER = new Kind("a window buffer", t -> t instanceof Type.Buffer);
  private static final Kind CONTEXT =
      new Kind("a communication context", t -> t instanceof Type.Context);

  private static boolean integer(Type type) {
    return INTEGER.accepts().test(type);
  }

  private static Kind kind(OpCode code, String slot) {
    return switch (slot) {
      case "offsets", "shapes", "shape", "offset", "valid_shape", "dst_offsets", "src_offsets" ->
          INTEGERS;
      case "start", "peer", "value", "expected", "nbytes", "rows", "cols", "index" ->
          code == OpCode.WRITE || code == OpCode.ARRAY_SET ? SCALAR : INTEGER;
      case "array" -> ARRAY;
      case "buf" -> BUFFER;
      case "ctx" -> CONTEXT;
      case "window", "signal", "recv_counts" -> WINDOW;
      case "target" -> WINDOW;
      case "tile", "stage", "tmp_tile", "acc" -> code == OpCode.FILL_PAD ? DATA : tileSlot(code);
      case "tensor", "output_tensor", "source", "send_counts" -> TENSOR;
      case "dst" ->
          switch (code) {
            case PUT -> WINDOW;
            case GET -> TENSOR;
            default -> DATA;
          };
      case "src" ->
          switch (code) {
            case GET -> WINDOW;
            case PUT -> TENSOR;
            case REMOTE_STORE -> TILE;
            default -> DATA;
          };
      case "lhs", "mask", "on_true", "on_false", "indices", "src1", "src2", "src3" -> DATA;
      case "rhs" -> TERM;
      default -> throw new IllegalStateException("no rule for operand " + slot + " of " + code);
    };
  }

  /** Reductions and narrowing exist on tensors too; what moves data needs the tile. */
  private static Kind tileSlot(OpCode code) {
    return switch (code) {
      case STORE, MOVE, PUT, GET -> TILE;
      default -> DATA;
    };
  }

  private static boolean allowed(OpCode code, Function.Level level) {
    return switch (code) {
      case ALLOC_WINDOW, WINDOW, WORLD_SIZE -> level == Function.Level.HOST;
      case NOTIFY,
          WAIT,
          DEFER_WAIT,
          REMOTE_LOAD,
          REMOTE_STORE,
          PUT,
          GET,
          LOAD,
          STORE,
          RANK,
          NRANKS ->
          level == Function.Level.INCORE;
      default -> true;
    };
  }

  static String show(Type type) {
    return IrPrinter.print(type);
  }
}
