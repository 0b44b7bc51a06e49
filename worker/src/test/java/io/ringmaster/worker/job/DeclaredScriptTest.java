package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.job.Declaration.Arange;
import io.ringmaster.worker.job.Declaration.Formula;
import io.ringmaster.worker.job.Declaration.Full;
import io.ringmaster.worker.job.Declaration.Golden;
import io.ringmaster.worker.job.Declaration.Input;
import io.ringmaster.worker.job.Declaration.Npy;
import io.ringmaster.worker.job.Declaration.Output;
import io.ringmaster.worker.job.Declaration.Randn;
import io.ringmaster.worker.source.SourceFile;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.NpyWriter;
import java.lang.foreign.ValueLayout;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeclaredScriptTest {

  private static final List<String> ROWS = List.of("nr", "1", "64");
  private static final Output GATHERED = new Output("y", DType.FP32, List.of("nr", "1", "nr * 64"));

  /** The program part of the ladder's allgather, without its driver. */
  private static SourceFile program() {
    SourceFile step = Examples.ladder("13_allgather.py");
    return SourceFile.of(
        "gather.py", step.text().substring(0, step.text().indexOf("\ndef parse_arguments(")));
  }

  private static JobReport run(Declaration declaration, List<Integer> devices) {
    return switch (DeclaredScript.of(declaration)) {
      case DeclaredScript.Script(SourceFile source) -> Examples.run(source, devices);
      case DeclaredScript.Faulty(List<DeclaredScript.Fault> faults) ->
          throw new AssertionError(faults);
    };
  }

  private static Declaration gather(Declaration.Values values, Golden... goldens) {
    return new Declaration(
        program(),
        "build_allgather(nr, 'hand')",
        List.of(new Input("x", values)),
        List.of(GATHERED),
        List.of(goldens));
  }

  private static Golden golden(String expression) {
    return new Golden("y", new Formula(expression), 1e-5, 1e-5);
  }

  private static Npy npy(HostTensor tensor) {
    return new Npy(Base64.getEncoder().encodeToString(NpyWriter.write(tensor)));
  }

  @Test
  void itsChecksAreThoseOfAScript() {
    JobReport report =
        run(
            gather(
                new Arange(DType.FP32, ROWS, 1, 0.5),
                golden("x.reshape(1, 1, nr * 64).expand(nr, 1, nr * 64)")),
            List.of(0, 1, 2));

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.PASSED);
    JobReport.Check check = report.runs().getFirst().checks().getFirst();
    assertThat(check.elements()).isEqualTo(3 * 3 * 64);
    assertThat(check.maxAbsDifference()).isZero();
  }

  @Test
  void aWrongGoldenIsAWrongResultAndTheOthersAreStillCompared() {
    JobReport report =
        run(
            gather(
                new Randn(DType.FP32, ROWS, 7),
                golden("x.reshape(1, 1, nr * 64).expand(nr, 1, nr * 64) + 1"),
                golden("x.reshape(1, 1, nr * 64).expand(nr, 1, nr * 64)")),
            List.of(0, 1));

    assertThat(report.verdict()).isEqualTo(Verdict.WRONG_RESULT);
    assertThat(report.runs().getFirst().checks())
        .extracting(JobReport.Check::passed)
        .containsExactly(false, true);
  }

  @Test
  void aGoldenChangesNoInput() {
    JobReport report =
        run(
            gather(
                new Arange(DType.FP32, ROWS, 1, 0.5),
                golden("x.zero_().reshape(1, 1, nr * 64).expand(nr, 1, nr * 64)")),
            List.of(0, 1));

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.WRONG_RESULT);
  }

  @Test
  void aGoldenSeesNoOutput() {
    assertThat(faults(gather(new Arange(DType.FP32, ROWS, 1, 0.5), golden("y.clone()"))))
        .containsExactly(
            "/golden/0/expression: name 'y' is not defined at column 1 of the expression; it sees"
                + " nr, torch and the inputs x; 'y' is an output, whose values no expression sees");
  }

  @Test
  void wholeNumbersTakeNoFractions() {
    assertThat(faults(gather(new Arange(DType.INT32, ROWS, 1, 0.5), golden("x"))))
        .containsExactly("/inputs/0/arange/step: 0.5 isn't a whole number, as INT32 needs");
    assertThat(faults(gather(new Declaration.Full(DType.INT8, ROWS, 1.5), golden("x"))))
        .containsExactly("/inputs/0/full: 1.5 isn't a whole number, as INT8 needs");
    assertThat(faults(gather(new Randn(DType.INT32, ROWS, 7), golden("x"))))
        .containsExactly(
            "/inputs/0/randn: random values are fractions, of which INT32 would keep 0, 1 and -1:"
                + " use arange, full or npy");
  }

  /** What can't be a job, as pointer and message. */
  private static List<String> faults(Declaration declaration) {
    return switch (DeclaredScript.of(declaration)) {
      case DeclaredScript.Script(SourceFile source) -> throw new AssertionError(source.text());
      case DeclaredScript.Faulty(List<DeclaredScript.Fault> faults) ->
          faults.stream().map(fault -> fault.pointer() + ": " + fault.message()).toList();
    };
  }

  @Test
  void everyUnknownNameIsNamedInItsExpression() {
    var declaration =
        new Declaration(
            program(),
            "build_allgatherr(nr, 'hand')",
            List.of(new Input("x", new Randn(DType.FP32, List.of("nr", "rows", "64"), 1))),
            List.of(new Output("y", DType.FP32, List.of("nr", "1", "(\n  cols * 64)"))),
            List.of(golden("x"), golden("torch.zeros(nr) + xx")));

    assertThat(faults(declaration))
        .satisfiesExactlyInAnyOrder(
            entry ->
                assertThat(entry)
                    .startsWith("/entry: name 'build_allgatherr' is not defined at column 1")
                    .contains("did you mean 'build_allgather'?"),
            rows ->
                assertThat(rows)
                    .startsWith("/inputs/0/shape/1: name 'rows' is not defined at column 1")
                    .endsWith("it sees nr, the number of devices, and what the program defines"),
            cols ->
                assertThat(cols)
                    .startsWith(
                        "/outputs/0/shape/2: name 'cols' is not defined at line 2, column 3"),
            golden ->
                assertThat(golden)
                    .startsWith("/golden/1/expression: name 'xx' is not defined at column 19"));
  }

  @Test
  void aNameThatPythonKeepsForItselfIsAFault() {
    var declaration =
        new Declaration(
            program(),
            "build_allgather(nr, 'hand')",
            List.of(new Input("lambda", new Arange(DType.FP32, ROWS, 1, 1))),
            List.of(new Output("None", DType.FP32, ROWS), new Output("2y", DType.FP32, ROWS)),
            List.of(golden("torch.ones(nr)")));

    assertThat(faults(declaration))
        .contains(
            "/inputs/0/name: the name 'lambda' is a word of Python; choose another",
            "/outputs/0/name: the name 'None' is a word of Python; choose another",
            "/outputs/1/name: '2y' can't be a name: use 1 to 64 letters, digits and '_', a letter"
                + " first");
  }

  @Test
  void anExtentThatIsNegativeIsAFault() {
    var declaration =
        new Declaration(
            program(),
            "build_allgather(nr, 'hand')",
            List.of(
                new Input("x", new Arange(DType.FP32, List.of("nr", "-1", "64"), 1, 1)),
                new Input("z", new Randn(DType.FP32, List.of("2 - 3 * 2"), 1))),
            List.of(new Output("y", DType.FP32, List.of("nr", "0", "-(64)"))),
            List.of(golden("x")));

    assertThat(faults(declaration))
        .containsExactlyInAnyOrder(
            "/inputs/0/shape/1: an extent is at least 0, not -1",
            "/inputs/1/shape/0: an extent is at least 0, not -4",
            "/outputs/0/shape/2: an extent is at least 0, not -64");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {"nr - 3 | -1", "nr / 2 | 1.0", "str(nr) | '2'"})
  void anExtentThatTheRunComputesIsRefusedAtItsText(String extent, String value) {
    JobReport report =
        run(
            gather(new Full(DType.FP32, List.of("nr", "1", extent), 1), golden("x")),
            List.of(0, 1));

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.REJECTED);
    JobReport.DiagnosticLine line = report.diagnostics().getFirst();
    assertThat(line.message()).isEqualTo("an extent is a whole number of at least 0, not " + value);
    assertThat(line.field()).isEqualTo("/declaration/inputs/0/shape/2");
    assertThat(line.source()).isEqualTo(extent);
    assertThat(line.line()).isEqualTo(1);
    assertThat(line.column()).isEqualTo(1);
  }

  @Test
  void anExpressionMayEndInAComment() {
    JobReport report =
        run(
            gather(
                new Full(DType.FP32, List.of("nr # one a rank", "1", "64"), 1),
                golden("torch.ones(nr, 1, nr * 64) # rows")),
            List.of(0, 1));

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.PASSED);
  }

  @Test
  void aGoldenIsNotBroadcast() {
    JobReport report =
        run(gather(new Full(DType.FP32, ROWS, 1), golden("torch.ones(1)")), List.of(0, 1));

    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(report.sentence())
        .contains("the golden of 'y' has shape [1], and what it is held against has [2, 1, 128]");
    assertThat(report.diagnostics().getFirst().source()).isEqualTo("torch.ones(1)");
  }

  @Test
  void arraysMayComeAsFiles() {
    HostTensor x = HostTensor.zeros(DType.FP32, 2, 1, 64);
    HostTensor y = HostTensor.zeros(DType.FP32, 2, 1, 128);
    for (int rank = 0; rank < 2; rank++) {
      for (int i = 0; i < 64; i++) {
        x.buffer().segment().setAtIndex(ValueLayout.JAVA_FLOAT, rank * 64L + i, rank + i);
        for (int other = 0; other < 2; other++) {
          y.buffer()
              .segment()
              .setAtIndex(ValueLayout.JAVA_FLOAT, (other * 2L + rank) * 64 + i, rank + i);
        }
      }
    }

    JobReport report = run(gather(npy(x), new Golden("y", npy(y), 0, 0)), List.of(0, 1));

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.PASSED);
  }

  @Test
  void theProgramKeepsItsLineNumbers() {
    var declaration =
        new Declaration(
            SourceFile.of("bad.py", program().text().replace("pl.store(", "pl.stor(")),
            "build_allgather(nr, 'hand')",
            List.of(new Input("x", new Full(DType.FP32, ROWS, 1))),
            List.of(GATHERED),
            List.of(golden("x")));

    JobReport report = run(declaration, List.of(0, 1));

    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    JobReport.DiagnosticLine line = report.diagnostics().getFirst();
    assertThat(declaration.program().line(line.line())).contains("pl.stor(");
  }

  @Test
  void everyFaultIsNamedWithItsPlace() {
    var declaration =
        new Declaration(
            program(),
            "build_allgather(nr",
            List.of(
                new Input("x", new Arange(DType.FP32, List.of("nr", "64; import os"), 0, 1)),
                new Input("x", new Full(DType.INDEX, ROWS, Double.NaN)),
                new Input("torch", new Npy("AAA'); import os")),
                new Input("if", new Randn(DType.FP32, ROWS, 1))),
            List.of(new Output("9y", DType.FP32, ROWS)),
            List.of(new Golden("z", new Formula("x\nimport os"), -1, Double.NaN)));

    var result = (DeclaredScript.Faulty) DeclaredScript.of(declaration);

    assertThat(result.faults())
        .extracting(DeclaredScript.Fault::pointer)
        .containsExactlyInAnyOrder(
            "/entry",
            "/inputs/0/shape/1",
            "/inputs/1/name",
            "/inputs/1/dtype",
            "/inputs/1/full",
            "/inputs/2/name",
            "/inputs/2/npy",
            "/inputs/3/name",
            "/outputs/0/name",
            "/golden/0/argument",
            "/golden/0/expression",
            "/golden/0/rtol",
            "/golden/0/atol");
    assertThat(result.faults()).allSatisfy(f -> assertThat(f.message()).isNotBlank());
  }

  @Test
  void nothingToCompareIsAFault() {
    var result = (DeclaredScript.Faulty) DeclaredScript.of(gather(new Full(DType.FP32, ROWS, 1)));

    assertThat(result.faults())
        .extracting(DeclaredScript.Fault::pointer)
        .containsExactly("/golden");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "torch.full([1, 1, 16], 1.9) | is 1.9 at [0, 0, 0], which INT32 can't hold",
        "torch.full([1, 1, 16], 4294967297) | is 4294967297 at [0, 0, 0], which INT32 can't",
        "torch.full([1, 1, 16], float('nan')) | is NaN at [0, 0, 0], which INT32 can't hold",
      })
  void aGoldenThatTheOutputsTypeCantHoldIsRefused(String expression, String says) {
    JobReport report = run(ones(expression), List.of(0));

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.ERROR);
    assertThat(report.sentence()).contains("the golden of 'y' " + says);
    assertThat(report.diagnostics().getFirst().source()).isEqualTo(expression);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "torch.full([1, 1, 16], 1.0)",
        "torch.full([1, 1, 16], 1, dtype=torch.int64)",
        "x.double() * 0 + 1"
      })
  void aGoldenOfAnotherTypeWithTheSameValuesIsFine(String expression) {
    JobReport report = run(ones(expression), List.of(0));

    assertThat(report.verdict()).as(Examples.words(report)).isEqualTo(Verdict.PASSED);
  }

  /** A kernel that copies ones of INT32. */
  private static Declaration ones(String golden) {
    String text =
        """
        import pypto.language as pl

        @pl.program
        class Copy:
            @pl.function(type=pl.FunctionType.InCore)
            def step(self, x: pl.Tensor[[1, 16], pl.INT32], y: pl.Out[pl.Tensor[[1, 16], pl.INT32]]):
                y = pl.store(pl.load(x, [0, 0], [1, 16]), [0, 0], y)

            @pl.function(type=pl.FunctionType.Orchestration)
            def chip(self, x: pl.Tensor[[1, 16], pl.INT32], y: pl.Out[pl.Tensor[[1, 16], pl.INT32]]):
                self.step(x, y)

            @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
            def host(
                self, x: pl.Tensor[[1, 1, 16], pl.INT32], y: pl.Out[pl.Tensor[[1, 1, 16], pl.INT32]]
            ):
                self.chip(x[0], y[0], device=0)
        """;
    return new Declaration(
        SourceFile.of("copy.py", text),
        "Copy",
        List.of(new Input("x", new Full(DType.INT32, List.of("1", "1", "16"), 1))),
        List.of(new Output("y", DType.INT32, List.of("1", "1", "16"))),
        List.of(new Golden("y", new Formula(golden), 1e-5, 1e-8)));
  }
}
