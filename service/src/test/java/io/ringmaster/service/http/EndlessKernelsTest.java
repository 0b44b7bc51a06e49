package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.TestService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What doesn't end, over HTTP: the job says where it was, and the worker takes the next one. */
@TestInstance(Lifecycle.PER_CLASS)
class EndlessKernelsTest {

  private static final String SCRIPT =
      """
      import pypto.language as pl
      import pypto.language.distributed as pld
      import torch
      from pypto import ir
      from pypto.ir import DistributedConfig

      @pl.program
      class P:
          @pl.function(type=pl.FunctionType.InCore)
          def kernel(self, x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):
              t = pl.load(x, [0, 0], [1, 64])
              i = pl.const(0, pl.INT32)
              while i < KERNEL:
                  t = pl.add(t, 1.0)
              return pl.store(t, [0, 0], y)

          @pl.function(type=pl.FunctionType.Orchestration)
          def chip(self, x: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):
              return self.kernel(x, y)

          @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
          def host(
              self,
              x: pl.Tensor[[4, 1, 64], pl.FP32],
              y: pl.Out[pl.Tensor[[4, 1, 64], pl.FP32]],
          ):
              i = pl.const(0, pl.INT32)
              while i < HOST:
                  i = pl.const(0, pl.INT32)
              for r in pl.range(pld.world_size()):
                  self.chip(x[r], y[r], device=r)
              return y

      def expected(x):
          while GOLDEN:
              pass
          return x

      def main():
          while DRIVER:
              pass
          x = torch.ones(4, 1, 64)
          y = torch.zeros(4, 1, 64)
          config = DistributedConfig(device_ids=[0, 1, 2, 3])
          ir.compile(P, platform="a2a3sim", distributed_config=config)(x, y)
          assert torch.allclose(y, expected(x))

      main()
      """;

  private final TestService service = TestService.withKernels("--ringmaster.workers.embedded=1");
  private final Api api = service.api();

  @AfterAll
  void stop() {
    service.close();
  }

  /** The script in which one loop doesn't end. */
  private static String endless(String loop) {
    return SCRIPT
        .replace("< KERNEL", loop.equals("KERNEL") ? "< 1" : "< 0")
        .replace("< HOST:", loop.equals("HOST") ? "< 1:" : "< 0:")
        .replace("while GOLDEN", loop.equals("GOLDEN") ? "while True" : "while False")
        .replace("while DRIVER", loop.equals("DRIVER") ? "while True" : "while False");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "KERNEL | rank [0-3] was at [\\w.]+:1[34]:\\d+ in 'kernel', after \\d+ kernel"
            + " instructions; the script was at [\\w.]+:45:\\d+",
        "HOST | HOST was at [\\w.]+:2[789]:\\d+ in 'host', after \\d+ kernel instructions; the"
            + " script was at [\\w.]+:45:\\d+",
        "GOLDEN | the script was at [\\w.]+:3[56]:\\d+, after the run of its kernel",
        "DRIVER | the script was at [\\w.]+:4[01]:\\d+, before any kernel ran",
      })
  void aRunThatDoesNotEndSaysWhereItWasWhenItsTimeWasOver(String loop, String where) {
    assertThat(api.run(endless("NONE")).get("verdict")).isEqualTo("PASSED");

    var limits = "\"limits\":{\"wallSeconds\":4,\"scriptSteps\":10000000000}";
    var job = api.postJson("/api/v1/jobs?wait=60", Api.job(endless(loop), limits)).expect(200);

    assertThat(job.get("verdict")).isEqualTo("TIMED_OUT");
    assertThat(job.get("sentence")).matches("the run took longer than its limit of 4 s; " + where);
    assertThat(api.run(endless("NONE")).get("verdict")).isEqualTo("PASSED");
  }

  @Test
  void aRunThatIsCancelledSaysWhereItWas() {
    var id =
        api.submit(
            endless("DRIVER"), "\"limits\":{\"wallSeconds\":600,\"scriptSteps\":10000000000}");
    Awaiting.until("it runs", () -> api.get("/api/v1/jobs/" + id).text().contains("\"script\""));
    api.post("/api/v1/jobs/" + id + "/cancel");

    var job = api.get("/api/v1/jobs/" + id + "?wait=30").expect(200);

    assertThat(job.get("verdict")).isEqualTo("CANCELLED");
    assertThat(job.get("sentence")).startsWith("cancelled before it finished; ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "x = 1/while True:/    x += 1 | RESOURCE: step limit: the script took more than | 3",
        "def f(n):/    return f(n)/f(1) | RESOURCE: recursion limit: more than 1000 nested calls |"
            + " 2",
        "a = []/while True:/    a.append('x' * 9999) | RESOURCE: memory limit: | 3",
        "x = 1/raise ValueError('no') | ValueError: no | 2",
        "import sys/sys.exit('bad') | bad | 2",
      })
  void whatEndsBeforeItsProgramCompilesNothingAndSaysWhy(String script, String why, int line) {
    var body = Api.job(script.replace("/", "\n") + "\n", "");

    var refused = api.postJson("/api/v1/compile", body).expect(422);

    assertThat(refused.get("code")).isEqualTo("SOURCE_REJECTED");
    assertThat(refused.get("detail"))
        .startsWith("Line " + line + ": the script compiled no program: " + why);
    assertThat(refused.json().at("/diagnostics/0/line").asInt()).isEqualTo(line);
  }
}
