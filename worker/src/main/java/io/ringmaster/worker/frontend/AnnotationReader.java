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
import io.ringmaster.worker.source.Span;
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
  AnnotationReader(ExpressionBuilder expressions) {
    this.resolver = expressions.resolver();
    this.expressions = expressions.inAnnotations();
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
    Optional<ClosureValue.Annotation> outside = outside(annotation);
    Optional<String> head = outside.map(ClosureValue.Annotation::head).or(() -> head(annotation));
    if (head.isPresent() && (head.get().equals("pl.Out") || head.get().equals("pl.InOut"))) {
      Type inner =
          outside.isPresent()
              ? type(outside.get().index(), annotation)
              : type(((Expr.Subscript) annotation).index());
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
    Optional<ClosureValue.Annotation> outside = outside(annotation);
    if (outside.isPresent()) {
      return type(outside.get(), annotation);
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
      case "pl.Tensor", "pld.DistributedTensor", "pl.Tile" ->
          shaped(head.get(), given(parts), annotation);
      case "pl.Scalar" ->
          new Type.Scalar(dtype(expressions.evaluate(parts.getFirst()), parts.getFirst().span()));
      case "pl.Tuple", "tuple" ->
          new Type.Tuple(SideBySide.each(expressions.context().messages(), parts, this::type));
      default -> throw unknown(annotation);
    };
  }

  /** A type that was written outside, if the annotation is the name of one. */
  private Optional<ClosureValue.Annotation> outside(Expr annotation) {
    if (head(annotation).isPresent()) {
      return Optional.empty();
    }
    return resolver
        .resolve(annotation)
        .or(() -> expressions.valueOutside(annotation))
        .filter(ClosureValue.Annotation.class::isInstance)
        .map(ClosureValue.Annotation.class::cast);
  }

  private Type type(ClosureValue value, Expr annotation) {
    if (!(value instanceof ClosureValue.Annotation(String head, ClosureValue index))) {
      throw unknown(annotation);
    }
    List<Value> parts =
        new Value.Constant(index).sequence().orElse(List.of(new Value.Constant(index)));
    return switch (head) {
      case "pl.Tensor", "pld.DistributedTensor", "pl.Tile" ->
          shaped(
              head,
              parts.stream().map(part -> new Arg(part, annotation.span())).toList(),
              annotation);
      case "pl.Scalar" -> new Type.Scalar(dtype(parts.getFirst(), annotation.span()));
      case "pl.Tuple" ->
          new Type.Tuple(
              parts.stream()
                  .map(part -> type(((Value.Constant) part).value(), annotation))
                  .toList());
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

  /** The parts of an annotation with a shape and an element type, evaluated. */
  private List<Arg> given(List<Expr> parts) {
    List<Supplier<Value>> readings = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      Expr part = parts.get(i);
      readings.add(i == 0 ? () -> extents(part) : () -> expressions.evaluate(part));
    }
    List<Value> values = SideBySide.each(expressions.context().messages(), readings, Supplier::get);
    List<Arg> given = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      given.add(new Arg(values.get(i), parts.get(i).span()));
    }
    return given;
  }

  private Type shaped(String name, List<Arg> parts, Expr annotation) {
    if (parts.size() < 2) {
      throw Refusal.of(
          name + " annotation needs a shape and a dtype",
          "e.g. " + name + "[[1, 64], pl.FP32]",
          annotation.span());
    }
    Map<String, Arg> args = Map.of("shape", parts.get(0), "dtype", parts.get(1));
    OpCall call = new OpCall(name, annotation.span(), args, expressions.context());
    if (name.equals("pl.Tile")) {
      return new Type.Tile(
          call.tileShape("shape"), call.dtype("dtype"), MemorySpace.VEC, List.of());
    }
    if (parts.size() > 2 && !isPlain(parts.get(2).value())) {
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
    return new Type.Tensor(shape, call.dtype("dtype"), name.equals("pld.DistributedTensor"));
  }

  private static boolean isPlain(Value layout) {
    return layout instanceof Value.Constant(ClosureValue.Path(String name)) && name.endsWith(".ND");
  }

  private static DType dtype(Value value, Span span) {
    if (value instanceof Value.Constant(ClosureValue.Dtype(DType dtype))) {
      return dtype;
    }
    throw Refusal.of("expected a dtype such as pl.INT32", "e.g. pl.FP32, pl.INT32, pl.BF16", span);
  }
}
