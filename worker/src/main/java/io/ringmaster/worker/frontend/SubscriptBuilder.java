package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.ops.Arg;
import io.ringmaster.worker.frontend.ops.OpCall;
import io.ringmaster.worker.frontend.ops.OpTable;
import io.ringmaster.worker.frontend.ops.Signature;
import io.ringmaster.worker.frontend.ops.Views;
import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.ScalarTyping;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.source.Expr.Slice;
import io.ringmaster.worker.source.Expr.Subscript;
import io.ringmaster.worker.source.Expr.TupleDisplay;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** {@code x[r]}, {@code x[a:b, i]}, {@code arr[i]}: views, element reads and their assignments. */
final class SubscriptBuilder {

  private final FunctionContext context;
  private final ExpressionBuilder expressions;
  private final OpTable table;

  SubscriptBuilder(FunctionContext context, ExpressionBuilder expressions, OpTable table) {
    this.context = context;
    this.expressions = expressions;
    this.table = table;
  }

  /** One axis of an index: where it starts, how far it goes, whether it stays an axis. */
  private record Axis(Expr offset, Expr extent, boolean kept) {}

  Value read(Subscript subscript) {
    Value container = container(subscript, List.of());
    Optional<List<Value>> elements = container.sequence();
    if (elements.isPresent()) {
      return element(elements.get(), subscript);
    }
    if (container instanceof Value.Dsl(Expr expr)) {
      return new Value.Dsl(readDsl(expr, subscript));
    }
    throw notSubscriptable(subscript.value().span());
  }

  /**
   * What is indexed; where that is refused, the indices and {@code others} are read all the same.
   */
  private Value container(Subscript subscript, List<io.ringmaster.worker.source.Expr> others) {
    try {
      return expressions.evaluate(subscript.value());
    } catch (Refusal refusal) {
      context.messages().add(refusal);
      List<io.ringmaster.worker.source.Expr> rest = new ArrayList<>();
      for (var index : indices(subscript)) {
        if (index instanceof Slice range) {
          range.lower().ifPresent(rest::add);
          range.upper().ifPresent(rest::add);
        } else {
          rest.add(index);
        }
      }
      rest.addAll(others);
      expressions.evaluateAll(rest);
      throw Refusal.silent();
    }
  }

  private static List<io.ringmaster.worker.source.Expr> indices(Subscript subscript) {
    return subscript.index() instanceof TupleDisplay(var elements, _)
        ? elements
        : List.of(subscript.index());
  }

  private Value element(List<Value> elements, Subscript subscript) {
    if (!(expressions.evaluate(subscript.index())
        instanceof Value.Constant(ClosureValue.Int(long index)))) {
      throw Refusal.of(
          "Only constant integer indices supported for tuple access",
          "write the index as a number",
          subscript.index().span());
    }
    long actual = index < 0 ? index + elements.size() : index;
    if (actual < 0 || actual >= elements.size()) {
      throw Refusal.of(
          "index " + index + " is outside a sequence of " + elements.size(),
          "indices count from 0, or from -1 at the end",
          subscript.index().span());
    }
    return elements.get((int) actual);
  }

  private static RuntimeException notSubscriptable(Span span) {
    return Refusal.of(
        "Subscript requires Tuple, Tensor, Tile, or Array type",
        "only tensors, tiles, arrays and results of several values have elements",
        span);
  }

  private Expr readDsl(Expr container, Subscript subscript) {
    return switch (container.type()) {
      case Type.Array array ->
          Expr.Op.of(
              OpCode.ARRAY_GET,
              List.of(container, arrayIndex(array, subscript)),
              Map.of(),
              new Type.Scalar(array.dtype()),
              subscript.span());
      case Type.Tensor _, Type.Tile _ -> {
        List<Axis> axes = axes(container, subscript);
        if (axes.stream().noneMatch(Axis::kept)) {
          yield operation("pl.read", container, axes, subscript.span(), List.of());
        }
        yield slice(container, axes, subscript.span());
      }
      case Type.None _, Type.Scalar _, Type.Buffer _, Type.Context _, Type.Tuple _ ->
          throw notSubscriptable(subscript.value().span());
    };
  }

  private Expr arrayIndex(Type.Array array, Subscript subscript) {
    Expr index = expressions.integer(subscript.index(), "array index");
    Extent extent = Extent.of(index, context.symbols());
    if (extent.alwaysNegative() || extent.minus(Extent.of(array.extent() - 1)).alwaysPositive()) {
      throw Refusal.of(
          "index " + TypeText.scalar(index) + " is outside an array of " + array.extent(),
          "indices count from 0",
          subscript.index().span());
    }
    return index;
  }

  private OpCall call(String name, Span span) {
    return new OpCall(name, span, Map.of(), context);
  }

  private Expr slice(Expr container, List<Axis> axes, Span span) {
    Set<Integer> dropped = new TreeSet<>();
    for (int i = 0; i < axes.size(); i++) {
      if (!axes.get(i).kept() && container.type() instanceof Type.Tensor) {
        dropped.add(i);
      }
    }
    return Views.slice(
        call("pl.slice", span),
        container,
        axes.stream().map(Axis::extent).toList(),
        axes.stream().map(Axis::offset).toList(),
        dropped);
  }

  private Expr operation(String name, Expr container, List<Axis> axes, Span span, List<Arg> more) {
    List<Arg> args = new ArrayList<>();
    args.add(new Arg(new Value.Dsl(container), span));
    args.add(
        new Arg(
            new Value.Items(
                axes.stream().<Value>map(axis -> new Value.Dsl(axis.offset())).toList()),
            span));
    args.addAll(more);
    return table.build(name, args, List.<Signature.Named>of(), span, context);
  }

  private List<Axis> axes(Expr container, Subscript subscript) {
    List<io.ringmaster.worker.source.Expr> indices = indices(subscript);
    boolean tile = container.type() instanceof Type.Tile;
    List<Expr> sizes = Views.sizes(container.type(), call("pl.slice", subscript.span()));
    if (indices.size() > sizes.size()) {
      throw Refusal.of(
          TypeText.kind(container.type()).replace("Distributed", "")
              + " subscript has "
              + indices.size()
              + " indices but the "
              + (tile ? "tile" : "tensor")
              + " is "
              + sizes.size()
              + "D",
          "give at most one index for each dimension",
          subscript.index().span());
    }
    return SideBySide.each(
        context.messages(),
        IntStream.range(0, sizes.size()).boxed().toList(),
        i -> {
          Span span = i < indices.size() ? indices.get(i).span() : subscript.span();
          if (i >= indices.size()) {
            return new Axis(index(0, span), sizes.get(i), true);
          }
          return indices.get(i) instanceof Slice range
              ? range(range, sizes.get(i), tile)
              : new Axis(expressions.integer(indices.get(i), "index"), index(1, span), false);
        });
  }

  private Axis range(Slice range, Expr size, boolean tile) {
    if (range.step().isPresent()) {
      throw Refusal.of(
          "Slice step is not supported", "slice row by row in a pl.range loop", range.span());
    }
    SideBySide bounds = new SideBySide(context.messages());
    Expr lower =
        bounds
            .read(() -> bound(range.lower()).orElseGet(() -> index(0, range.span())))
            .orElse(size);
    Expr upper = bounds.read(() -> bound(range.upper()).orElse(size)).orElse(size);
    bounds.requireAll();
    Extent from = Extent.of(lower, context.symbols());
    if (tile && from.constant().isEmpty()) {
      throw Refusal.of(
          "Dynamic lower bounds are not supported in tile subscript",
          "slice the tensor before loading it",
          range.span());
    }
    OptionalLong length = Extent.of(upper, context.symbols()).minus(from).constant();
    Expr extent =
        length.isPresent()
            ? index(length.getAsLong(), range.span())
            : ScalarTyping.binary(BinaryOperator.SUBTRACT, upper, lower, true, range.span());
    return new Axis(lower, extent, true);
  }

  private Optional<Expr> bound(Optional<io.ringmaster.worker.source.Expr> written) {
    return written.map(bound -> expressions.integer(bound, "slice bound"));
  }

  private static Expr index(long value, Span span) {
    return new Expr.IntConst(value, DType.INDEX, span);
  }

  /**
   * {@code target[...] = value}: an assemble, an element write or an array update. The result is
   * the operation; its value, where it has one, is the target again.
   */
  Expr write(Subscript target, io.ringmaster.worker.source.Expr value, Span span) {
    Value container = container(target, List.of(value));
    if (!(container instanceof Value.Dsl(Expr expr))) {
      throw notSubscriptable(target.value().span());
    }
    return switch (expr.type()) {
      case Type.Array array -> {
        List<Expr> read =
            SideBySide.<Supplier<Expr>, Expr>each(
                context.messages(),
                List.of(
                    () -> arrayIndex(array, target),
                    () -> expressions.scalar(expressions.evaluate(value), value.span())),
                Supplier::get);
        Expr index = read.get(0);
        Expr element = read.get(1);
        yield Expr.Op.of(
            OpCode.ARRAY_SET,
            List.of(expr, index, ScalarTyping.convert(element, array.dtype(), value.span())),
            Map.of(),
            new Type.None(),
            span);
      }
      case Type.Tensor _, Type.Tile _ -> {
        SideBySide sides = new SideBySide(context.messages());
        List<Axis> axes = sides.read(() -> axes(expr, target)).orElse(List.of());
        Optional<Value> read = sides.read(() -> expressions.evaluate(value));
        sides.requireAll();
        Value source = read.orElseThrow();
        if (axes.stream().noneMatch(Axis::kept)) {
          yield operation("pl.write", expr, axes, span, List.of(new Arg(source, value.span())));
        }
        yield assemble(expr, axes, source, value.span(), span);
      }
      case Type.None _, Type.Scalar _, Type.Buffer _, Type.Context _, Type.Tuple _ ->
          throw notSubscriptable(target.value().span());
    };
  }

  private Expr assemble(Expr target, List<Axis> axes, Value value, Span valueSpan, Span span) {
    if (!(value instanceof Value.Dsl(Expr source))
        || !(source.type() instanceof Type.Tensor || source.type() instanceof Type.Tile)) {
      throw Refusal.of(
          "only a Tensor or Tile can be assigned to a slice",
          "pl.full makes a tensor of one value",
          valueSpan);
    }
    OpCall call = call("pl.assemble", span);
    List<Expr> sizes = Views.sizes(source.type(), call);
    boolean sameRank = sizes.size() == axes.size();
    List<Axis> kept = sameRank ? axes : axes.stream().filter(Axis::kept).toList();
    if (sizes.size() != kept.size()) {
      throw Refusal.of(
          "can't assign " + TypeText.of(source.type()) + " to a slice of rank " + kept.size(),
          "give the slice and the value the same number of dimensions",
          span);
    }
    for (int i = 0; i < kept.size(); i++) {
      Extent difference =
          Extent.of(kept.get(i).extent(), context.symbols())
              .minus(Extent.of(sizes.get(i), context.symbols()));
      if (difference.alwaysPositive() || difference.alwaysNegative()) {
        throw Refusal.of(
            "the slice has extent "
                + TypeText.scalar(kept.get(i).extent())
                + " in dimension "
                + i
                + ", the value "
                + TypeText.scalar(sizes.get(i)),
            "make the slice as large as the value",
            span);
      }
    }
    if (sameRank) {
      return Views.assemble(call, target, source, axes.stream().map(Axis::offset).toList(), false);
    }
    Expr view = context.operand(slice(target, axes, span));
    return Views.assemble(
        call, view, source, kept.stream().map(_ -> index(0, span)).toList(), false);
  }
}
