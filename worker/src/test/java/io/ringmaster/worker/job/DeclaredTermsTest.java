package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.job.Declaration.Arange;
import io.ringmaster.worker.job.Declaration.Formula;
import io.ringmaster.worker.job.Declaration.Full;
import io.ringmaster.worker.job.Declaration.Golden;
import io.ringmaster.worker.job.Declaration.Input;
import io.ringmaster.worker.job.Declaration.Npy;
import io.ringmaster.worker.job.Declaration.Output;
import io.ringmaster.worker.job.Declaration.Values;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.NpyWriter;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hostile declarations: what is said of them is said of their fields and the program's lines. */
class DeclaredTermsTest {

  private static final List<String> SHAPE = List.of("nr", "1", "16");
  private static final String PROGRAM =
      """
      import pypto.language as pl

      @pl.program
      class Copy:
          @pl.function(type=pl.FunctionType.InCore)
          def step(self, x: pl.Tensor[[1, 16], pl.TYPE], y: pl.Out[pl.Tensor[[1, 16], pl.TYPE]]):
              y = pl.store(pl.load(x, [0, 0], [1, 16]), [0, 0], y)

          @pl.function(type=pl.FunctionType.Orchestration)
          def chip(self, x: pl.Tensor[[1, 16], pl.TYPE], y: pl.Out[pl.Tensor[[1, 16], pl.TYPE]]):
              self.step(x, y)

          @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
          def host(
              self, x: pl.Tensor[[2, 1, 16], pl.TYPE], y: pl.Out[pl.Tensor[[2, 1, 16], pl.TYPE]]
          ):
              for r in pl.range(2):
                  self.chip(x[r], y[r], device=r)

      def make(n):
          return Copy

      def broken(n):
          return n // (n - 2)

      class Other:
          pass
      """;

  /** What no client has seen, or could change. */
  private static final Pattern DRIVER =
      Pattern.compile(
          "_golden_|golden_of_|_run_declared|_compiled|_input_\\d|_output_\\d|_entry\\b|_like|_held"
              + "|_all\\b|_len\\b|torch\\.equal|torch\\.allclose|ir\\.compile|\\.to\\(|as_tensor"
              + "|manual_seed|the script|argparse|ringmaster\\.[a-z]+\\(");

  private static final Pattern LINE = Pattern.compile("(?:\\bline |copy\\.py:)(\\d+)");

  private static SourceFile program(String type) {
    return SourceFile.of("copy.py", PROGRAM.replace("TYPE", type));
  }

  private static Input input(String name, Values values) {
    return new Input(name, values);
  }

  private static Arange counted() {
    return new Arange(DType.FP32, SHAPE, 1, 1);
  }

  private static Golden golden(String argument, String expression) {
    return new Golden(argument, new Formula(expression), Optional.empty(), Optional.empty());
  }

  private static Declaration declared(String entry, Input input, Golden... goldens) {
    return new Declaration(
        program("FP32"),
        entry,
        List.of(input),
        List.of(new Output("y", DType.FP32, SHAPE)),
        List.of(goldens));
  }

  private static JobReport run(Declaration declaration) {
    return switch (DeclaredScript.of(declaration)) {
      case DeclaredScript.Script(SourceFile source) -> Examples.run(source, List.of(0, 1));
      case DeclaredScript.Faulty(List<DeclaredScript.Fault> faults) ->
          throw new AssertionError(faults);
    };
  }

  /** A report in everything that clients get to read names nothing of the driver. */
  private static void inTheClientsTerms(JobReport report, Declaration declaration) {
    int most = (int) declaration.program().text().lines().count();
    String all = ReportJson.write(report) + JUnitXml.write("copy.py", report);
    assertThat(DRIVER.matcher(all).results().map(found -> found.group())).as(all).isEmpty();
    assertThat(LINE.matcher(all).results().map(found -> Integer.parseInt(found.group(1))))
        .as(all)
        .allMatch(line -> line <= most);
    assertThat(report.diagnostics()).allMatch(line -> line.line() <= most);
    for (JobReport.Run run : report.runs()) {
      assertThat(run.checks()).allMatch(check -> check.line() == 0);
      assertThat(run.findings())
          .flatExtracting(JobReport.FindingLine::places)
          .allMatch(place -> place.line() <= most);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "x @ x | ERROR | 1 | mat1 and mat2 shapes cannot be multiplied",
        "x + torch.ones(3) | ERROR | 1 | The size of tensor a (16) must match",
        "2 * x.foo() | REJECTED | 7 | 'Tensor' object has no attribute 'foo'",
        "x + 1 // (nr - 2) | ERROR | 5 | integer division or modulo by zero",
        "x.reshape(5) | ERROR | 1 | shape '[5]' is invalid",
        "x[7] | ERROR | 1 | index 7 is out of bounds",
        "nr | REJECTED | 1 | has shape [], and what it is held against has [2, 1, 16]",
        "'a' | ERROR | 0 | can't make a tensor of str",
        "None | ERROR | 0 | can't make a tensor of NoneType",
        "Copy | ERROR | 0 | can't make a tensor of Program",
        "x.double() * 1e300 | ERROR | 1 | is 1.0E300 at [0, 0, 0], which FP32 can't hold",
        "make() * x | ERROR | 1 | missing 1 required positional argument: 'n'",
      })
  void aGoldenThatCantBeComputedIsNamed(
      String expression, Verdict verdict, int column, String says) {
    var declaration = declared("Copy", input("x", counted()), golden("y", expression));
    JobReport report = run(declaration);

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(verdict);
    JobReport.DiagnosticLine line = report.diagnostics().getFirst();
    assertThat(line.field()).isEqualTo("/declaration/golden/0/expression");
    assertThat(line.message()).contains(says);
    assertThat(line.column()).isEqualTo(column);
    assertThat(line.source()).isEqualTo(column == 0 ? "" : expression);
    assertThat(report.sentence())
        .startsWith(
            "golden of 'y' (/declaration/golden/0/expression"
                + (column == 0 ? "" : ", column " + column)
                + "): ")
        .contains(says);
    inTheClientsTerms(report, declaration);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "make | REJECTED | 1 | entry is a function, and a declared job runs a @pl.program class",
        "make() | ERROR | 1 | missing 1 required positional argument: 'n'",
        "Other | REJECTED | 1 | entry is a class without @pl.program",
        "3 | REJECTED | 1 | entry is of type int",
        "Copy() | ERROR | 1 | a @pl.program class is named and not called",
        "Copy.step | REJECTED | 6 | 'Program' object has no attribute 'step'",
      })
  void anEntryThatIsNoProgramIsNamed(String entry, Verdict verdict, int column, String says) {
    var declaration = declared(entry, input("x", counted()), golden("y", "x"));
    JobReport report = run(declaration);

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(verdict);
    assertThat(report.sentence())
        .startsWith("entry (/declaration/entry, column " + column + "): ")
        .contains(says);
    inTheClientsTerms(report, declaration);
  }

  @Test
  void whatTheProgramItselfRaisesKeepsItsLine() {
    var declaration = declared("broken(nr)", input("x", counted()), golden("y", "x"));
    JobReport report = run(declaration);

    assertThat(report.verdict()).isEqualTo(Verdict.ERROR);
    JobReport.DiagnosticLine line = report.diagnostics().getFirst();
    assertThat(line.field()).isNull();
    assertThat(line.source()).isEqualTo("    return n // (n - 2)");
    assertThat(report.runs().getFirst().log())
        .contains("In entry (/declaration/entry)\n    broken(nr)");
    inTheClientsTerms(report, declaration);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "nr 1 32 | FP32 | has shape [2, 1, 32], the parameter wants 16 in dimension 2"
            + " | declare it with the parameter's shape, [2, 1, 16]",
        "nr 16 | FP32 | has 2 dimensions [2, 16], the parameter has 3"
            + " | declare it with the parameter's shape, [2, 1, 16]",
        "nr 0 16 | FP32 | has shape [2, 0, 16], the parameter wants 1 in dimension 1"
            + " | declare it with the parameter's shape, [2, 1, 16]",
        "nr 1 16 | INT32 | has dtype INT32, the parameter is FP32"
            + " | declare it with the parameter's element type",
      })
  void anInputThatDoesntFitIsNamedBeforeItsGolden(
      String shape, DType dtype, String says, String fix) {
    var x = new Arange(dtype, List.of(shape.split(" ", -1)), 1, 1);
    var declaration = declared("Copy", input("rows", x), golden("y", "rows @ rows"));
    JobReport report = run(declaration);

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.REJECTED);
    assertThat(report.sentence())
        .isEqualTo("input 'rows' (/declaration/inputs/0): argument 'x' " + says);
    assertThat(report.diagnostics().getFirst().hint()).startsWith(fix);
    inTheClientsTerms(report, declaration);
  }

  @Test
  void aFileThatDoesntFitIsNamed() {
    var file =
        new Npy(
            Base64.getEncoder()
                .encodeToString(NpyWriter.write(HostTensor.zeros(DType.FP64, 2, 1, 16))));
    var declaration = declared("Copy", input("x", file), golden("y", "x"));
    JobReport report = run(declaration);

    assertThat(report.sentence())
        .isEqualTo(
            "input 'x' (/declaration/inputs/0): argument 'x' has dtype FP64, the parameter is"
                + " FP32");
    assertThat(report.diagnostics().getFirst().hint()).contains("save its npy file with that");
    inTheClientsTerms(report, declaration);
  }

  @Test
  void theNumberOfTensorsIsThatOfTheParameters() {
    var declaration =
        new Declaration(
            program("FP32"),
            "Copy",
            List.of(input("x", counted()), input("w", counted())),
            List.of(new Output("y", DType.FP32, SHAPE)),
            List.of(golden("y", "x")));
    JobReport report = run(declaration);

    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(report.sentence())
        .endsWith(
            "the program takes 2 tensors (x, y), and declared are 2 inputs (x, w) and 1 output"
                + " (y)");
    assertThat(report.diagnostics().getFirst().hint()).contains("inputs go first, then outputs");
    inTheClientsTerms(report, declaration);
  }

  @Test
  void whatTheProgramOnlyReadsIsNoOutputAndHasNoGolden() {
    var unread =
        new Declaration(
            program("FP32"),
            "Copy",
            List.of(),
            List.of(new Output("a", DType.FP32, SHAPE), new Output("b", DType.FP32, SHAPE)),
            List.of(golden("b", "torch.zeros(nr, 1, 16)")));
    var read = declared("Copy", input("x", counted()), golden("x", "x"), golden("y", "x"));

    assertThat(run(read).sentence())
        .isEqualTo(
            "golden of 'x' (/declaration/golden/0): the program only reads parameter 'x', so a"
                + " golden for it verifies nothing");
    inTheClientsTerms(run(read), read);
    assertThat(run(unread).sentence())
        .isEqualTo(
            "output 'a' (/declaration/outputs/0): it is given for parameter 'x', which the program"
                + " only reads, so nothing would come out in it");
    inTheClientsTerms(run(unread), unread);
  }

  @Test
  void tensorsThatAreCalledLikeOtherParametersAreNotTakenForThose() {
    var declaration =
        new Declaration(
            program("FP32"),
            "Copy",
            List.of(input("y", counted())),
            List.of(new Output("x", DType.FP32, SHAPE)),
            List.of(golden("x", "y")));
    JobReport report = run(declaration);

    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(report.sentence())
        .startsWith("input 'y' (/declaration/inputs/0): 'y' would go to parameter 'x'");
    assertThat(report.diagnostics().getFirst().hint()).startsWith("declare them in the order x, y");
    inTheClientsTerms(report, declaration);
  }

  @Test
  void anExtentThatFailsIsNamed() {
    var x = new Full(DType.FP32, List.of("nr // (nr - 2)", "1", "16"), 1);
    var declaration = declared("Copy", input("x", x), golden("y", "x"));
    JobReport report = run(declaration);

    assertThat(report.sentence())
        .isEqualTo(
            "input 'x' (/declaration/inputs/0/shape/0, column 1): ZeroDivisionError: integer"
                + " division or modulo by zero");
    inTheClientsTerms(report, declaration);
  }

  @Test
  void whatIsTooLargeNamesItsInput() {
    var x = new Full(DType.FP32, List.of("nr", "1", "10 ** 12"), 1);
    var declaration = declared("Copy", input("x", x), golden("y", "x"));
    JobReport report = run(declaration);

    assertThat(report.verdict()).isEqualTo(Verdict.RESOURCE);
    assertThat(report.sentence()).contains("more bytes for tensors").contains("/inputs/0");
    inTheClientsTerms(report, declaration);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "100000 | 60 | RESOURCE | step limit: the job took more than 100000 steps at",
        "9000000000000 | 3 | TIMED_OUT | the run took longer than its limit of 3 s; it was at",
      })
  void anExpressionThatTakesTooLongIsNamed(long steps, int seconds, Verdict verdict, String says) {
    var slow = "sum(j for i in range(10 ** 9) for j in range(10 ** 4))";
    var declaration = declared("Copy", input("x", counted()), golden("y", slow));
    var script = (DeclaredScript.Script) DeclaredScript.of(declaration);
    var limits = new JobSpec.Limits(Duration.ofSeconds(seconds), steps, 1 << 20, 2L << 30);
    JobReport report =
        new JobRunner()
            .run(
                new JobSpec(
                    script.source(), "a2a3sim", List.of(List.of(0, 1)), List.of(), limits, 0),
                RunControl.none());

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(verdict);
    assertThat(report.sentence())
        .startsWith("golden of 'y' (/declaration/golden/0/expression, column ")
        .contains(": " + says + " /declaration/golden/0/expression, column ");
    inTheClientsTerms(report, declaration);
  }

  @Test
  void anExpressionThatEndsTheJobVerifiesNothing() {
    for (String expression : List.of("exit(3)", "exit()")) {
      var declaration = declared("Copy", input("x", counted()), golden("y", expression));
      JobReport report = run(declaration);

      assertThat(report.verdict()).isNotEqualTo(Verdict.PASSED);
      inTheClientsTerms(report, declaration);
    }
  }

  @Test
  void valuesThatTheRunFindsOutOfRangeNameTheirInput() {
    var declaration =
        new Declaration(
            program("INT32"),
            "Copy",
            List.of(input("x", new Arange(DType.INT32, SHAPE, 2_147_483_640, 1))),
            List.of(new Output("y", DType.INT32, SHAPE)),
            List.of(golden("y", "x")));
    JobReport report = run(declaration);

    assertThat(report.verdict()).isEqualTo(Verdict.ERROR);
    assertThat(report.sentence())
        .startsWith("input 'x' (/declaration/inputs/0): ")
        .contains("at [0, 0, 8], which INT32 can't hold");
    inTheClientsTerms(report, declaration);
  }

  /** A hundred-thousandth of a large whole number would let a difference of one pass. */
  @Test
  void wholeNumbersAreComparedExactlyUnlessTolerancesAreGiven() {
    Golden lax = new Golden("y", new Formula("x"), 1e-5, 1e-8);
    for (Golden golden : List.of(golden("y", "x"), lax)) {
      var declaration =
          new Declaration(
              program("INT32"),
              "Copy",
              List.of(input("x", new Arange(DType.INT32, SHAPE, 20_000_000, 1))),
              List.of(new Output("y", DType.INT32, SHAPE)),
              List.of(golden));
      JobReport report = run(declaration);

      JobReport.Check check = report.runs().getFirst().checks().getFirst();
      assertThat(check.name()).isEqualTo("y ~ golden[0]");
      if (golden.equals(lax)) {
        assertThat(report.verdict()).isEqualTo(Verdict.NOT_VERIFIED);
        assertThat(report.sentence()).contains("leave rtol and atol out of the golden");
      } else {
        assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.PASSED);
        assertThat(check.rtol()).isZero();
      }
      inTheClientsTerms(report, declaration);
    }
  }

  @Test
  void aWrongResultAndWhatIsAlikeAreSaidOfTheDeclaration() {
    var x = input("x", new Full(DType.FP32, SHAPE, 1));
    var wrong = declared("Copy", x, golden("y", "x + 1"));
    var alike = declared("Copy", x, golden("y", "x"));

    assertThat(run(wrong).verdict()).isEqualTo(Verdict.WRONG_RESULT);
    assertThat(run(wrong).sentence()).startsWith("y ~ golden[0]: ");
    assertThat(run(wrong).runs().getFirst().log()).isEmpty();
    inTheClientsTerms(run(wrong), wrong);
    JobReport.FindingLine note = run(alike).runs().getFirst().findings().getFirst();
    assertThat(note.message()).endsWith("(/declaration/inputs/0)");
    assertThat(note.hint()).contains("fill it by arange or randn, or by an npy file");
    inTheClientsTerms(run(alike), alike);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "expected=1 | expected=2 | DEADLOCK",
        "expected=1 | expected=0 | RACE",
        "[0, peer * SIZE] | [0, peer * SIZE + 1] | OUT_OF_BOUNDS",
      })
  void whatAKernelDoesWrongKeepsTheProgramsLines(String right, String wrong, Verdict verdict) {
    String text = Examples.ladder("13_allgather.py").text();
    String program = text.substring(0, text.indexOf("\ndef parse_arguments("));
    var declaration =
        new Declaration(
            SourceFile.of("copy.py", program.replace(right, wrong)),
            "build_allgather(nr, 'hand')",
            List.of(input("x", new Arange(DType.FP32, List.of("nr", "1", "64"), 1, 1))),
            List.of(new Output("y", DType.FP32, List.of("nr", "1", "nr * 64"))),
            List.of(golden("y", "x.reshape(1, 1, nr * 64).expand(nr, 1, nr * 64)")));
    JobReport report = run(declaration);

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(verdict);
    assertThat(report.runs().getFirst().findings()).isNotEmpty();
    inTheClientsTerms(report, declaration);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {"x = ( | 1", "def f(): | 2", "x = '''abc | 1", "x = 1 + \\ | 1", "x = 1 $ 2 | 1"})
  void aProgramThatEndsTooEarlyIsRefusedWithinItself(String program, int line) {
    var source = SourceFile.of("copy.py", program + "\n");
    var declaration =
        new Declaration(
            source,
            "Copy",
            List.of(input("x", counted())),
            List.of(new Output("y", DType.FP32, SHAPE)),
            List.of(golden("y", "x")));
    var script = (DeclaredScript.Script) DeclaredScript.of(declaration);

    assertThat(new JobRunner().check(script.source()))
        .isNotEmpty()
        .allSatisfy(found -> assertThat(found.line()).isEqualTo(line));
  }

  @ParameterizedTest
  @CsvSource({"len", "all", "print", "Copy", "golden_of_y"})
  void namesThatMeanSomethingElsewhereAreTheInputs(String name) {
    var declaration = declared("Copy", input(name, counted()), golden("y", name));

    assertThat(run(declaration).verdict()).isEqualTo(Verdict.PASSED);
  }

  @Test
  void aRunThatCompilesNothingNamesTheField() {
    var declaration = declared("make()", input("x", counted()), golden("y", "x"));
    var script = (DeclaredScript.Script) DeclaredScript.of(declaration);

    CompiledScript compiled = Examples.compile(script.source(), List.of(0, 1));

    assertThat(compiled.isRejected()).isTrue();
    JobReport.DiagnosticLine line = compiled.report().diagnostics().getFirst();
    assertThat(line.field()).isEqualTo("/declaration/entry");
    assertThat(line.hint()).isEmpty();
    inTheClientsTerms(compiled.report(), declaration);
  }

  /** The comment that says which lines are whose may have been written by anybody. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "# declaration: ",
        "# declaration: null",
        "# declaration: {}",
        "# declaration: {'from': 1}",
        "# declaration: {'from':1,'inputs':[],'outputs':[],'goldens':['y'],'expected':['('],"
            + "'places':[]}",
        "# declaration: {'from':1,'inputs':[null],'outputs':[],'goldens':[],'expected':[],"
            + "'places':[{'first':1,'last':1,'text':true}]}",
      })
  void aCommentThatOnlyLooksLikeOurs(String comment) {
    JobReport report =
        Examples.run(
            SourceFile.of("copy.py", "x = 1 // 0\n" + comment.replace('\'', '"') + "\n"),
            List.of(0));

    assertThat(report.verdict()).isEqualTo(Verdict.ERROR);
    assertThat(report.diagnostics().getFirst().line()).isEqualTo(1);
  }

  /** A program may have checked something by itself: that says nothing of what is declared. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          sys.exit(0)                                 | Copy  | x
          pass                                        | Copy  | sys.exit(0)
          pass                                        | Copy  | exit(0) if nr else x
          def leave(n): raise SystemExit(0)           | leave(nr) | x
          """)
  void aJobThatExitsBeforeItsGoldensAreComparedIsAnError(String last, String entry, String golden) {
    String checked =
        """
        import sys
        import torch
        from pypto import ir
        from pypto.ir import DistributedConfig
        a = torch.arange(32.0).reshape(2, 1, 16) + 1
        b = torch.zeros(2, 1, 16)
        ir.compile(Copy, distributed_config=DistributedConfig(device_ids=[0, 1]))(a, b)
        assert torch.equal(a, b)
        """;
    Declaration plain = declared(entry, input("x", counted()), golden("y", golden));
    JobReport report =
        run(
            new Declaration(
                SourceFile.of("copy.py", program("FP32").text() + checked + last + "\n"),
                plain.entry(),
                plain.inputs(),
                plain.outputs(),
                plain.goldens()));

    assertThat(report.verdict()).as(report.sentence()).isEqualTo(Verdict.ERROR);
    assertThat(report.sentence()).contains("before all of its goldens were compared");
  }
}
