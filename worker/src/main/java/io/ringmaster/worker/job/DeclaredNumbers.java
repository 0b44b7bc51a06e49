package io.ringmaster.worker.job;

import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.ParserLimits;
import io.ringmaster.worker.source.PythonParser;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.tensor.DType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;

/** What can be told of the numbers of a declaration before it runs. */
final class DeclaredNumbers {

  /** Below this a double is every whole number. */
  private static final double EXACT = 0x1p53;

  private static final double LARGEST_FP32 = Float.MAX_VALUE;
  private static final double LARGEST_FP16 = 65504;
  private static final double LARGEST_BF16 = 0x1.fep127;
  private static final BigInteger LARGEST_EXTENT = BigInteger.valueOf(Long.MAX_VALUE);

  private DeclaredNumbers() {}

  /** Why elements of a type can't be a number; empty when they can. */
  static Optional<String> fault(double value, DType dtype) {
    if (!Double.isFinite(value)) {
      return Optional.of(value + " isn't a finite number");
    }
    String spelled = spelled(value);
    if (!dtype.isFloat() && value != Math.rint(value)) {
      return Optional.of(spelled + " isn't a whole number, as " + dtype + " needs");
    }
    if (!dtype.isFloat() && Math.abs(value) >= EXACT) {
      return Optional.of(
          spelled
              + " is too large: below 9007199254740992 numbers of a declaration are exact, larger"
              + " ones can come in an npy file");
    }
    double least = least(dtype);
    double most = most(dtype);
    return value < least || value > most
        ? Optional.of(
            "%s can't be an element of %s, whose values go from %s to %s"
                .formatted(spelled, dtype, spelled(least), spelled(most)))
        : Optional.empty();
  }

  /** {@code 3e10} as {@code 30000000000}, {@code 1e300} as it is. */
  static String spelled(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e19
        ? new BigDecimal(value).toBigInteger().toString()
        : Double.toString(value);
  }

  private static double least(DType dtype) {
    return switch (dtype.kind()) {
      case FLOAT -> -most(dtype);
      case SIGNED -> -Math.scalb(1.0, 8 * dtype.bytes() - 1);
      case UNSIGNED, BOOL -> 0;
    };
  }

  private static double most(DType dtype) {
    return switch (dtype.kind()) {
      case FLOAT ->
          switch (dtype) {
            case FP32 -> LARGEST_FP32;
            case FP16 -> LARGEST_FP16;
            case BF16 -> LARGEST_BF16;
            default -> Double.MAX_VALUE;
          };
      case SIGNED -> Math.scalb(1.0, 8 * dtype.bytes() - 1) - 1;
      case UNSIGNED -> Math.scalb(1.0, 8 * dtype.bytes()) - 1;
      case BOOL -> 1;
    };
  }

  /** An extent that depends on nothing; empty for others. */
  static Optional<BigInteger> extent(String text) {
    try {
      return constant(
          PythonParser.parseExpression(new SourceFile("extent", text), ParserLimits.DEFAULT));
    } catch (DiagnosticException e) {
      return Optional.empty(); // Said when the text is put into the script.
    }
  }

  /** Why an extent that is known can't be one. */
  static Optional<String> extentFault(BigInteger extent) {
    if (extent.signum() < 0) {
      return Optional.of("an extent is at least 0, not " + extent);
    }
    return extent.compareTo(LARGEST_EXTENT) > 0
        ? Optional.of("no tensor has an extent of " + extent)
        : Optional.empty();
  }

  /** How many elements there are, when all extents are known. */
  static Optional<BigInteger> elements(List<String> extents) {
    Optional<BigInteger> product = Optional.of(BigInteger.ONE);
    for (String text : extents) {
      product = product.flatMap(before -> extent(text).map(before::multiply));
    }
    return product;
  }

  private static Optional<BigInteger> constant(Expr expr) {
    return switch (expr) {
      case Expr.IntLiteral(BigInteger value, _) -> Optional.of(value);
      case Expr.Unary(Expr.UnaryOperator operator, Expr operand, _)
          when operator == Expr.UnaryOperator.NEGATE ->
          constant(operand).map(BigInteger::negate);
      case Expr.Binary(Expr.BinaryOperator operator, Expr left, Expr right, _) ->
          constant(left).flatMap(a -> constant(right).flatMap(b -> constant(operator, a, b)));
      default -> Optional.empty();
    };
  }

  private static Optional<BigInteger> constant(
      Expr.BinaryOperator operator, BigInteger left, BigInteger right) {
    return switch (operator) {
      case ADD -> Optional.of(left.add(right));
      case SUBTRACT -> Optional.of(left.subtract(right));
      case MULTIPLY -> Optional.of(left.multiply(right));
      default -> Optional.empty();
    };
  }
}
