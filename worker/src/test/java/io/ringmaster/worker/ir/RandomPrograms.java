package io.ringmaster.worker.ir;

import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** Programs that are printable but otherwise as odd as can be: types needn't fit, names clash. */
final class RandomPrograms {

  private static final String[] NAMES = {"a", "b", "acc", "x1", "NR", "peer", "été", "a__b_tmp_v0"};
  private static final String[] DIMS = {"NR", "M", "odd name", "K_2"};

  private final Random random;
  private int loops;

  RandomPrograms(long source) {
    this.random = new Random(source);
  }

  Program program() {
    List<Function> functions = new ArrayList<>();
    int count = random.nextInt(3);
    for (int i = 0; i < count; i++) {
      functions.add(function("f" + i));
    }
    List<Program.Domain> domains = new ArrayList<>();
    for (int i = 0; i < random.nextInt(3); i++) {
      domains.add(
          new Program.Domain(
              random.nextBoolean() ? "comm_d" + i : "named" + i,
              random.nextBoolean() ? List.of() : List.of(0, 2),
              List.of("a_buf", "b_buf").subList(0, random.nextInt(3))));
    }
    return new Program("Random", functions, domains);
  }

  private Function function(String name) {
    List<Function.Param> params = new ArrayList<>();
    Map<String, Integer> used = new HashMap<>();
    for (int i = 0; i < random.nextInt(3); i++) {
      String param = pick(NAMES);
      if (used.putIfAbsent(param, i) == null) {
        params.add(
            new Function.Param(param, type(2), pick(Function.Direction.values()), Span.NONE));
      }
    }
    List<Type> returns = new ArrayList<>();
    for (int i = 0; i < random.nextInt(3); i++) {
      returns.add(type(1));
    }
    return new Function(name, pick(Function.Level.values()), params, returns, body(3), Span.NONE);
  }

  private List<Stmt> body(int depth) {
    List<Stmt> out = new ArrayList<>();
    for (int i = 0; i < random.nextInt(4); i++) {
      out.add(stmt(depth));
    }
    return out;
  }

  private List<Stmt> loop(int depth) {
    loops++;
    List<Stmt> out = body(depth);
    loops--;
    return out;
  }

  private Stmt stmt(int depth) {
    int kind = random.nextInt(depth > 0 ? 11 : 6);
    return switch (kind) {
      case 0, 1 -> {
        Expr value = random.nextBoolean() ? op(2) : expr(3);
        yield new Stmt.Assign(
            new Expr.Var(pick(NAMES), random.nextInt(4) > 0 ? value.type() : type(1), Span.NONE),
            value,
            Span.NONE);
      }
      case 2 -> {
        List<Expr.Var> targets = List.of(variable(), variable()).subList(0, random.nextInt(2) + 1);
        yield new Stmt.AssignTuple(targets, call(), Span.NONE);
      }
      case 3 -> new Stmt.Eval(random.nextBoolean() ? op(2) : call(), Span.NONE);
      case 4 -> new Stmt.Return(exprs(random.nextInt(3), 2), Span.NONE);
      case 5 ->
          loops == 0
              ? new Stmt.Return(List.of(), Span.NONE)
              : random.nextBoolean() ? new Stmt.Break(Span.NONE) : new Stmt.Continue(Span.NONE);
      case 6, 7 ->
          new Stmt.For(
              new Expr.Var(
                  pick(NAMES),
                  new Type.Scalar(random.nextInt(3) > 0 ? DType.INDEX : DType.INT32),
                  Span.NONE),
              random.nextBoolean() ? index(0) : expr(1),
              expr(2),
              random.nextBoolean() ? index(1) : expr(1),
              pick(Stmt.LoopKind.values()),
              loop(depth - 1),
              Span.NONE);
      case 8 -> new Stmt.While(expr(2), loop(depth - 1), Span.NONE);
      case 9 -> new Stmt.If(expr(2), body(depth - 1), body(depth - 1), Span.NONE);
      default -> region(depth);
    };
  }

  private Stmt region(int depth) {
    List<OpCode> codes =
        java.util.Arrays.stream(OpCode.values()).filter(OpCode::isCollective).toList();
    OpCode code = codes.get(random.nextInt(codes.size()));
    int count = (int) OpSyntax.slots(code).stream().filter(slot -> !slot.optional()).count();
    return new Stmt.Region(
        new Stmt.Collective(
            code,
            pick(Stmt.Rail.values()),
            pick(new String[] {"mesh", "ring", "push", "a \"quoted\" one\n"}),
            exprs(count, 1),
            random.nextBoolean() ? Optional.of(random.nextLong(9)) : Optional.empty(),
            random.nextBoolean()
                ? Optional.of(pick(Attribute.ReduceOp.values()))
                : Optional.empty()),
        body(depth - 1),
        Span.NONE);
  }

  private Expr.Var variable() {
    return new Expr.Var(pick(NAMES), type(1), Span.NONE);
  }

  private Expr call() {
    return new Expr.Call(
        "f" + random.nextInt(3),
        exprs(random.nextInt(3), 1),
        random.nextBoolean() ? Optional.of(expr(1)) : Optional.empty(),
        random.nextBoolean() ? new Type.None() : type(2),
        Span.NONE);
  }

  private Expr op(int depth) {
    OpCode code = pick(OpCode.values());
    List<OpSyntax.Slot> slots = OpSyntax.slots(code);
    List<Expr> operands = new ArrayList<>();
    for (OpSyntax.Slot slot : slots) {
      if (slot.optional() && random.nextBoolean()) {
        break;
      }
      operands.add(
          slot.name().endsWith("offsets") || slot.name().startsWith("shape")
              ? new Expr.TupleExpr(exprs(2, 1), Span.NONE)
              : expr(depth));
    }
    Map<String, Attribute> attributes = new TreeMap<>();
    for (int i = 0; i < random.nextInt(3); i++) {
      attributes.put(pick(new String[] {"op", "dtype", "n", "mode", "drop_mask"}), attribute());
    }
    Type type =
        OpSyntax.printsShape(code)
            ? new Type.Tile(
                List.of(1L, 64L), pick(DType.values()), pick(Type.MemorySpace.values()), List.of())
            : TypeRules.op(code, operands, attributes)
                .filter(_ -> random.nextInt(3) > 0)
                .orElseGet(() -> type(1));
    return Expr.Op.of(code, operands, attributes, type, Span.NONE);
  }

  private Attribute attribute() {
    return switch (random.nextInt(10)) {
      case 0 -> new Attribute.Int(random.nextLong());
      case 1 ->
          new Attribute.Float(
              pick(new Double[] {0.5, -0.0, 1e300, Double.NEGATIVE_INFINITY, Double.NaN}));
      case 2 -> new Attribute.Bool(random.nextBoolean());
      case 3 -> new Attribute.Text(pick(new String[] {"", "mesh", "\"\\\t'", "ünï\u0001"}));
      case 4 -> new Attribute.Dtype(pick(DType.values()));
      case 5 -> new Attribute.Memory(pick(Type.MemorySpace.values()));
      case 6 -> new Attribute.Notify(pick(Attribute.NotifyOp.values()));
      case 7 -> new Attribute.Compare(pick(Attribute.WaitCmp.values()));
      case 8 -> new Attribute.Atomic(random.nextBoolean());
      default -> new Attribute.Reduce(pick(Attribute.ReduceOp.values()));
    };
  }

  private List<Expr> exprs(int count, int depth) {
    List<Expr> out = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      out.add(expr(depth));
    }
    return out;
  }

  private static Expr index(long value) {
    return new Expr.IntConst(value, DType.INDEX, Span.NONE);
  }

  private Expr expr(int depth) {
    int kind = random.nextInt(depth > 0 ? 10 : 5);
    return switch (kind) {
      case 0 ->
          new Expr.IntConst(
              pick(new Long[] {0L, 1L, -1L, 64L, Long.MIN_VALUE, Long.MAX_VALUE}),
              random.nextBoolean() ? DType.INDEX : pick(DType.values()),
              Span.NONE);
      case 1 ->
          new Expr.FloatConst(
              pick(new Double[] {0.0, -0.0, 1.5, -2e-30, Double.POSITIVE_INFINITY, Double.NaN}),
              random.nextBoolean() ? DType.FP32 : pick(DType.values()),
              Span.NONE);
      case 2 -> new Expr.BoolConst(random.nextBoolean(), Span.NONE);
      case 3 -> new Expr.Dim(pick(DIMS), Span.NONE);
      case 4 -> variable();
      case 5, 6 -> {
        Expr.BinaryOp op = pick(Expr.BinaryOp.values());
        Expr left = expr(depth - 1);
        Expr right = expr(depth - 1);
        Type type =
            TypeRules.binary(op, left.type(), right.type())
                .filter(_ -> random.nextInt(4) > 0)
                .orElseGet(() -> type(1));
        yield new Expr.Binary(op, left, right, type, Span.NONE);
      }
      case 7 -> {
        Expr.UnaryOp op = pick(Expr.UnaryOp.values());
        Expr operand = expr(depth - 1);
        Type type =
            TypeRules.unary(op, operand.type())
                .filter(_ -> random.nextInt(4) > 0)
                .orElseGet(() -> type(1));
        yield new Expr.Unary(op, operand, type, Span.NONE);
      }
      case 8 -> new Expr.Convert(expr(depth - 1), pick(DType.values()), Span.NONE);
      default -> new Expr.TupleExpr(exprs(random.nextInt(3), depth - 1), Span.NONE);
    };
  }

  private Type type(int depth) {
    return switch (random.nextInt(depth > 0 ? 8 : 6)) {
      case 0 -> new Type.None();
      case 1 -> new Type.Scalar(pick(DType.values()));
      case 2 ->
          new Type.Tensor(
              List.of(index(1), new Expr.Dim(pick(DIMS), Span.NONE)),
              pick(DType.values()),
              random.nextBoolean());
      case 3 -> new Type.Array(4, pick(DType.values()));
      case 4 -> new Type.Buffer();
      case 5 -> new Type.Context();
      case 6 ->
          new Type.Tile(
              List.of(1L, 64L),
              pick(DType.values()),
              pick(Type.MemorySpace.values()),
              random.nextBoolean() ? List.of() : exprs(2, depth - 1));
      default -> {
        List<Type> elements = new ArrayList<>();
        for (int i = 0; i < random.nextInt(3); i++) {
          elements.add(type(depth - 1));
        }
        yield new Type.Tuple(elements);
      }
    };
  }

  private <T> T pick(T[] choices) {
    return choices[random.nextInt(choices.length)];
  }
}
