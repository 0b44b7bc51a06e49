package io.ringmaster.worker.source;

import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.source.Expr.FormatPart;
import io.ringmaster.worker.source.Expr.UnaryOperator;
import io.ringmaster.worker.source.Parameters.Parameter;
import java.util.List;
import java.util.Optional;

/** Writes expressions with the brackets that they need and no others. */
final class ExprPrinter {

  /** Conditional expressions and lambdas bind loosest; then come the operators' powers. */
  private static final int TEST = 0;

  private static final int AWAIT = Operators.POWER + 1;
  private static final int ATOM = AWAIT + 1;
  private static final int ALWAYS_BRACKETED = -1;

  private final StringBuilder out = new StringBuilder();

  String print(Expr expression) {
    print(expression, TEST);
    return out.toString();
  }

  String print(Parameters parameters) {
    parameters(parameters);
    return out.toString();
  }

  String print(List<Expr> arguments, List<Expr.Keyword> keywords) {
    arguments(arguments, keywords);
    return out.toString();
  }

  private void print(Expr expression, int least) {
    boolean bracketed = power(expression) < least;
    out.append(bracketed ? "(" : "");
    bare(expression);
    out.append(bracketed ? ")" : "");
  }

  private static int power(Expr expression) {
    return switch (expression) {
      case Expr.Walrus _ -> ALWAYS_BRACKETED;
      case Expr.Suspension suspension ->
          suspension.keyword().equals("await") ? AWAIT : ALWAYS_BRACKETED;
      case Expr.Lambda _, Expr.Conditional _, Expr.Starred _, Expr.Slice _ -> TEST;
      case Expr.BoolOperation operation -> operation.isAnd() ? Operators.AND : Operators.OR;
      case Expr.Comparison _ -> Operators.COMPARISON;
      case Expr.Unary unary ->
          unary.operator() == UnaryOperator.NOT ? Operators.NOT : Operators.UNARY;
      case Expr.Binary binary -> Operators.power(binary.operator());
      case Expr.Name _,
          Expr.IntLiteral _,
          Expr.FloatLiteral _,
          Expr.StringLiteral _,
          Expr.BytesLiteral _,
          Expr.BoolLiteral _,
          Expr.NoneLiteral _,
          Expr.EllipsisLiteral _,
          Expr.FormattedString _,
          Expr.Attribute _,
          Expr.Call _,
          Expr.Subscript _,
          Expr.TupleDisplay _,
          Expr.ListDisplay _,
          Expr.SetDisplay _,
          Expr.DictDisplay _,
          Expr.Comprehension _ ->
          ATOM;
    };
  }

  private void bare(Expr expression) {
    switch (expression) {
      case Expr.Name name -> out.append(name.id());
      case Expr.IntLiteral literal -> out.append(literal.value());
      case Expr.FloatLiteral literal -> number(literal.value());
      case Expr.StringLiteral literal -> quoted("\"", literal.value());
      case Expr.BytesLiteral literal -> quoted("b\"", literal.value());
      case Expr.BoolLiteral literal -> out.append(literal.value() ? "True" : "False");
      case Expr.NoneLiteral _ -> out.append("None");
      case Expr.EllipsisLiteral _ -> out.append("...");
      case Expr.FormattedString string -> {
        out.append("f\"");
        parts(string.parts(), false);
        out.append('"');
      }
      case Expr.Attribute attribute -> {
        // "1.x" would be a number.
        boolean number = attribute.value() instanceof Expr.IntLiteral;
        print(attribute.value(), number ? ATOM + 1 : ATOM);
        out.append('.').append(attribute.name());
      }
      case Expr.Call call -> {
        print(call.function(), ATOM);
        out.append('(');
        arguments(call.arguments(), call.keywords());
        out.append(')');
      }
      case Expr.Subscript subscript -> subscript(subscript);
      case Expr.Slice slice -> {
        slice.lower().ifPresent(this::test);
        out.append(':');
        slice.upper().ifPresent(this::test);
        slice.step().ifPresent(step -> test(":", step));
      }
      case Expr.TupleDisplay tuple -> {
        out.append('(');
        elements(tuple.elements());
        out.append(tuple.elements().size() == 1 ? ",)" : ")");
      }
      case Expr.ListDisplay list -> {
        out.append('[');
        elements(list.elements());
        out.append(']');
      }
      case Expr.SetDisplay set -> {
        out.append('{');
        elements(set.elements());
        out.append('}');
      }
      case Expr.DictDisplay dict -> dict(dict);
      case Expr.Unary unary -> {
        boolean not = unary.operator() == UnaryOperator.NOT;
        out.append(unary.operator().spelling()).append(not ? " " : "");
        print(unary.operand(), not ? Operators.NOT : Operators.UNARY);
      }
      case Expr.Binary binary -> binary(binary);
      case Expr.BoolOperation operation -> {
        int power = power(operation);
        String separator = operation.isAnd() ? " and " : " or ";
        String before = "";
        for (Expr operand : operation.operands()) {
          out.append(before);
          print(operand, power + 1);
          before = separator;
        }
      }
      case Expr.Comparison comparison -> {
        print(comparison.first(), Operators.BIT_OR);
        for (int i = 0; i < comparison.operators().size(); i++) {
          out.append(' ').append(comparison.operators().get(i).spelling()).append(' ');
          print(comparison.rest().get(i), Operators.BIT_OR);
        }
      }
      case Expr.Conditional conditional -> {
        print(conditional.whenTrue(), Operators.OR);
        out.append(" if ");
        print(conditional.condition(), Operators.OR);
        test(" else ", conditional.whenFalse());
      }
      case Expr.Lambda lambda -> {
        out.append("lambda ");
        parameters(lambda.parameters());
        test(": ", lambda.body());
      }
      case Expr.Comprehension comprehension -> comprehension(comprehension);
      case Expr.Starred starred -> {
        out.append('*');
        print(starred.value(), Operators.BIT_OR);
      }
      case Expr.Walrus walrus -> {
        out.append(walrus.target().id());
        test(" := ", walrus.value());
      }
      case Expr.Suspension suspension -> {
        out.append(suspension.keyword());
        boolean await = suspension.keyword().equals("await");
        suspension
            .value()
            .ifPresent(
                value -> {
                  out.append(' ');
                  print(value, await ? ATOM : TEST);
                });
      }
    }
  }

  private void test(Expr expression) {
    print(expression, TEST);
  }

  private void test(String before, Expr expression) {
    out.append(before);
    print(expression, TEST);
  }

  private void elements(List<Expr> elements) {
    String before = "";
    for (Expr element : elements) {
      test(before, element);
      before = ", ";
    }
  }

  private void number(double value) {
    // A literal can be too large for a double; the tree then holds infinity.
    out.append(Double.isInfinite(value) ? "1e999" : Double.toString(value));
  }

  private void binary(Expr.Binary binary) {
    int power = Operators.power(binary.operator());
    boolean isPower = binary.operator() == BinaryOperator.POWER;
    print(binary.left(), isPower ? AWAIT : power);
    out.append(' ').append(binary.operator().spelling()).append(' ');
    print(binary.right(), isPower ? Operators.UNARY : power + 1);
  }

  private void subscript(Expr.Subscript subscript) {
    print(subscript.value(), ATOM);
    out.append('[');
    if (subscript.index() instanceof Expr.TupleDisplay tuple && !tuple.elements().isEmpty()) {
      elements(tuple.elements());
      out.append(tuple.elements().size() == 1 ? "," : "");
    } else {
      test(subscript.index());
    }
    out.append(']');
  }

  private void dict(Expr.DictDisplay dict) {
    out.append('{');
    String before = "";
    for (Expr.DictEntry entry : dict.entries()) {
      out.append(before);
      if (entry.key().isPresent()) {
        test(entry.key().get());
        test(": ", entry.value());
      } else {
        out.append("**");
        print(entry.value(), Operators.BIT_OR);
      }
      before = ", ";
    }
    out.append('}');
  }

  private void comprehension(Expr.Comprehension comprehension) {
    out.append(
        switch (comprehension.kind()) {
          case LIST -> '[';
          case SET, DICT -> '{';
          case GENERATOR -> '(';
        });
    test(comprehension.element());
    comprehension.value().ifPresent(value -> test(": ", value));
    comprehension.clauses().forEach(this::clause);
    out.append(
        switch (comprehension.kind()) {
          case LIST -> ']';
          case SET, DICT -> '}';
          case GENERATOR -> ')';
        });
  }

  private void clause(Expr.ForClause clause) {
    Expr iterable = clause.iterable();
    if (iterable instanceof Expr.Suspension suspension
        && suspension.keyword().equals("async for")) {
      out.append(" async");
      iterable = suspension.value().orElseThrow();
    }
    out.append(" for ");
    print(clause.target(), Operators.BIT_OR);
    out.append(" in ");
    print(iterable, Operators.OR);
    for (Expr condition : clause.conditions()) {
      out.append(" if ");
      print(condition, Operators.OR);
    }
  }

  private void arguments(List<Expr> positional, List<Expr.Keyword> keywords) {
    elements(positional);
    String before = positional.isEmpty() ? "" : ", ";
    for (Expr.Keyword keyword : keywords) {
      out.append(before).append(keyword.name().map(name -> name + "=").orElse("**"));
      test(keyword.value());
      before = ", ";
    }
  }

  private void parameters(Parameters parameters) {
    String before = "";
    int count = 0;
    for (Parameter parameter : parameters.positional()) {
      parameter(before, parameter);
      before = ", ";
      if (++count == parameters.positionalOnly()) {
        out.append(", /");
      }
    }
    if (parameters.varArgs().isPresent()) {
      parameter(before + "*", parameters.varArgs().get());
      before = ", ";
    } else if (!parameters.keywordOnly().isEmpty()) {
      out.append(before).append('*');
      before = ", ";
    }
    for (Parameter parameter : parameters.keywordOnly()) {
      parameter(before, parameter);
      before = ", ";
    }
    Optional<Parameter> rest = parameters.keywordArgs();
    if (rest.isPresent()) {
      parameter(before + "**", rest.get());
    }
  }

  private void parameter(String before, Parameter parameter) {
    out.append(before).append(parameter.name());
    parameter.annotation().ifPresent(annotation -> test(": ", annotation));
    parameter.defaultValue().ifPresent(value -> test("=", value));
  }

  private void quoted(String open, String value) {
    out.append(open);
    value.codePoints().forEach(this::character);
    out.append('"');
  }

  private void parts(List<FormatPart> parts, boolean inSpec) {
    for (FormatPart part : parts) {
      switch (part) {
        case Expr.TextPart text ->
            text.text()
                .codePoints()
                .forEach(
                    c -> {
                      if (c == '{' || c == '}') {
                        brace((char) c, inSpec);
                      } else {
                        character(c);
                      }
                    });
        case Expr.FieldPart field -> field(field);
      }
    }
  }

  /** A format specification knows no doubled braces. */
  private void brace(char brace, boolean inSpec) {
    if (inSpec) {
      out.append(brace == '{' ? "\\x7b" : "\\x7d");
    } else {
      out.append(brace).append(brace);
    }
  }

  private void field(Expr.FieldPart field) {
    out.append('{');
    if (field.debugText().isEmpty()) {
      int start = out.length();
      // Lambdas and conditionals get brackets: the colon of a lambda would start the format.
      print(field.value(), Operators.OR);
      if (out.charAt(start) == '{') {
        out.insert(start, ' ');
      }
    } else {
      out.append(field.debugText());
    }
    out.append(field.conversion().isEmpty() ? "" : "!" + field.conversion());
    boolean bareDebug = !field.debugText().isEmpty() && field.conversion().isEmpty();
    if (!field.spec().isEmpty() || bareDebug) {
      out.append(':');
      parts(field.spec(), true);
    }
    out.append('}');
  }

  private void character(int c) {
    switch (c) {
      case '\\' -> out.append("\\\\");
      case '"' -> out.append("\\\"");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        if (c >= ' ' && c < 127) {
          out.append((char) c);
        } else {
          out.append(String.format(c < 256 ? "\\x%02x" : c < 65536 ? "\\u%04x" : "\\U%08x", c));
        }
      }
    }
  }
}
