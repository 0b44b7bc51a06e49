package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.ops.Arg;
import io.ringmaster.worker.frontend.ops.OpCall;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.ir.Function.Direction;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.ir.Type.MemorySpace;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.NearName;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Reads type annotations of parameters, results and assignments. */
final class AnnotationReader {

  private static final List<String> TYPES =
      List.of("pl.Tensor", "pld.DistributedTensor", "pl.Tile", "pl.Scalar", "pl.Out", "pl.InOut");

  /** An annotation: the type and, for a parameter, which way data flows. */
  record Annotated(Type type, Direction direction) {}

  private final Resolver resolver;
  private final ExpressionBuilder expressions;

  /** {@code expressions} evaluates dims and dtypes; it must see no local names. */
  AnnotationReader(Resolver resolver, ExpressionBuilder expressions) {
    this.resolver = resolver;
    this.expressions = expressions;
  }

  Annotated parameter(Expr annotation) {
    Annotated annotated = directed(annotation);
    requireFixedShape(annotated.type(), annotation);
    return annotated;
  }

  /** A signature holds for every call, so what only a statement can compute is no extent of it. */
  private static void requireFixedShape(Type type, Expr annotation) {
    if (type instanceof Type.Tensor tensor
        && !tensor.shape().stream().allMatch(FunctionContext::isOfDims)) {
      throw Refusal.of(
          "the extents of an annotation are ints, pl.dynamic dims and arithmetic of those",
          "name a size that is known at run time: NR = pl.dynamic(\"NR\")",
          annotation.span());
    }
  }

  private Annotated directed(Expr annotation) {
    Optional<String> head = head(annotation);
    if (head.isPresent() && (head.get().equals("pl.Out") || head.get().equals("pl.InOut"))) {
      Type inner = type(((Expr.Subscript) annotation).index());
      String name = head.get().substring("pl.".length());
      if (inner instanceof Type.Scalar) {
        throw Refusal.of(
            "Scalar cannot be " + name + ": scalars are passed by value",
            "return the value through a tensor",
            annotation.span());
      }
      return new Annotated(inner, name.equals("Out") ? Direction.OUT : Direction.INOUT);
    }
    Type type = type(annotation);
    if (type instanceof Type.Tuple) {
      throw Refusal.of("a parameter can't be a tuple", "pass its elements", annotation.span());
    }
    return new Annotated(type, Direction.IN);
  }

  /** A {@code -> annotation}: one type for each result. */
  List<Type> results(Expr annotation) {
    if (annotation instanceof Expr.NoneLiteral) {
      return List.of();
    }
    Type type = type(annotation);
    requireFixedShape(type, annotation);
    if (type instanceof Type.Tuple(var elements)) {
      elements.forEach(element -> requireFixedShape(element, annotation));
      if (elements.stream().anyMatch(Type.Tuple.class::isInstance)) {
        throw Refusal.of(
            "nested tuples can't be returned",
            "write the elements of the inner one directly",
            annotation.span());
      }
      return elements;
    }
    return List.of(type);
  }

  Type type(Expr annotation) {
    if (resolver.path(annotation).filter("pld.CommCtx"::equals).isPresent()) {
      return new Type.Context();
    }
    Optional<String> head = head(annotation);
    if (head.isEmpty()) {
      throw unknown(annotation);
    }
    Expr.Subscript subscript = (Expr.Subscript) annotation;
    List<Expr> parts =
        subscript.index() instanceof Expr.TupleDisplay(var elements, _)
            ? elements
            : List.of(subscript.index());
    return switch (head.get()) {
      case "pl.Tensor" -> tensor(parts, annotation, false);
      case "pld.DistributedTensor" -> tensor(parts, annotation, true);
      case "pl.Tile" -> tile(parts, annotation);
      case "pl.Scalar" -> new Type.Scalar(dtype(parts.getFirst()));
      case "pl.Tuple", "tuple" ->
          new Type.Tuple(SideBySide.each(expressions.context().messages(), parts, this::type));
      default -> throw unknown(annotation);
    };
  }

  private Optional<String> head(Expr annotation) {
    if (!(annotation instanceof Expr.Subscript(Expr value, _, _))) {
      return Optional.empty();
    }
    if (value instanceof Expr.Name(String id, _) && (id.equals("tuple") || id.equals("Tuple"))) {
      return Optional.of("tuple");
    }
    return resolver.path(value);
  }

  private RuntimeException unknown(Expr annotation) {
    Optional<String> path = resolver.path(annotation);
    if (path.isPresent() && (path.get().equals("pl.Tensor") || path.get().equals("pl.Tile"))) {
      return Refusal.of(
          "bare '" + path.get() + "' annotation with no shape",
          "e.g. " + path.get() + "[[1, 64], pl.FP32]",
          annotation.span());
    }
    if (path.filter("pld.DistributedTensor"::equals).isPresent()) {
      return Refusal.of(
          "bare 'pld.DistributedTensor' annotation with no shape",
          "e.g. pld.DistributedTensor[[4, 64], pl.FP32]",
          annotation.span());
    }
    Optional<String> near =
        head(annotation).or(() -> path).flatMap(written -> NearName.of(written, TYPES));
    if (near.isPresent()) {
      return Refusal.of(
          "Unsupported type annotation", "did you mean '" + near.get() + "'?", annotation.span());
    }
    return Refusal.of(
        "Unsupported type annotation",
        "use pl.Tensor[[...], dtype], pld.DistributedTensor[[...], dtype], pl.Scalar[dtype],"
            + " pl.Tile[[...], dtype]",
        annotation.span());
  }

  private OpCall call(Map<String, Arg> args, Expr annotation, String name) {
    return new OpCall(name, annotation.span(), args, expressions.context());
  }

  /** A shape is written in any way Python has: {@code [NR] + SHAPE}, {@code [NR, *SHAPE]}. */
  private Value extents(Expr shape) {
    return switch (shape) {
      case Expr.ListDisplay(var elements, _) -> together(elements);
      case Expr.TupleDisplay(var elements, _) -> together(elements);
      case Expr.Binary sum when sum.operator() == Expr.BinaryOperator.ADD -> sum(sum);
      default -> expressions.evaluate(shape);
    };
  }

  private Value sum(Expr.Binary sum) {
    Value left = extents(sum.left());
    Value right = extents(sum.right());
    return left.sequence().isPresent() && right.sequence().isPresent()
        ? joined(left, right)
        : expressions.evaluate(sum);
  }

  private Value together(List<Expr> elements) {
    return SideBySide.<Expr, Value>each(
            expressions.context().messages(),
            elements,
            element ->
                element instanceof Expr.Starred starred
                    ? extents(starred.value())
                    : new Value.Items(List.of(expressions.evaluate(element))))
        .stream()
        .reduce(new Value.Items(List.of()), AnnotationReader::joined);
  }

  private static Value joined(Value left, Value right) {
    List<Value> both = new ArrayList<>(left.sequence().orElse(List.of(left)));
    both.addAll(right.sequence().orElse(List.of(right)));
    return new Value.Items(both);
  }

  private Map<String, Arg> shapeAndDtype(List<Expr> parts, Expr annotation, String name) {
    if (parts.size() < 2) {
      throw Refusal.of(
          name + " annotation needs a shape and a dtype",
          "e.g. " + name + "[[1, 64], pl.FP32]",
          annotation.span());
    }
    List<Value> values =
        SideBySide.<Supplier<Value>, Value>each(
            expressions.context().messages(),
            List.of(() -> extents(parts.get(0)), () -> expressions.evaluate(parts.get(1))),
            Supplier::get);
    return Map.of(
        "shape", new Arg(values.get(0), parts.get(0).span()),
        "dtype", new Arg(values.get(1), parts.get(1).span()));
  }

  private Type tensor(List<Expr> parts, Expr annotation, boolean window) {
    String name = window ? "pld.DistributedTensor" : "pl.Tensor";
    OpCall call = call(shapeAndDtype(parts, annotation, name), annotation, name);
    if (parts.size() > 2
        && resolver.path(parts.get(2)).filter(path -> path.endsWith(".ND")).isEmpty()) {
      throw Refusal.of(
          name + " only supports ND layout", "leave the layout away", parts.get(2).span());
    }
    List<io.ringmaster.worker.ir.Expr> shape = call.integers("shape");
    if (shape.isEmpty()) {
      throw Refusal.of(
          name + " needs at least one dimension", "e.g. [[1, 64], pl.FP32]", annotation.span());
    }
    for (var extent : shape) {
      if (call.extentOf(extent).constant().orElse(1) <= 0) {
        throw Refusal.of(
            "all dimensions must be positive", "the least extent is 1", parts.get(0).span());
      }
    }
    return new Type.Tensor(shape, call.dtype("dtype"), window);
  }

  private Type tile(List<Expr> parts, Expr annotation) {
    OpCall call = call(shapeAndDtype(parts, annotation, "pl.Tile"), annotation, "pl.Tile");
    return new Type.Tile(call.tileShape("shape"), call.dtype("dtype"), MemorySpace.VEC, List.of());
  }

  private DType dtype(Expr expr) {
    if (expressions.evaluate(expr) instanceof Value.Constant(ClosureValue.Dtype(DType dtype))) {
      return dtype;
    }
    throw Refusal.of(
        "expected a dtype such as pl.INT32", "e.g. pl.FP32, pl.INT32, pl.BF16", expr.span());
  }
}
