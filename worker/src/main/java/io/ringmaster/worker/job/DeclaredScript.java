package io.ringmaster.worker.job;

import io.ringmaster.worker.job.Declaration.Arange;
import io.ringmaster.worker.job.Declaration.Expected;
import io.ringmaster.worker.job.Declaration.Formula;
import io.ringmaster.worker.job.Declaration.Full;
import io.ringmaster.worker.job.Declaration.Golden;
import io.ringmaster.worker.job.Declaration.Input;
import io.ringmaster.worker.job.Declaration.Npy;
import io.ringmaster.worker.job.Declaration.Output;
import io.ringmaster.worker.job.Declaration.Randn;
import io.ringmaster.worker.job.Declaration.Values;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.ParserLimits;
import io.ringmaster.worker.source.PythonParser;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.NpyReader;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The driver script that a {@link Declaration} stands for: the program as it was given, so that its
 * lines keep their numbers, and a driver behind it. From there on a declared job is a job like any
 * other.
 */
public final class DeclaredScript {

  /** How the functions that compute the goldens are called, with a number behind. */
  private static final String FUNCTION = "_golden_";

  /** Stands around the pointer of an expression in front of its first line. */
  private static final String MARK = "\u0001";

  /** Begins the line behind an expression. */
  private static final String CLOSE = "    )";

  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,63}");
  private static final Set<String> TAKEN = Set.of("nr", "torch", "ringmaster");

  private final Declaration declaration;
  private final Set<Fault> faults = new LinkedHashSet<>();

  /** Where the lines of the script that are expressions of the declaration come from. */
  private final Map<Integer, String> pointers = new HashMap<>();

  private DeclaredScript(Declaration declaration) {
    this.declaration = declaration;
  }

  /**
   * Something that keeps a declaration from being a job.
   *
   * @param pointer where, as a JSON pointer into the declaration: {@code /inputs/0/name}
   */
  public record Fault(String pointer, String message) {}

  /** What came out: a script, or what is wrong. */
  public sealed interface Result {}

  public record Script(SourceFile source) implements Result {}

  /** Every fault that was found, at least one. */
  public record Faulty(List<Fault> faults) implements Result {}

  /** Writes the script of a declaration. */
  public static Result of(Declaration declaration) {
    return new DeclaredScript(declaration).write();
  }

  private Result write() {
    names();
    String driver = driver();
    if (!faults.isEmpty()) {
      return new Faulty(List.copyOf(faults));
    }
    String program = declaration.program().text();
    SourceFile script = script(program + (program.endsWith("\n") ? "" : "\n"), driver);
    unknownNames(script);
    return faults.isEmpty() ? new Script(script) : new Faulty(List.copyOf(faults));
  }

  /** The whole text; notes which of its lines are those of the declaration. */
  private SourceFile script(String program, String driver) {
    StringBuilder text = new StringBuilder(program);
    int line = (int) program.lines().count();
    String pointer = "";
    for (String written : driver.lines().toList()) {
      line++;
      if (written.startsWith(MARK)) {
        int end = written.indexOf(MARK, 1);
        pointer = written.substring(1, end);
        text.append(written, end + 1, written.length()).append('\n');
      } else {
        text.append(written).append('\n');
      }
      if (written.startsWith(CLOSE)) {
        pointer = "";
      } else if (!pointer.isEmpty()) {
        pointers.put(line, pointer);
      }
    }
    return SourceFile.of(declaration.program().name(), text.toString());
  }

  /** Names in expressions that nothing defines; what is wrong with the program comes later. */
  private void unknownNames(SourceFile script) {
    PythonParser.Reading reading;
    try {
      reading = PythonParser.read(script);
    } catch (DiagnosticException e) {
      return; // The program can't be read, which is said with its place when the script is checked.
    }
    for (Diagnostic unknown : ScriptRun.RUNNER.unknown(reading)) {
      Optional.ofNullable(pointers.get(unknown.span().line()))
          .ifPresent(
              pointer -> {
                String hint = unknown.hint().isEmpty() ? "" : " (" + unknown.hint() + ")";
                fault(
                    pointer,
                    "%s at column %d of the expression%s; it sees %s"
                        .formatted(
                            unknown.message(), unknown.span().column(), hint, known(pointer)));
              });
    }
  }

  /** What an expression can name besides what the program defines. */
  private String known(String pointer) {
    String inputs =
        declaration.inputs().stream().map(Input::name).collect(Collectors.joining(", "));
    return pointer.startsWith("/golden") && !inputs.isEmpty()
        ? "nr, torch and the inputs " + inputs
        : "nr, the number of devices, and what the program defines";
  }

  private void names() {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < declaration.inputs().size(); i++) {
      name(declaration.inputs().get(i).name(), "/inputs/" + i + "/name", seen);
    }
    for (int i = 0; i < declaration.outputs().size(); i++) {
      name(declaration.outputs().get(i).name(), "/outputs/" + i + "/name", seen);
    }
    if (declaration.goldens().isEmpty()) {
      fault("/golden", "a job that compares nothing verifies nothing: give at least one golden");
    }
    for (int i = 0; i < declaration.goldens().size(); i++) {
      String argument = declaration.goldens().get(i).argument();
      if (!seen.contains(argument)) {
        fault(
            "/golden/" + i + "/argument",
            "there is no input or output '%s'; there are %s"
                .formatted(argument, seen.stream().sorted().collect(Collectors.joining(", "))));
      }
    }
  }

  private void name(String name, String pointer, Set<String> seen) {
    if (PythonParser.isKeyword(name)) {
      fault(pointer, "the name '%s' is a word of Python; choose another".formatted(name));
    } else if (!NAME.matcher(name).matches()) {
      fault(
          pointer,
          "'%s' can't be a name: use 1 to 64 letters, digits and '_', a letter first"
              .formatted(name));
    } else if (TAKEN.contains(name)) {
      fault(pointer, "the name '%s' is taken; choose another".formatted(name));
    } else if (!seen.add(name)) {
      fault(pointer, "the name '%s' is there twice".formatted(name));
    }
  }

  private String driver() {
    var lines = new ArrayList<String>();
    lines.add("");
    lines.add("");
    lines.add("# The driver of this declared job.");
    lines.add("import argparse");
    lines.add("import ringmaster");
    lines.add("import torch");
    lines.add("from pypto import ir as _ir");
    lines.add("from pypto.ir import DistributedConfig as _DistributedConfig");
    lines.add("");
    lines.add("");
    goldens(lines);
    lines.add("def _run_declared():");
    lines.add("    _parser = argparse.ArgumentParser()");
    lines.add("    _parser.add_argument('-p', dest='platform')");
    lines.add("    _parser.add_argument('-d', dest='device')");
    lines.add("    _args = _parser.parse_args()");
    lines.add("    _ids = [int(i) for i in _args.device.split(',')]");
    lines.add("    nr = len(_ids)");
    lines.add("    _program = " + expression(declaration.entry(), "/entry"));
    for (int i = 0; i < declaration.inputs().size(); i++) {
      Input input = declaration.inputs().get(i);
      lines.add("    " + input.name() + " = " + values(input.values(), "/inputs/" + i));
    }
    for (int i = 0; i < declaration.outputs().size(); i++) {
      Output output = declaration.outputs().get(i);
      String shape = shape(output.shape(), "/outputs/" + i);
      String type = type(output.dtype(), "/outputs/" + i);
      lines.add("    %s = torch.zeros(%s, dtype=%s)".formatted(output.name(), shape, type));
    }
    List<String> comparisons = new ArrayList<>();
    for (int i = 0; i < declaration.goldens().size(); i++) {
      Golden golden = declaration.goldens().get(i);
      String expected = nameOfGolden(i);
      lines.add(
          "    %s = %s(%s, %s)"
              .formatted(
                  expected,
                  FUNCTION + i,
                  Stream.concat(
                          Stream.of("nr"),
                          declaration.inputs().stream().map(input -> input.name() + ".clone()"))
                      .collect(Collectors.joining(", ")),
                  golden.argument()));
      comparisons.add(
          "        torch.allclose(%s, %s, rtol=%s, atol=%s),"
              .formatted(
                  golden.argument(),
                  expected,
                  tolerance(golden.rtol(), "/golden/" + i + "/rtol"),
                  tolerance(golden.atol(), "/golden/" + i + "/atol")));
    }
    lines.add("    _config = _DistributedConfig(device_ids=_ids)");
    lines.add(
        "    _ir.compile(_program, platform=_args.platform, distributed_config=_config)(%s)"
            .formatted(
                Stream.concat(
                        declaration.inputs().stream().map(Input::name),
                        declaration.outputs().stream().map(Output::name))
                    .collect(Collectors.joining(", "))));
    lines.add("    _held = [");
    lines.addAll(comparisons);
    lines.add("    ]");
    lines.add("    assert all(_held)");
    lines.add("");
    lines.add("");
    lines.add("_run_declared()");
    return String.join("\n", lines) + "\n";
  }

  /** A function for each golden, which sees the inputs and nothing else of the call. */
  private void goldens(List<String> lines) {
    String parameters =
        Stream.concat(Stream.of("nr"), declaration.inputs().stream().map(Input::name))
            .collect(Collectors.joining(", "));
    for (int i = 0; i < declaration.goldens().size(); i++) {
      String expected = expected(declaration.goldens().get(i).expected(), "/golden/" + i);
      lines.add("def %s(%s, _like):".formatted(FUNCTION + i, parameters));
      lines.add(
          "    return ringmaster.golden(torch.as_tensor(%s), _like, \"golden %d of '%s'\")"
              .formatted(expected, i, declaration.goldens().get(i).argument()));
      lines.add("");
      lines.add("");
    }
  }

  /** As the checks call it: {@code golden_of_y}, with a number where there are several. */
  private String nameOfGolden(int place) {
    String argument = declaration.goldens().get(place).argument();
    long same =
        declaration.goldens().stream().filter(other -> other.argument().equals(argument)).count();
    String name = "golden_of_" + argument + (same > 1 ? "_" + place : "");
    boolean taken =
        Stream.concat(
                declaration.inputs().stream().map(Input::name),
                declaration.outputs().stream().map(Output::name))
            .anyMatch(name::equals);
    return taken ? "_" + name : name;
  }

  private String values(Values values, String pointer) {
    return switch (values) {
      case Arange(DType dtype, List<String> extents, double start, double step) -> {
        List<String> texts = extents(extents, pointer);
        yield "(torch.arange(%s, dtype=torch.float64) * %s + %s).reshape([%s]).to(%s)"
            .formatted(
                texts.isEmpty() ? "1" : String.join(" * ", texts),
                number(step, dtype, pointer + "/arange/step"),
                number(start, dtype, pointer + "/arange/start"),
                String.join(", ", texts),
                type(dtype, pointer));
      }
      case Randn(DType dtype, List<String> extents, long seed) -> {
        if (!dtype.isFloat()) {
          fault(
              pointer + "/randn",
              "random values are fractions, of which "
                  + dtype
                  + " would keep 0, 1 and -1:"
                  + " use arange, full or npy");
        }
        yield "torch.randn(%s, generator=torch.Generator().manual_seed(%d)).to(%s)"
            .formatted(shape(extents, pointer), seed, type(dtype, pointer));
      }
      case Full(DType dtype, List<String> extents, double value) ->
          "torch.full(%s, %s).to(%s)"
              .formatted(
                  shape(extents, pointer),
                  number(value, dtype, pointer + "/full"),
                  type(dtype, pointer));
      case Npy npy -> npy(npy, pointer + "/npy");
    };
  }

  private String expected(Expected expected, String pointer) {
    return switch (expected) {
      case Formula(String expression) -> expression(expression, pointer + "/expression");
      case Npy npy -> npy(npy, pointer + "/npy");
    };
  }

  private String npy(Npy npy, String pointer) {
    try {
      NpyReader.read(Base64.getDecoder().decode(npy.base64()));
    } catch (IllegalArgumentException e) {
      fault(pointer, "the .npy file can't be read: " + e.getMessage());
    }
    return "ringmaster.npy('" + npy.base64() + "')";
  }

  private String shape(List<String> extents, String pointer) {
    return "[" + String.join(", ", extents(extents, pointer)) + "]";
  }

  private List<String> extents(List<String> extents, String pointer) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < extents.size(); i++) {
      String at = pointer + "/shape/" + i;
      texts.add("ringmaster.extent(%s, \"%s\")".formatted(expression(extents.get(i), at), at));
      negative(extents.get(i), at);
    }
    return texts;
  }

  /** An extent that is known now; what depends on the number of devices the run looks at. */
  private void negative(String text, String pointer) {
    try {
      Expr extent =
          PythonParser.parseExpression(new SourceFile(pointer, text), ParserLimits.DEFAULT);
      constant(extent)
          .filter(value -> value.signum() < 0)
          .ifPresent(value -> fault(pointer, "an extent is at least 0, not " + value));
    } catch (DiagnosticException e) {
      return; // Said when the text was put into the script.
    }
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

  private String type(DType dtype, String pointer) {
    String name =
        switch (dtype) {
          case FP32 -> "float32";
          case FP16 -> "float16";
          case BF16 -> "bfloat16";
          case INT8 -> "int8";
          case INT16 -> "int16";
          case INT32 -> "int32";
          case INT64 -> "int64";
          case UINT8 -> "uint8";
          case UINT16 -> "uint16";
          case UINT32 -> "uint32";
          case BOOL -> "bool";
          case FP64, UINT64, INDEX, TASK_ID, INT4, UINT4 -> "";
          case FP8E4M3FN, FP8E5M2, FP8E8M0, HF8, FP4, HF4 -> "";
        };
    if (name.isEmpty()) {
      fault(pointer + "/dtype", "host tensors can't be " + dtype);
    }
    return "torch." + name;
  }

  private String number(double value, DType dtype, String pointer) {
    if (!Double.isFinite(value)) {
      fault(pointer, value + " isn't a finite number");
    } else if (!dtype.isFloat() && value != Math.rint(value)) {
      fault(pointer, value + " isn't a whole number, as " + dtype + " needs");
    }
    return Double.toString(value);
  }

  private String tolerance(double value, String pointer) {
    if (!(value >= 0) || Double.isInfinite(value)) {
      fault(pointer, "a tolerance is a finite number of at least 0, not " + value);
    }
    return Double.toString(value);
  }

  /** The text in parentheses, once it is known to be one expression and nothing else. */
  private String expression(String text, String pointer) {
    try {
      PythonParser.parseExpression(new SourceFile(pointer, text), ParserLimits.DEFAULT);
    } catch (DiagnosticException e) {
      fault(pointer, "'%s' isn't an expression: %s".formatted(text, e.getMessage()));
    }
    // On lines of its own: a comment at the end of the text swallows nothing, and a message that
    // points there shows what the user wrote.
    return "(\n" + MARK + pointer + MARK + text + "\n" + CLOSE;
  }

  private void fault(String pointer, String message) {
    faults.add(new Fault(pointer, message));
  }
}
