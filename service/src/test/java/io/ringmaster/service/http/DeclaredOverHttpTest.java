package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Api.Form;
import io.ringmaster.service.testing.TestService;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hostile declarations, over HTTP: a pointer at once, or a verdict that names the field. */
@TestInstance(Lifecycle.PER_CLASS)
class DeclaredOverHttpTest {

  private static final String JOBS = "/api/v1/jobs";
  private static final String PROGRAM =
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
              self, x: pl.Tensor[[2, 1, 16], pl.INT32], y: pl.Out[pl.Tensor[[2, 1, 16], pl.INT32]]
          ):
              for r in pl.range(2):
                  self.chip(x[r], y[r], device=r)
      """;
  private static final String INPUT =
      "{'name': 'x', 'dtype': 'INT32', 'shape': ['nr', 1, 16], 'arange': {}}";
  private static final String OUTPUT = "{'name': 'y', 'dtype': 'INT32', 'shape': ['nr', 1, 16]}";
  private static final String GOLDEN = "{'argument': 'y', 'expression': 'x'}";

  private final TestService service = TestService.withKernels();
  private final Api api = service.api();

  @AfterAll
  void stop() {
    service.close();
  }

  private static Form form(String entry, String input, String output, String golden) {
    var declaration =
        "{'entry': '%s', 'inputs': [%s], 'outputs': [%s], 'golden': [%s]}"
            .formatted(entry, input, output, golden);
    return new Form()
        .file("script", "copy.py", PROGRAM.getBytes(StandardCharsets.UTF_8))
        .field("platform", "a2a3sim")
        .field("declaration", declaration.replace('\'', '"'));
  }

  private Api.Reply run(String entry, String input, String golden) {
    return api.postForm(
            JOBS + "?wait=60", form(entry, input, OUTPUT, golden).field("devices", "0,1"))
        .expect(200);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'dtype': 'INT32', 'shape': ['nr', 1, 16], 'full': 3e10"
            + " | full | 30000000000 can't be an element of INT32",
        "'dtype': 'FP16', 'shape': [1], 'full': -70000 | full | -70000 can't be an element of FP16",
        "'dtype': 'INT32', 'shape': [1], 'full': 0.5 | full | 0.5 isn't a whole number",
        "'dtype': 'INT32', 'shape': [1], 'full': 1e400 | full | must be a finite number",
        "'dtype': 'INT32', 'shape': [1], 'full': 'nan' | full | must be a finite number",
        "'dtype': 'INT64', 'shape': [1], 'full': 9007199254740993 | full | is too large",
        "'dtype': 'INT8', 'shape': [200], 'arange': {} | arange | its last value: 199 can't be",
        "'dtype': 'INT32', 'shape': [1], 'randn': {} | randn | use arange, full or npy",
        "'dtype': 'FP32', 'shape': [1], 'randn': {'seed': -1} | randn/seed | from 0 to",
        "'dtype': 'FP32', 'shape': [1], 'randn': {'seed': 1e30} | randn/seed | from 0 to",
        "'dtype': 'FP32', 'shape': [-1], 'full': 1 | shape/0 | an extent is at least 0, not -1",
        "'dtype': 'FP32', 'shape': ['9' , '8 *'], 'full': 1 | shape/1 | isn't an expression",
        "'dtype': 'FP32', 'shape': [4294967296, 4294967296], 'full': 1"
            + " | shape | no tensor has 18446744073709551616 elements",
        "'dtype': 'FP32', 'shape': ['rank'], 'full': 1 | shape/0 | name 'rank' is not defined",
        "'npy': 'AAAA' | npy | it isn't a .npy file",
        "'npy': '!' | npy | it isn't Base64",
        "'npy': 'AAAA', 'dtype': 'FP32' | dtype | brings its own element type and shape",
      })
  void anInputThatCantBeIsRefusedAtItsField(String values, String field, String says) {
    var input = "{'name': 'x', " + values + "}";
    var problem =
        api.postForm(JOBS, form("Copy", input, OUTPUT, GOLDEN).field("devices", "0")).expect(400);

    assertThat(problem.json().at("/errors/0/pointer").asString())
        .isEqualTo("/declaration/inputs/0/" + field);
    assertThat(problem.json().at("/errors/0/message").asString()).containsIgnoringCase(says);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{'argument': 'y', 'expression': 'x +'} | golden/0/expression | found its end at column 4",
        "{'argument': 'y', 'expression': 'y'} | golden/0/expression | 'y' is an output",
        "{'argument': 'y', 'expression': 'rank'} | golden/0/expression | it sees nr, torch and the",
        "{'argument': 'q', 'expression': 'x'} | golden/0/argument | there is no input or output 'q'",
        "{'argument': 'y', 'expression': 'x', 'rtol': -1} | golden/0/rtol | at least 0",
        "{'argument': 'y'} | golden/0 | either an expression over the inputs or an npy file",
      })
  void aGoldenThatCantBeIsRefusedAtItsField(String golden, String field, String says) {
    var problem =
        api.postForm(JOBS, form("Copy", INPUT, OUTPUT, golden).field("devices", "0")).expect(400);

    assertThat(problem.json().at("/errors/0/pointer").asString())
        .isEqualTo("/declaration/" + field);
    assertThat(problem.json().at("/errors/0/message").asString()).containsIgnoringCase(says);
  }

  @Test
  void namesAreVariablesAndDiffer() {
    for (var name : List.of("class", "None", "nr", "torch", "a b", "y")) {
      var problem =
          api.postForm(
                  JOBS,
                  form("Copy", INPUT.replace("'x'", "'" + name + "'"), OUTPUT, GOLDEN)
                      .field("devices", "0,1"))
              .expect(400);
      assertThat(problem.json().at("/errors").findValuesAsString("pointer"))
          .as(name)
          .contains(
              name.equals("y") ? "/declaration/outputs/0/name" : "/declaration/inputs/0/name");
    }
  }

  @Test
  void aDeclaredJobTakesNoArguments() {
    var problem =
        api.postForm(
                JOBS,
                form("Copy", INPUT, OUTPUT, GOLDEN)
                    .field("devices", "0,1")
                    .field("arguments", "[\"--mode\"]"))
            .expect(400);

    assertThat(problem.json().at("/errors/0/pointer").asString()).isEqualTo("/arguments");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "Copy | x @ x | ERROR | golden of 'y' (/declaration/golden/0/expression, column 1): "
            + " | /declaration/golden/0/expression",
        "Copy | x + 1.5 | ERROR | golden of 'y' (/declaration/golden/0/expression, column 1): "
            + " | /declaration/golden/0/expression",
        "Copy() | x | ERROR | entry (/declaration/entry, column 1): | /declaration/entry",
        "pl | x | REJECTED | entry (/declaration/entry, column 1): | /declaration/entry",
      })
  void whatOnlyTheRunCanTellNamesTheField(
      String entry, String expression, String verdict, String says, String field) {
    var job = run(entry, INPUT, GOLDEN.replace("'x'", "'" + expression + "'"));

    assertThat(job.get("verdict")).as(job.text()).isEqualTo(verdict);
    var path = JOBS + "/" + job.get("id");
    var report = api.get(path + "/report").expect(200).json();
    assertThat(report.path("sentence").asString()).startsWith(says.strip());
    var line = report.at("/diagnostics/0");
    assertThat(line.path("field").asString()).isEqualTo(field);
    assertThat(line.path("line").asInt()).isEqualTo(1);
    assertThat(line.path("source").asString())
        .isEqualTo(field.endsWith("entry") ? entry : expression);
    for (var text : List.of("/report", "/junit", "/checks.csv", "/runs/1/log")) {
      assertThat(api.get(path + text).text()).doesNotContain("_golden_", "_run_declared", "_entry");
    }
  }

  @Test
  void anInputThatDoesntFitIsNamedBeforeAnythingRuns() {
    var job = run("Copy", INPUT.replace("1, 16", "1, 32"), GOLDEN);

    assertThat(job.get("verdict")).as(job.text()).isEqualTo("REJECTED");
    assertThat(job.text())
        .contains(
            "input 'x' (/declaration/inputs/0): argument 'x' has shape [2, 1, 32], the parameter"
                + " wants 16 in dimension 2",
            "declare it with the parameter's shape, [2, 1, 16]");
  }

  @Test
  void aCompilationNamesTheField() {
    var problem =
        api.postForm("/api/v1/compile", form("pl", INPUT, OUTPUT, GOLDEN).field("devices", "0,1"))
            .expect(422);

    assertThat(problem.get("detail"))
        .startsWith("/declaration/entry, column 1: entry is of type module");
    assertThat(problem.json().at("/diagnostics/0/field").asString())
        .isEqualTo("/declaration/entry");
  }

  @Test
  void theChecksOfARightOneNameItsGolden() {
    var job = run("Copy", INPUT, GOLDEN);

    assertThat(job.get("verdict")).as(job.text()).isEqualTo("PASSED");
    var path = JOBS + "/" + job.get("id");
    var check = api.get(path + "/runs/1/checks").expect(200).json().at("/checks/0");
    assertThat(check.path("name").asString()).isEqualTo("y ~ golden[0]");
    assertThat(check.path("line").asInt()).isZero();
    assertThat(check.path("rtol").asDouble()).isZero();
    assertThat(api.get(path + "/junit").expect(200).text()).contains("name=\"y ~ golden[0]\"");
  }
}
