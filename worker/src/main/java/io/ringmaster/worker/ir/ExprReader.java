package io.ringmaster.worker.ir;

import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Reads expressions and types of the text form; the counterpart of {@link ExprPrinter}. */
final class ExprReader {

  private final Map<String, Function> callees;
  private final Set<String> dims;
  private final Map<String, Type> known = new HashMap<>();

  ExprReader(Map<String, Function> callees, Set<String> dims) {
    this.callees = callees;
    this.dims = dims;
  }

  /** Types of the variables assigned so far, in textual order. */
  Map<String, Type> known() {
    return known;
  }

  Expr read(io.ringmaster.worker.source.Expr expr) {
    return read(expr, DType.INDEX);
  }

  List<Expr> readAll(List<io.ringmaster.worker.source.Expr> list) {
    return list.stream().map(this::read).toList();
  }

  /** Reads an expression whose type is stated; the statement overrides inference. */
  Expr readAs(io.ringmaster.worker.source.Expr expr, Type type) {
    if (expr instanceof io.ringmaster.worker.source.Expr.Name name
        && (known.containsKey(name.id()) || !dims.contains(name.id()))) {
      return new Expr.Var(name.id(), type, name.span());
    }
    return retyped(readLoosely(expr), type);
  }

  private static Expr retyped(Loose loose, Type type) {
    return switch (loose.expr()) {
      case Expr.Binary e -> new Expr.Binary(e.op(), e.left(), e.right(), type, e.span());
      case Expr.Unary e -> new Expr.Unary(e.op(), e.operand(), type, e.span());
      case Expr.Op e -> e.typed(type);
      case Expr.Call e -> new Expr.Call(e.function(), e.arguments(), e.device(), type, e.span());
      case Expr.Var e -> new Expr.Var(e.name(), type, e.span());
      case Expr.IntConst _,
          Expr.FloatConst _,
          Expr.BoolConst _,
          Expr.Dim _,
          Expr.Convert _,
          Expr.TupleExpr _ ->
          loose.expr();
    };
  }

  /** An expression, and whether its type followed from its parts. */
  private record Loose(Expr expr, boolean typed) {}

  private Expr read(io.ringmaster.worker.source.Expr expr, DType literal) {
    Optional<Long> integer = TextReader.integer(expr);
    if (integer.isPresent()) {
      return new Expr.IntConst(integer.get(), literal, expr.span());
    }
    Loose loose = readLoosely(expr);
    if (!loose.typed()) {
      throw TextError.at(
          expr.span(),
          "the type of this doesn't follow from its parts; state it: pl.as_type(x, T)");
    }
    return loose.expr();
  }

  private Loose readLoosely(io.ringmaster.worker.source.Expr expr) {
    Span span = expr.span();
    Optional<Long> integer = TextReader.integer(expr);
    if (integer.isPresent()) {
      return typed(new Expr.IntConst(integer.get(), DType.INDEX, span));
    }
    Optional<Double> floating = TextReader.floating(expr);
    if (floating.isPresent()) {
      return typed(new Expr.FloatConst(floating.get(), DType.FP32, span));
    }
    return switch (expr) {
      case io.ringmaster.worker.source.Expr.BoolLiteral e ->
          typed(new Expr.BoolConst(e.value(), span));
      case io.ringmaster.worker.source.Expr.Name e -> typed(name(e));
      case io.ringmaster.worker.source.Expr.ListDisplay e ->
          typed(new Expr.TupleExpr(readAll(e.elements()), span));
      case io.ringmaster.worker.source.Expr.TupleDisplay e ->
          typed(new Expr.TupleExpr(readAll(e.elements()), span));
      case io.ringmaster.worker.source.Expr.Binary e ->
          binary(binaryOp(e.operator(), span), read(e.left()), read(e.right()), span);
      case io.ringmaster.worker.source.Expr.Comparison e when e.operators().size() == 1 ->
          binary(compareOp(e, span), read(e.first()), read(e.rest().getFirst()), span);
      case io.ringmaster.worker.source.Expr.BoolOperation e -> {
        Expr left = read(e.operands().getFirst());
        Expr.BinaryOp op = e.isAnd() ? Expr.BinaryOp.AND : Expr.BinaryOp.OR;
        for (var right : e.operands().subList(1, e.operands().size())) {
          left = binary(op, left, read(right), span).expr();
        }
        yield typed(left);
      }
      case io.ringmaster.worker.source.Expr.Unary e -> {
        Expr.UnaryOp op =
            switch (e.operator()) {
              case NEGATE -> Expr.UnaryOp.NEGATE;
              case NOT -> Expr.UnaryOp.NOT;
              case INVERT -> Expr.UnaryOp.INVERT;
              case PLUS -> throw TextError.at(span, "unary + has no place in the IR");
            };
        Expr operand = read(e.operand());
        Optional<Type> type = TypeRules.unary(op, operand.type());
        yield new Loose(
            new Expr.Unary(op, operand, type.orElse(new Type.None()), span), type.isPresent());
      }
      case io.ringmaster.worker.source.Expr.Subscript e -> {
        Expr source = read(e.value());
        List<Expr> indices = readAll(TextReader.elements(e.index()));
        yield typed(
            ExprPrinter.rows(source, indices, span)
                .orElseThrow(() -> TextError.at(span, "only tensors have rows")));
      }
      case io.ringmaster.worker.source.Expr.Call e -> call(e);
      default -> throw TextError.at(span, "no IR expression is written like this");
    };
  }

  private Expr name(io.ringmaster.worker.source.Expr.Name name) {
    Type type = known.get(name.id());
    if (type != null) {
      return new Expr.Var(name.id(), type, name.span());
    }
    if (dims.contains(name.id())) {
      return new Expr.Dim(name.id(), name.span());
    }
    throw TextError.at(
        name.span(), "'" + name.id() + "' is neither a variable nor a dynamic dimension here");
  }

  private static Loose binary(Expr.BinaryOp op, Expr left, Expr right, Span span) {
    Optional<Type> type = TypeRules.binary(op, left.type(), right.type());
    return new Loose(
        new Expr.Binary(op, left, right, type.orElse(new Type.None()), span), type.isPresent());
  }

  private static Expr.BinaryOp binaryOp(
      io.ringmaster.worker.source.Expr.BinaryOperator operator, Span span) {
    return switch (operator) {
      case ADD -> Expr.BinaryOp.ADD;
      case SUBTRACT -> Expr.BinaryOp.SUB;
      case MULTIPLY -> Expr.BinaryOp.MUL;
      case DIVIDE -> Expr.BinaryOp.DIV;
      case FLOOR_DIVIDE -> Expr.BinaryOp.FLOOR_DIV;
      case MODULO -> Expr.BinaryOp.MOD;
      case SHIFT_LEFT -> Expr.BinaryOp.SHIFT_LEFT;
      case SHIFT_RIGHT -> Expr.BinaryOp.SHIFT_RIGHT;
      case POWER, MATRIX_MULTIPLY, BIT_AND, BIT_OR, BIT_XOR ->
          throw TextError.at(span, "operator " + operator.spelling() + " has no place in the IR");
    };
  }

  private static Expr.BinaryOp compareOp(io.ringmaster.worker.source.Expr.Comparison e, Span span) {
    return switch (e.operators().getFirst()) {
      case EQ -> Expr.BinaryOp.EQ;
      case NE -> Expr.BinaryOp.NE;
      case LT -> Expr.BinaryOp.LT;
      case LE -> Expr.BinaryOp.LE;
      case GT -> Expr.BinaryOp.GT;
      case GE -> Expr.BinaryOp.GE;
      case IS, IS_NOT, IN, NOT_IN ->
          throw TextError.at(span, "only == != < <= > >= compare in the IR");
    };
  }

  private Loose call(io.ringmaster.worker.source.Expr.Call call) {
    Span span = call.span();
    String name =
        TextReader.dotted(call.function())
            .orElseThrow(() -> TextError.at(span, "expected an operation's name"));
    List<io.ringmaster.worker.source.Expr> args = call.arguments();
    switch (name) {
      case "pl.as_type" -> {
        return typed(readAs(args.getFirst(), type(args.get(1))));
      }
      case "pl.const" -> {
        return typed(constant(args.get(0), TextReader.dtype(args.get(1))));
      }
      case "pl.dynamic" -> {
        return typed(new Expr.Dim(TextReader.text(args.getFirst()), span));
      }
      case "pl.min", "pl.max" -> {
        Expr.BinaryOp op = name.equals("pl.min") ? Expr.BinaryOp.MIN : Expr.BinaryOp.MAX;
        return binary(op, read(args.get(0)), read(args.get(1)), span);
      }
      case "pl.cast" -> {
        if (args.size() == 2) {
          return typed(new Expr.Convert(read(args.get(0)), TextReader.dtype(args.get(1)), span));
        }
      }
      default -> {}
    }
    if (name.startsWith("self.")) {
      return functionCall(name.substring("self.".length()), call);
    }
    OpCode code =
        OpSyntax.code(name).orElseThrow(() -> TextError.at(span, "no operation is named " + name));
    return operation(code, call);
  }

  private static Expr constant(io.ringmaster.worker.source.Expr literal, DType dtype) {
    Optional<Long> integer = TextReader.integer(literal);
    if (integer.isPresent()) {
      return new Expr.IntConst(integer.get(), dtype, literal.span());
    }
    return TextReader.floating(literal)
        .map(value -> new Expr.FloatConst(value, dtype, literal.span()))
        .orElseThrow(() -> TextError.at(literal.span(), "pl.const takes a literal and a dtype"));
  }

  private Loose functionCall(String function, io.ringmaster.worker.source.Expr.Call call) {
    Optional<Expr> device = Optional.empty();
    for (var keyword : call.keywords()) {
      if (!keyword.name().equals(Optional.of("device"))) {
        throw TextError.at(keyword.span(), "a call takes no keyword but device=");
      }
      device = Optional.of(read(keyword.value()));
    }
    Function callee = callees.get(function);
    Type type = callee == null ? new Type.None() : TypeRules.call(callee);
    return new Loose(
        new Expr.Call(function, readAll(call.arguments()), device, type, call.span()),
        callee != null);
  }

  private Loose operation(OpCode code, io.ringmaster.worker.source.Expr.Call call) {
    Span span = call.span();
    List<OpSyntax.Slot> slots = OpSyntax.slots(code);
    List<io.ringmaster.worker.source.Expr> args = new ArrayList<>(call.arguments());
    List<Long> shape = List.of();
    if (OpSyntax.printsShape(code)) {
      if (args.isEmpty()) {
        throw TextError.at(span, code.printedName() + " takes a shape");
      }
      shape =
          TextReader.elements(args.removeFirst()).stream().map(TextReader::exactInteger).toList();
    }
    Map<String, io.ringmaster.worker.source.Expr> given = new TreeMap<>();
    for (int i = 0; i < args.size(); i++) {
      if (i >= slots.size()) {
        throw TextError.at(span, code.printedName() + " takes " + slots.size() + " operands");
      }
      given.put(slots.get(i).name(), args.get(i));
    }
    Map<String, Attribute> attributes = new TreeMap<>();
    for (var keyword : call.keywords()) {
      String key = keyword.name().orElse("");
      if (slots.stream().anyMatch(slot -> slot.name().equals(key))) {
        given.put(key, keyword.value());
      } else {
        attributes.put(key, TextReader.attribute(keyword.value()));
      }
    }
    List<Expr> operands = new ArrayList<>();
    for (OpSyntax.Slot slot : slots) {
      var value = given.get(slot.name());
      if (value != null) {
        operands.add(read(value, slot.literal()));
      } else if (!slot.optional()) {
        throw TextError.at(span, code.printedName() + " needs " + slot.name());
      }
    }
    Optional<Type> type =
        OpSyntax.printsShape(code)
            ? TypeRules.created(shape, attributes)
            : TypeRules.op(code, operands, attributes);
    Type unknown =
        OpSyntax.printsShape(code)
            ? new Type.Tile(shape, DType.FP32, Type.MemorySpace.VEC, List.of())
            : new Type.None();
    return new Loose(
        Expr.Op.of(code, operands, attributes, type.orElse(unknown), span), type.isPresent());
  }

  private static Loose typed(Expr expr) {
    return new Loose(expr, true);
  }

  /** An annotation. */
  Type type(io.ringmaster.worker.source.Expr expr) {
    if (expr instanceof io.ringmaster.worker.source.Expr.NoneLiteral) {
      return new Type.None();
    }
    if (!(expr instanceof io.ringmaster.worker.source.Expr.Subscript subscript)) {
      return switch (TextReader.dotted(expr).orElse("")) {
        case "pld.CommCtx" -> new Type.Context();
        case "pld.Buffer" -> new Type.Buffer();
        default -> throw TextError.at(expr.span(), "expected a type");
      };
    }
    List<io.ringmaster.worker.source.Expr> parts =
        subscript.index() instanceof io.ringmaster.worker.source.Expr.TupleDisplay tuple
            ? tuple.elements()
            : List.of(subscript.index());
    return switch (TextReader.dotted(subscript.value()).orElse("")) {
      case "pl.Scalar" -> new Type.Scalar(TextReader.dtype(parts.getFirst()));
      case "pl.Tensor" -> tensor(parts, false);
      case "pld.DistributedTensor" -> tensor(parts, true);
      case "pl.Tile" ->
          new Type.Tile(
              longs(parts.getFirst()),
              TextReader.dtype(parts.get(1)),
              parts.size() > 2 ? TextReader.memory(parts.get(2)) : Type.MemorySpace.VEC,
              parts.size() > 3 ? readAll(TextReader.elements(parts.get(3))) : List.of());
      case "pl.Array" ->
          new Type.Array(TextReader.exactInteger(parts.getFirst()), TextReader.dtype(parts.get(1)));
      case "tuple" -> new Type.Tuple(parts.stream().map(this::type).toList());
      default -> throw TextError.at(expr.span(), "expected a type");
    };
  }

  private Type tensor(List<io.ringmaster.worker.source.Expr> parts, boolean window) {
    return new Type.Tensor(
        readAll(TextReader.elements(parts.getFirst())),
        TextReader.dtype(parts.get(1)),
        window,
        parts.size() > 2 ? readAll(TextReader.elements(parts.get(2))) : List.of());
  }

  private static List<Long> longs(io.ringmaster.worker.source.Expr list) {
    return TextReader.elements(list).stream().map(TextReader::exactInteger).toList();
  }
}
