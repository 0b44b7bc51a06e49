package io.ringmaster.worker.frontend;

import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Parameters;
import io.ringmaster.worker.source.Parameters.Parameter;
import io.ringmaster.worker.source.Stmt;
import java.util.ArrayList;
import java.util.List;

/** What the head of a function can't have, whatever its parameters are. */
final class FunctionForm {

  private final Messages messages;
  private boolean broken;

  private FunctionForm(Messages messages) {
    this.messages = messages;
  }

  /**
   * Says what is wrong with a head, each thing at its place; true when something is.
   *
   * @param what how messages call such a function, e.g. {@code a JIT function}
   * @param defaults true where parameters may have default values
   */
  static boolean refuse(
      Stmt.FunctionDef definition, String what, boolean defaults, Messages messages) {
    FunctionForm form = new FunctionForm(messages);
    if (definition.isAsync()) {
      form.error("async functions can't be kernels", "write def without async", definition);
    }
    if (definition.name().contains("__")) {
      form.error(
          "'" + definition.name() + "' contains the reserved delimiter '__'",
          "rename the function",
          definition);
    }
    for (Parameter parameter : guilty(definition.parameters())) {
      form.error(
          what + " takes plain positional parameters only, not '" + parameter.name() + "'",
          "write the parameters one by one, without * and **",
          parameter);
    }
    if (!defaults) {
      for (Parameter parameter : definition.parameters().positional()) {
        parameter.defaultValue().ifPresent(value -> form.refuseDefault(parameter, value));
      }
    }
    return form.broken;
  }

  /** The parameters of {@code *args}, {@code **kwargs} and those behind a {@code *}. */
  static List<Parameter> beyondPositional(Parameters parameters) {
    List<Parameter> others = new ArrayList<>(parameters.keywordOnly());
    parameters.varArgs().ifPresent(others::add);
    parameters.keywordArgs().ifPresent(others::add);
    return others;
  }

  /** Those of them that the others follow from: what stands behind a {@code *} is one mistake. */
  private static List<Parameter> guilty(Parameters parameters) {
    List<Parameter> guilty = new ArrayList<>();
    parameters
        .varArgs()
        .or(() -> parameters.keywordOnly().stream().findFirst())
        .ifPresent(guilty::add);
    parameters.keywordArgs().ifPresent(guilty::add);
    return guilty;
  }

  private void refuseDefault(Parameter parameter, Expr value) {
    broken = true;
    messages.error(
        "parameters of a program's function can't have default values, '"
            + parameter.name()
            + "' has one",
        "leave it away, and give the value in each call",
        value.span());
  }

  private void error(String message, String hint, Stmt.FunctionDef definition) {
    broken = true;
    messages.error(message, hint, definition.nameSpan());
  }

  private void error(String message, String hint, Parameter parameter) {
    broken = true;
    messages.error(message, hint, parameter.span());
  }
}
