package io.ringmaster.worker.ir;

import io.ringmaster.worker.tensor.DType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How each operation's operands are spelled in the text form. */
public final class OpSyntax {

  private static final Map<String, OpCode> BY_NAME = new HashMap<>();

  static {
    for (OpCode code : OpCode.values()) {
      BY_NAME.put(code.printedName(), code);
    }
    // A transfer with its staging tile is spelled as the tile-level form that it then is.
    BY_NAME.put(stagedName(OpCode.PUT), OpCode.PUT);
    BY_NAME.put(stagedName(OpCode.GET), OpCode.GET);
  }

  private OpSyntax() {}

  /**
   * One operand.
   *
   * @param named printed as {@code name=value} rather than by position
   * @param literal dtype of a bare integer literal in this place
   * @param optional only trailing operands are
   */
  public record Slot(String name, boolean named, DType literal, boolean optional) {}

  public static Optional<OpCode> code(String printedName) {
    return Optional.ofNullable(BY_NAME.get(printedName));
  }

  static String stagedName(OpCode code) {
    return code.printedName().replace("pld.tensor.", "pld.tile.");
  }

  /** True when the shape stands only in the type and is printed as the first argument. */
  static boolean printsShape(OpCode code) {
    return code == OpCode.CREATE_TILE || code == OpCode.FULL_TILE;
  }

  /** Operands of an operation in order. */
  public static List<Slot> slots(OpCode code) {
    return switch (code) {
      case LOAD -> List.of(at("tensor"), at("offsets"), at("shapes"), maybe("valid_shape"));
      case STORE -> List.of(at("tile"), at("offsets"), at("output_tensor"));
      case READ -> List.of(at("src"), at("offset"));
      case WRITE -> List.of(at("dst"), at("offset"), at("value"));
      case CREATE_TILE, FULL_TILE, ARRAY_CREATE, WORLD_SIZE -> List.of();
      case CREATE_TENSOR, FULL_TENSOR -> List.of(at("shape"));
      case MOVE, FILL_PAD -> List.of(at("tile"));
      case SLICE -> List.of(at("src"), at("shape"), at("offset"), maybe("valid_shape"));
      case ASSEMBLE -> List.of(at("dst"), at("src"), at("offset"));
      case RESHAPE -> List.of(at("src"), at("shape"));
      case SET_VALID_SHAPE -> List.of(at("tile"), at("rows"), at("cols"));
      case DIM -> List.of(at("tensor"));
      case ARRAY_GET -> List.of(at("array"), at("index"));
      case ARRAY_SET -> List.of(at("array"), at("index"), at("value"));
      case ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, MATMUL -> List.of(at("lhs"), at("rhs"));
      case EXP, LOG, SQRT, RSQRT, NEG, ABS, RECIP, SIN, COS, CAST -> List.of(at("src"));
      case ROW_SUM, ROW_MAX, ROW_MIN, ROW_PROD, COL_SUM, COL_MAX, COL_MIN, COL_PROD ->
          List.of(at("tile"), new Slot("tmp_tile", false, DType.INDEX, true));
      case CMP -> List.of(at("lhs"), at("rhs"));
      case SEL -> List.of(at("mask"), at("on_true"), at("on_false"));
      case ARANGE, ARANGE_TILE -> List.of(at("start"), at("shape"));
      case SORT32, GATHER -> List.of(at("src"), at("indices"));
      case MRGSORT -> List.of(at("src"), row("src1"), row("src2"), row("src3"));
      case GATHER_MASK, TRANSPOSE -> List.of(at("src"));
      case SCATTER -> List.of(at("dst"), at("src"), at("indices"));
      case MATMUL_ACC -> List.of(at("acc"), at("lhs"), at("rhs"));
      case ALLOC_WINDOW -> List.of(at("nbytes"));
      case WINDOW -> List.of(at("buf"), at("shape"));
      case GET_COMM_CTX -> List.of(at("window"));
      case RANK, NRANKS -> List.of(at("ctx"));
      case NOTIFY -> List.of(at("target"), int32("peer"), named("offsets"), int32("value"));
      case WAIT, DEFER_WAIT -> List.of(at("signal"), named("offsets"), int32("expected"));
      case REMOTE_LOAD ->
          List.of(
              at("target"), int32("peer"), named("offsets"), named("shape"), maybe("valid_shape"));
      case REMOTE_STORE -> List.of(at("src"), at("target"), int32("peer"), named("offsets"));
      case PUT, GET ->
          List.of(
              at("dst"),
              int32("peer"),
              named("src"),
              named("dst_offsets"),
              named("src_offsets"),
              named("shape"),
              maybe("stage"));
      case BARRIER -> List.of(at("signal"));
      case BROADCAST, REDUCE_SCATTER -> List.of(at("target"), at("signal"));
      case ALLREDUCE -> List.of(at("target"), new Slot("signal", false, DType.INDEX, true));
      case ALLGATHER, ALL_TO_ALL -> List.of(at("source"), at("target"), at("signal"));
      case ALL_TO_ALL_V ->
          List.of(at("source"), at("target"), at("signal"), at("send_counts"), at("recv_counts"));
    };
  }

  private static Slot at(String name) {
    return new Slot(name, false, DType.INDEX, false);
  }

  private static Slot row(String name) {
    return new Slot(name, false, DType.INDEX, true);
  }

  private static Slot named(String name) {
    return new Slot(name, true, DType.INDEX, false);
  }

  private static Slot int32(String name) {
    return new Slot(name, true, DType.INT32, false);
  }

  private static Slot maybe(String name) {
    return new Slot(name, true, DType.INDEX, true);
  }
}
