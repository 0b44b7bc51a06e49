package io.ringmaster.worker.script.value;

import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.DiagnosticList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The exceptions under which a script sees that a kernel breaks a rule. The original tool chain
 * raises different classes at different stages; a broken rule here is all of them at once, because
 * scripts tell the cases apart by the message.
 */
public final class KernelErrors {

  private static final ClassValue ERROR = define("Error", Exceptions.EXCEPTION);
  private static final ClassValue VERIFICATION = define("VerificationError", ERROR);
  private static final ClassValue INTERNAL = define("InternalError", ERROR);
  private static final ClassValue PARSER = define("ParserError", Exceptions.EXCEPTION);

  private static final Map<String, ClassValue> PARSER_ERRORS = parserErrors();

  private static final List<ClassValue> PLAIN =
      List.of(Exceptions.VALUE_ERROR, Exceptions.TYPE_ERROR, Exceptions.RUNTIME_ERROR);

  /** What is raised; named after the most general of the parser's errors. */
  private static final ClassValue REFUSED = refused();

  private KernelErrors() {}

  private static ClassValue define(String name, ClassValue... bases) {
    return new ClassValue(name, List.of(bases), Map.of(), List.of());
  }

  private static Map<String, ClassValue> parserErrors() {
    Map<String, ClassValue> all = new LinkedHashMap<>();
    all.put("ParserError", PARSER);
    for (String name :
        List.of(
            "ParserSyntaxError",
            "ParserTypeError",
            "UndefinedVariableError",
            "UnsupportedFeatureError",
            "InvalidOperationError",
            "SSAViolationError",
            "ScopeIsolationError")) {
      all.put(name, define(name, PARSER));
    }
    return all;
  }

  private static ClassValue refused() {
    List<ClassValue> bases = new ArrayList<>(PARSER_ERRORS.values());
    bases.removeFirst();
    bases.add(VERIFICATION);
    bases.add(INTERNAL);
    bases.addAll(PLAIN);
    return new ClassValue("InvalidOperationError", bases, Map.of(), List.of());
  }

  /**
   * A wrong use of what runs programs. Which class the original raises isn't published: this is
   * {@code like} by name, and the other plain ones as well.
   */
  public static PyError misuse(ClassValue like, String message) {
    List<ClassValue> bases = new ArrayList<>(PLAIN);
    bases.remove(like);
    bases.addFirst(like);
    ClassValue type = new ClassValue(like.name(), bases, Map.of(), List.of());
    return new PyError(Exceptions.make(type, List.of(Value.of(message)))).ofKernels();
  }

  /** A TypeError of what compiles and runs programs. */
  public static PyError type(String message) {
    return Errors.type(message).ofKernels();
  }

  /** A ValueError of the same. */
  public static PyError value(String message) {
    return Errors.value(message).ofKernels();
  }

  /** The classes that scripts import from the parser. */
  public static Map<String, Value> ofParser() {
    return Map.copyOf(PARSER_ERRORS);
  }

  /** The classes that scripts import from the top-level package. */
  public static Map<String, Value> ofPackage() {
    return Map.of("Error", ERROR, "VerificationError", VERIFICATION, "InternalError", INTERNAL);
  }

  /** Does work that may find a broken rule; the script can catch what it finds. */
  public static <T> T catchable(Supplier<T> work) {
    try {
      return work.get();
    } catch (DiagnosticException refusal) {
      throw of(refusal);
    }
  }

  /** A broken rule as an exception; nobody catching it is the same as being refused. */
  static PyError of(DiagnosticException refusal) {
    String text =
        DiagnosticList.shown(refusal.diagnostics()).stream()
            .map(KernelErrors::text)
            .collect(Collectors.joining("\n"));
    InstanceValue exception = Exceptions.make(REFUSED, List.of(Value.of(text)));
    if (!refusal.diagnostics().isEmpty()) {
      Diagnostic first = refusal.diagnostics().getFirst();
      exception.attributes().put("message", Value.of(first.message()));
      exception.attributes().put("hint", Value.of(first.hint()));
    }
    return new PyError(exception, refusal);
  }

  private static String text(Diagnostic diagnostic) {
    return diagnostic.message()
        + (diagnostic.span().isKnown() ? "\n  --> " + diagnostic.span() : "")
        + (diagnostic.hint().isEmpty() ? "" : "\n  Hint: " + diagnostic.hint());
  }
}
