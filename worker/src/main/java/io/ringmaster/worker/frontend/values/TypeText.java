package io.ringmaster.worker.frontend.values;

import static java.util.stream.Collectors.joining;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Type;
import java.util.List;

/** Types and scalar expressions as a message shows them. */
public final class TypeText {

  private TypeText() {}

  /** {@code Tensor [1, 64] FP32}, {@code Tile [1, 64] FP32}, {@code Scalar INT32}... */
  public static String of(Type type) {
    return switch (type) {
      case Type.None _ -> "None";
      case Type.Scalar(var dtype) -> "Scalar " + dtype;
      case Type.Tensor(var shape, var dtype, boolean window, _) ->
          (window ? "DistributedTensor " : "Tensor ") + shape(shape) + " " + dtype;
      case Type.Tile(var shape, var dtype, _, _) -> "Tile " + shape + " " + dtype;
      case Type.Array(long extent, var dtype) -> "Array [" + extent + "] " + dtype;
      case Type.Buffer _ -> "window buffer (Ptr)";
      case Type.Context _ -> "CommCtx";
      case Type.Tuple(var elements) ->
          elements.stream().map(TypeText::of).collect(joining(", ", "Tuple (", ")"));
    };
  }

  /** {@code Tensor}, {@code DistributedTensor}, {@code Tile}, {@code Scalar}... */
  public static String kind(Type type) {
    String text = of(type);
    int space = text.indexOf(' ');
    return space < 0 ? text : text.substring(0, space);
  }

  public static String shape(List<Expr> shape) {
    return shape.stream().map(TypeText::scalar).collect(joining(", ", "[", "]"));
  }

  /** A scalar expression with every compound operand in parentheses. */
  public static String scalar(Expr expr) {
    return switch (expr) {
      case Expr.IntConst(long value, _, _) -> Long.toString(value);
      case Expr.FloatConst(double value, _, _) -> Double.toString(value);
      case Expr.BoolConst(boolean value, _) -> value ? "True" : "False";
      case Expr.Var(String name, _, _) -> name;
      case Expr.Dim(String name, _) -> name;
      case Expr.Convert(Expr operand, _, _) -> scalar(operand);
      case Expr.Unary unary -> unary.op().spelling() + operand(unary.operand());
      case Expr.Binary binary -> binary(binary);
      case Expr.TupleExpr(var elements, _) -> shape(elements);
      case Expr.Op op -> op.code().printedName() + "(...)";
      case Expr.Call call -> "self." + call.function() + "(...)";
    };
  }

  private static String binary(Expr.Binary binary) {
    String spelling = binary.op().spelling();
    if (binary.op() == Expr.BinaryOp.MIN || binary.op() == Expr.BinaryOp.MAX) {
      return spelling + "(" + scalar(binary.left()) + ", " + scalar(binary.right()) + ")";
    }
    return operand(binary.left()) + " " + spelling + " " + operand(binary.right());
  }

  private static String operand(Expr expr) {
    return expr instanceof Expr.Binary binary
            && binary.op() != Expr.BinaryOp.MIN
            && binary.op() != Expr.BinaryOp.MAX
        ? "(" + scalar(expr) + ")"
        : scalar(expr);
  }
}
