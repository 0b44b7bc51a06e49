package io.ringmaster.worker.job;

import io.ringmaster.worker.job.Declaration.Golden;
import io.ringmaster.worker.job.Declaration.Input;
import io.ringmaster.worker.job.Declaration.Output;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.PythonParser;
import io.ringmaster.worker.source.SourceFile;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The driver script that a {@link Declaration} stands for: the program as it was given, so that its
 * lines keep their numbers, and a driver behind it. From there on a declared job is a job like any
 * other.
 */
public final class DeclaredScript {

  /** What stands in front of the fields; names that clients could choose are kept aside. */
  private static final String HEAD =
      """
      # The driver of this declared job.
      import ringmaster
      import torch
      from pypto import ir as _ir
      from pypto.ir import DistributedConfig as _DistributedConfig
      _len = len
      _all = all
      """;

  private static final double RTOL = 1e-5;
  private static final double ATOL = 1e-8;

  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,63}");
  private static final Set<String> TAKEN = Set.of("nr", "torch", "ringmaster");

  private final Declaration declaration;
  private final Set<Fault> faults = new LinkedHashSet<>();

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
    String program = declaration.program().text();
    String head = program + (program.endsWith("\n") ? "" : "\n") + "\n\n" + HEAD;
    int from = (int) program.lines().count() + 1;
    DeclaredDriver driver = new DeclaredDriver((int) head.lines().count() + 1);
    new DeclaredFields(driver, faults).write(declaration, seen(""));
    call(driver);
    driver.field("");
    if (!faults.isEmpty()) {
      return new Faulty(List.copyOf(faults));
    }
    if (!canBeRead(declaration.program())) {
      // What is wrong with the program alone is said of it alone: its end isn't the driver's.
      return new Script(declaration.program());
    }
    DeclaredPlaces places =
        new DeclaredPlaces(
            from,
            inputs(Input::name),
            outputs(Output::name),
            declaration.goldens().stream().map(Golden::argument).toList(),
            IntStream.range(0, declaration.goldens().size()).mapToObj(this::nameOfGolden).toList(),
            driver.places());
    SourceFile script =
        SourceFile.of(declaration.program().name(), head + driver.text() + places.comment() + "\n");
    unknownNames(script, places);
    return faults.isEmpty() ? new Script(script) : new Faulty(List.copyOf(faults));
  }

  private static boolean canBeRead(SourceFile program) {
    try {
      return PythonParser.read(program).problems().isEmpty();
    } catch (DiagnosticException e) {
      return false;
    }
  }

  /** Names in expressions that nothing defines; what is wrong with the program comes later. */
  private void unknownNames(SourceFile script, DeclaredPlaces places) {
    PythonParser.Reading reading;
    try {
      reading = PythonParser.read(script);
    } catch (DiagnosticException e) {
      return; // Said with its place when the script is checked.
    }
    for (Diagnostic unknown : ScriptRun.RUNNER.unknown(reading)) {
      places
          .at(unknown.span().line())
          .filter(DeclaredPlaces.Place::text)
          .ifPresent(place -> unknownName(unknown, place));
    }
  }

  private void unknownName(Diagnostic unknown, DeclaredPlaces.Place place) {
    String hint =
        unknown.hint().isEmpty() ? "" : " (" + DeclaredTerms.advised(unknown.hint()) + ")";
    int line = unknown.span().line() - place.first();
    String output =
        outputs(Output::name).stream()
            .filter(name -> unknown.message().contains("'" + name + "'"))
            .findFirst()
            .map(name -> "; '" + name + "' is an output, whose values no expression sees")
            .orElse("");
    fault(
        place.pointer(),
        "%s at %scolumn %d of the expression%s; it sees %s%s"
            .formatted(
                unknown.message(),
                line == 0 ? "" : "line " + (line + 1) + ", ",
                unknown.span().column(),
                hint,
                known(place.pointer()),
                output));
  }

  /** What an expression can name besides what the program defines. */
  private String known(String pointer) {
    String inputs = String.join(", ", inputs(Input::name));
    return pointer.startsWith("/golden") && !inputs.isEmpty()
        ? "nr, torch and the inputs " + inputs
        : "nr, the number of devices, and what the program defines";
  }

  private List<String> inputs(Function<Input, String> text) {
    return declaration.inputs().stream().map(text).toList();
  }

  private List<String> outputs(Function<Output, String> text) {
    return declaration.outputs().stream().map(text).toList();
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

  /** {@code nr, x, w}, each input with something behind its name. */
  private String seen(String behind) {
    return Stream.concat(Stream.of("nr"), inputs(input -> input.name() + behind).stream())
        .collect(Collectors.joining(", "));
  }

  private void call(DeclaredDriver driver) {
    driver.line("def _run_declared():");
    driver.line("    _ids = ringmaster.devices()").line("    nr = _len(_ids)");
    driver.field("/entry").line("    _program = _entry(nr)").field("");
    driver.line("    _config = _DistributedConfig(device_ids=_ids)");
    driver.line("    _compiled = _ir.compile(_program, distributed_config=_config)");
    for (int i = 0; i < declaration.inputs().size(); i++) {
      String name = declaration.inputs().get(i).name();
      driver.field("/inputs/" + i).line("    %s = _input_%d(nr)".formatted(name, i));
    }
    for (int i = 0; i < declaration.outputs().size(); i++) {
      String name = declaration.outputs().get(i).name();
      driver.field("/outputs/" + i).line("    %s = _output_%d(nr)".formatted(name, i));
    }
    driver.field("").line("    ringmaster.fits(");
    driver.field("/entry").line("        _compiled,").field("");
    driver.line("        %d,".formatted(declaration.inputs().size()));
    arguments(driver);
    List<String> names =
        Stream.concat(inputs(Input::name).stream(), outputs(Output::name).stream()).toList();
    for (int i = 0; i < declaration.goldens().size(); i++) {
      int place = names.indexOf(declaration.goldens().get(i).argument());
      driver.field("/golden/" + i).line("    ringmaster.changes(_compiled, %d)".formatted(place));
    }
    for (int i = 0; i < declaration.goldens().size(); i++) {
      driver
          .field("/golden/" + i)
          .line(
              "    %s = _golden_%d(%s, %s)"
                  .formatted(
                      nameOfGolden(i),
                      i,
                      seen(".clone()"),
                      declaration.goldens().get(i).argument()));
    }
    driver.field("").line("    _compiled(");
    arguments(driver);
    comparisons(driver);
    driver.line("_run_declared()");
  }

  /** The tensors of the call, each on its line. */
  private void arguments(DeclaredDriver driver) {
    for (int i = 0; i < declaration.inputs().size(); i++) {
      driver.field("/inputs/" + i).line("        " + declaration.inputs().get(i).name() + ",");
    }
    for (int i = 0; i < declaration.outputs().size(); i++) {
      driver.field("/outputs/" + i).line("        " + declaration.outputs().get(i).name() + ",");
    }
    driver.field("").line("    )");
  }

  private void comparisons(DeclaredDriver driver) {
    driver.line("    _held = [");
    for (int i = 0; i < declaration.goldens().size(); i++) {
      Golden golden = declaration.goldens().get(i);
      boolean whole =
          declaration.dtype(golden.argument()).filter(dtype -> !dtype.isFloat()).isPresent();
      driver
          .field("/golden/" + i)
          .line(
              "        torch.allclose(%s, %s, rtol=%s, atol=%s),"
                  .formatted(
                      golden.argument(),
                      nameOfGolden(i),
                      tolerance(golden.rtol(), whole ? 0 : RTOL, "/golden/" + i + "/rtol"),
                      tolerance(golden.atol(), whole ? 0 : ATOL, "/golden/" + i + "/atol")));
    }
    driver.field("").line("    ]").line("    assert _all(_held)");
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

  private double tolerance(Optional<Double> given, double otherwise, String pointer) {
    double value = given.orElse(otherwise);
    if (!(value >= 0) || Double.isInfinite(value)) {
      fault(pointer, "a tolerance is a finite number of at least 0, not " + value);
    }
    return value;
  }

  private void fault(String pointer, String message) {
    faults.add(new Fault(pointer, message));
  }
}
