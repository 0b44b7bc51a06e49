package io.ringmaster.worker.ir;

import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Expressions and types as text. Whatever the reader can infer is left out; whatever it would infer
 * differently is wrapped: {@code pl.as_type(expr, T)}. Expects IR without positions.
 */
final class ExprPrinter {

  private static final int ATOM = 9;

  private final Map<String, Function> callees;
  private final Names names;
  private final boolean typed;
  private final Map<String, Type> known = new HashMap<>();

  /**
   * @param typed false for text that only people read: nothing is wrapped
   */
  ExprPrinter(Map<String, Function> callees, Names names, boolean typed) {
    this.callees = callees;
    this.names = names;
    this.typed = typed;
  }

  /** Types of the variables assigned so far, as the reader will know them. */
  Map<String, Type> known() {
    return known;
  }

  String print(Expr expr) {
    return print(expr, DType.INDEX, 0);
  }

  /** An expression whose own type the text states elsewhere: operands count, the type doesn't. */
  String printUntyped(Expr expr) {
    return bare(expr, DType.INDEX).text();
  }

  /** The type that the reader will give to the printed expression; empty when it can't. */
  Optional<Type> inferred(Expr expr) {
    return switch (expr) {
      case Expr.Var e -> Optional.ofNullable(known.get(e.name()));
      case Expr.Binary e -> TypeRules.binary(e.op(), e.left().type(), e.right().type());
      case Expr.Unary e -> TypeRules.unary(e.op(), e.operand().type());
      case Expr.Op e when OpSyntax.printsShape(e.code()) ->
          e.type() instanceof Type.Tile t
              ? TypeRules.created(t.shape(), e.attributes())
              : Optional.empty();
      case Expr.Op e -> TypeRules.op(e.code(), e.operands(), e.attributes());
      case Expr.Call e -> Optional.ofNullable(callees.get(e.function())).map(TypeRules::call);
      case Expr.IntConst _,
          Expr.FloatConst _,
          Expr.BoolConst _,
          Expr.Dim _,
          Expr.Convert _,
          Expr.TupleExpr _ ->
          Optional.of(expr.type());
    };
  }

  private String print(Expr expr, DType literal, int context) {
    if (typed && inferred(expr).filter(expr.type()::equals).isEmpty()) {
      return "pl.as_type(" + bare(expr, DType.INDEX).text() + ", " + type(expr.type()) + ")";
    }
    Piece piece = bare(expr, literal);
    return piece.precedence() < context ? "(" + piece.text() + ")" : piece.text();
  }

  /** Text with how tightly it binds. */
  private record Piece(String text, int precedence) {}

  private Piece bare(Expr expr, DType literal) {
    return switch (expr) {
      case Expr.IntConst e -> integer(e, literal);
      case Expr.FloatConst e -> {
        String value = number(e.value());
        yield e.dtype() == DType.FP32
            ? new Piece(value, value.startsWith("-") ? 8 : ATOM)
            : atom("pl.const(" + value + ", " + dtype(e.dtype()) + ")");
      }
      case Expr.BoolConst e -> atom(e.value() ? "True" : "False");
      case Expr.Var e -> atom(e.name());
      case Expr.Dim e ->
          atom(names.isBare(e.name()) ? e.name() : "pl.dynamic(" + quote(e.name()) + ")");
      case Expr.Binary e -> binary(e);
      case Expr.Unary e -> unary(e);
      case Expr.Convert e -> atom("pl.cast(" + print(e.operand()) + ", " + dtype(e.dtype()) + ")");
      case Expr.TupleExpr e -> atom("[" + list(e.elements()) + "]");
      case Expr.Op e -> atom(subscript(e).orElseGet(() -> op(e)));
      case Expr.Call e -> {
        List<String> parts = new ArrayList<>(e.arguments().stream().map(this::print).toList());
        e.device().ifPresent(device -> parts.add("device=" + print(device)));
        yield atom("self." + e.function() + "(" + String.join(", ", parts) + ")");
      }
    };
  }

  private static Piece integer(Expr.IntConst e, DType literal) {
    return e.dtype() == literal
        ? new Piece(Long.toString(e.value()), e.value() < 0 ? 8 : ATOM)
        : atom("pl.const(" + e.value() + ", " + dtype(e.dtype()) + ")");
  }

  private Piece binary(Expr.Binary e) {
    int own =
        switch (e.op()) {
          case OR -> 1;
          case AND -> 2;
          case EQ, NE, LT, LE, GT, GE -> 4;
          case SHIFT_LEFT, SHIFT_RIGHT -> 5;
          case ADD, SUB -> 6;
          case MUL, DIV, FLOOR_DIV, MOD -> 7;
          case MIN, MAX -> ATOM;
        };
    if (own == ATOM) {
      return atom(e.op().spelling() + "(" + print(e.left()) + ", " + print(e.right()) + ")");
    }
    // A comparison on either side needs brackets: Python would read a chain.
    String left = print(e.left(), DType.INDEX, own == 4 ? 5 : own);
    String right = print(e.right(), DType.INDEX, own + 1);
    return new Piece(left + " " + e.op().spelling() + " " + right, own);
  }

  private Piece unary(Expr.Unary e) {
    String spelling = e.op().spelling();
    if (e.op() == Expr.UnaryOp.NOT) {
      return new Piece("not " + print(e.operand(), DType.INDEX, 3), 3);
    }
    // A bare literal after the minus would be read as one negative number.
    boolean number = e.operand() instanceof Expr.IntConst || e.operand() instanceof Expr.FloatConst;
    String operand = number ? explicit(e.operand()) : print(e.operand(), DType.INDEX, 8);
    return new Piece(spelling + operand, 8);
  }

  private static String explicit(Expr literal) {
    String value =
        literal instanceof Expr.IntConst i
            ? Long.toString(i.value())
            : number(((Expr.FloatConst) literal).value());
    DType dtype =
        literal instanceof Expr.IntConst i ? i.dtype() : ((Expr.FloatConst) literal).dtype();
    return "pl.const(" + value + ", " + dtype(dtype) + ")";
  }

  private String op(Expr.Op e) {
    List<OpSyntax.Slot> slots = OpSyntax.slots(e.code());
    List<String> parts = new ArrayList<>();
    if (OpSyntax.printsShape(e.code()) && e.type() instanceof Type.Tile t) {
      parts.add(t.shape().toString());
    }
    for (int i = 0; i < e.operands().size(); i++) {
      if (i < slots.size()) {
        OpSyntax.Slot slot = slots.get(i);
        parts.add(
            (slot.named() ? slot.name() + "=" : "")
                + print(e.operands().get(i), slot.literal(), 0));
      } else {
        throw new IllegalArgumentException(
            e.code() + " has " + e.operands().size() + " operands; it takes " + slots.size());
      }
    }
    e.attributes().forEach((key, value) -> parts.add(key + "=" + attribute(e.code(), value)));
    boolean staged =
        (e.code() == OpCode.PUT || e.code() == OpCode.GET) && e.operands().size() == slots.size();
    return (staged ? OpSyntax.stagedName(e.code()) : e.code().printedName())
        + "("
        + String.join(", ", parts)
        + ")";
  }

  /** {@code x[r]}: a slice that fixes leading axes and keeps the others whole. */
  private Optional<String> subscript(Expr.Op e) {
    if (e.code() != OpCode.SLICE
        || e.operands().size() != 3
        || !(e.operands().get(2) instanceof Expr.TupleExpr offsets)
        || !(e.attributes().get("drop_mask") instanceof Attribute.Int mask)) {
      return Optional.empty();
    }
    int fixed = Long.numberOfTrailingZeros(~mask.value());
    if (fixed == 0 || fixed > offsets.elements().size()) {
      return Optional.empty();
    }
    Expr source = e.operands().getFirst();
    List<Expr> indices = offsets.elements().subList(0, fixed);
    return rows(source, indices, Span.NONE)
        .filter(e::equals)
        .map(_ -> print(source, DType.INDEX, ATOM) + "[" + list(indices) + "]");
  }

  /** The slice that {@code source[indices]} stands for; empty unless source is a tensor. */
  static Optional<Expr> rows(Expr source, List<Expr> indices, Span span) {
    if (!(source.type() instanceof Type.Tensor t) || indices.size() > t.shape().size()) {
      return Optional.empty();
    }
    List<Expr> shape = new ArrayList<>(t.shape());
    List<Expr> offsets = new ArrayList<>();
    for (int axis = 0; axis < shape.size(); axis++) {
      if (axis < indices.size()) {
        shape.set(axis, new Expr.IntConst(1, DType.INDEX, span));
        offsets.add(indices.get(axis));
      } else {
        offsets.add(new Expr.IntConst(0, DType.INDEX, span));
      }
    }
    List<Expr> operands =
        List.of(source, new Expr.TupleExpr(shape, span), new Expr.TupleExpr(offsets, span));
    Map<String, Attribute> attributes =
        Map.of("drop_mask", new Attribute.Int((1L << indices.size()) - 1));
    return TypeRules.op(OpCode.SLICE, operands, attributes)
        .map(type -> Expr.Op.of(OpCode.SLICE, operands, attributes, type, span));
  }

  static String attribute(OpCode code, Attribute attribute) {
    return switch (attribute) {
      case Attribute.Int a -> Long.toString(a.value());
      case Attribute.Float a -> number(a.value());
      case Attribute.Bool a -> a.value() ? "True" : "False";
      case Attribute.Text a -> quote(a.value());
      case Attribute.Dtype a -> dtype(a.value());
      case Attribute.Memory a -> "pl.MemorySpace." + a.value().spelling();
      case Attribute.Notify a ->
          switch (a.value()) {
            case SET -> "pld.NotifyOp.Set";
            case ATOMIC_ADD -> "pld.NotifyOp.AtomicAdd";
          };
      case Attribute.Compare a ->
          switch (a.value()) {
            case EQ -> "pld.WaitCmp.Eq";
            case GE -> "pld.WaitCmp.Ge";
          };
      case Attribute.Atomic a ->
          (code.printedName().startsWith("pl.") ? "pl" : "pld")
              + ".AtomicType."
              + (a.add() ? "Add" : "None_");
      case Attribute.Reduce a -> reduce(a.value());
    };
  }

  static String reduce(Attribute.ReduceOp op) {
    return switch (op) {
      case SUM -> "pld.ReduceOp.Sum";
      case MAX -> "pld.ReduceOp.Max";
      case MIN -> "pld.ReduceOp.Min";
      case PROD -> "pld.ReduceOp.Prod";
    };
  }

  String type(Type type) {
    return switch (type) {
      case Type.None _ -> "None";
      case Type.Scalar t -> "pl.Scalar[" + dtype(t.dtype()) + "]";
      case Type.Tensor t ->
          (t.window() ? "pld.DistributedTensor[[" : "pl.Tensor[[")
              + list(t.shape())
              + "], "
              + dtype(t.dtype())
              + (t.valid().isEmpty() ? "]" : ", [" + list(t.valid()) + "]]");
      case Type.Tile t -> {
        String text = "pl.Tile[" + t.shape() + ", " + dtype(t.dtype());
        if (t.memory() != Type.MemorySpace.VEC || !t.valid().isEmpty()) {
          text += ", pl.MemorySpace." + t.memory().spelling();
        }
        yield text + (t.valid().isEmpty() ? "]" : ", [" + list(t.valid()) + "]]");
      }
      case Type.Array t -> "pl.Array[" + t.extent() + ", " + dtype(t.dtype()) + "]";
      case Type.Buffer _ -> "pld.Buffer";
      case Type.Context _ -> "pld.CommCtx";
      case Type.Tuple t -> tuple(t.elements());
    };
  }

  String tuple(List<Type> elements) {
    return switch (elements.size()) {
      case 0 -> "tuple[()]";
      case 1 -> "tuple[" + type(elements.getFirst()) + ",]";
      default ->
          "tuple[" + elements.stream().map(this::type).collect(Collectors.joining(", ")) + "]";
    };
  }

  String list(List<Expr> elements) {
    return elements.stream().map(this::print).collect(Collectors.joining(", "));
  }

  static String dtype(DType dtype) {
    return "pl." + dtype.name();
  }

  static String number(double value) {
    if (Double.isNaN(value)) {
      return "pl.nan";
    }
    return Double.isInfinite(value) ? (value < 0 ? "-pl.inf" : "pl.inf") : Double.toString(value);
  }

  static String quote(String text) {
    StringBuilder out = new StringBuilder("\"");
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                  if (c < 32 || Character.isSurrogate((char) c)) {
                    out.append(String.format("\\u%04x", c));
                  } else {
                    out.appendCodePoint(c);
                  }
                }
              }
            });
    return out.append('"').toString();
  }

  private static Piece atom(String text) {
    return new Piece(text, ATOM);
  }
}
