package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.PythonArithmetic;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Expr.Call;
import java.util.List;

/** {@code pl.static_assert} and {@code pl.static_print}, which do their work while reading. */
final class StaticChecks {

  private final ExpressionBuilder expressions;

  StaticChecks(ExpressionBuilder expressions) {
    this.expressions = expressions;
  }

  /** Refuses the program when the condition doesn't hold. */
  void require(Call call) {
    List<Expr> arguments = call.arguments();
    if (arguments.isEmpty() || arguments.size() > 2) {
      throw Refusal.of(
          "pl.static_assert takes a condition and a message",
          "pl.static_assert(SIZE % 32 == 0, \"whole rows only\")",
          call.span());
    }
    Expr condition = arguments.getFirst();
    if (!(expressions.evaluate(condition) instanceof Value.Constant(ClosureValue known))) {
      throw Refusal.of(
          "pl.static_assert: the condition isn't known at compile time",
          "compare sizes of the factory; what the kernel computes is known when it runs",
          condition.span());
    }
    if (!PythonArithmetic.truth(known, condition.span())) {
      throw Refusal.of(
          "static_assert failed" + (arguments.size() == 2 ? ": " + text(arguments.get(1)) : ""),
          "it holds for the values that the program is built with: change those, or the condition",
          call.span());
    }
  }

  private String text(Expr message) {
    return switch (message) {
      case Expr.StringLiteral(String text, _) -> text;
      case Expr.FormattedString(var parts, _) -> {
        StringBuilder text = new StringBuilder();
        for (Expr.FormatPart part : parts) {
          switch (part) {
            case Expr.TextPart(String plain) -> text.append(plain);
            case Expr.FieldPart field -> text.append(field(field.value()));
          }
        }
        yield text.toString();
      }
      case Expr other -> field(other);
    };
  }

  private String field(Expr value) {
    return expressions.evaluate(value) instanceof Value.Constant(ClosureValue known)
        ? switch (known) {
          case ClosureValue.Int(long number) -> Long.toString(number);
          case ClosureValue.Float(double number) -> Double.toString(number);
          case ClosureValue.Bool(boolean truth) -> truth ? "True" : "False";
          case ClosureValue.Text(String text) -> text;
          case ClosureValue other -> "...";
        }
        : "...";
  }
}
