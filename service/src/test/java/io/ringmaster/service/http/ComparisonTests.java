package io.ringmaster.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.HandWorker;
import io.ringmaster.service.testing.Reports;
import io.ringmaster.service.testing.TestService;
import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.NpyWriter;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** The runs of a job on several platforms are held against each other. */
interface ComparisonTests {

  String JOBS = "/api/v1/jobs";

  /** How often two runs end at the same moment. */
  int RACES = 40;

  TestService service();

  private Api api() {
    return service().api();
  }

  private Api.Reply run(String script, String devices) {
    var body =
        """
        {"script": "%s", "platforms": ["a2a3sim", "a5sim"], "devices": %s}
        """
            .formatted(script, devices);
    return api().postJson(JOBS + "?wait=30", body).expect(200);
  }

  @Test
  default void runsThatLeaveTheSameAreGreen() {
    var job = run("# output: y\\n", "[[0, 1], [0, 1, 2]]");
    assertThat(job.get("verdict")).as(job.text()).isEqualTo("PASSED");
    assertThat(job.get("sentence")).isEqualTo("all 4 runs passed");
    var found = job.json().get("comparisons");
    assertThat(found).hasSize(2);
    var last = found.get(1);
    assertThat(last.get("outcome").asString()).isEqualTo("SAME");
    assertThat(last.get("run")).isEqualTo(job.json().at("/runs/3/id"));
    assertThat(last.get("referenceRun")).isEqualTo(job.json().at("/runs/1/id"));
    assertThat(last.get("devices").toString()).isEqualTo("[0,1,2]");
    assertThat(last.get("outputs").asInt()).isEqualTo(1);
    assertThat(last.at("/times/virtualNanos").asLong()).isEqualTo(3000);
    assertThat(last.at("/times/wallNanos").asLong()).isEqualTo(2_000_000);
  }

  @Test
  default void aDifferenceMakesTheJobRedAndSaysWhere() {
    var job = run("# output: y\\n# differs: a5sim\\n", "[0, 1]");
    assertThat(job.get("verdict")).as(job.text()).isEqualTo("WRONG_RESULT");
    assertThat(job.get("sentence"))
        .isEqualTo(
            "run 2 of 2, devices [0, 1]: y (output 1) differs: rank 1, first at [1, 2], 7.0 on a5sim"
                + " and 0.0 on a2a3sim; 1 of 8 elements beyond 1.0E-5 + 1.0E-5 * |b|, the rule for"
                + " FP32");
    for (var run : job.json().get("runs")) {
      assertThat(run.get("verdict").asString()).isEqualTo("PASSED");
    }
    var path = JOBS + "/" + job.get("id");
    var stored = api().get(path).expect(200).json().get("comparisons");
    assertThat(stored).isEqualTo(job.json().get("comparisons"));
    var report = api().get(path + "/report").expect(200).json();
    assertThat(report.get("comparisons")).isEqualTo(stored);
    assertThat(report.at("/comparisons/0/differences/0/rank").asInt()).isEqualTo(1);
    assertThat(report.at("/comparisons/0/differences/0/at").toString()).isEqualTo("[1,2]");
    assertThat(api().get(path + "/junit").expect(200).text())
        .contains("a5sim [0, 1] against a2a3sim")
        .contains("<failure type=\"WRONG_RESULT\" message=\"y (output 1) differs");
    assertThat(api().get(JOBS + "?verdict=WRONG_RESULT").expect(200).text())
        .contains(job.get("id"));
  }

  @Test
  default void onePlatformIsComparedWithNothing() {
    var job = api().run("# output: y\n");
    assertThat(job.json().get("comparisons")).isEmpty();
    assertThat(job.get("verdict")).isEqualTo("PASSED");
  }

  /** A run that isn't right says so itself. */
  @Test
  default void whatEndedTooEarlyIsNotCompared() {
    var job = run("# output: y\\n# verdict: RACE\\n", "[0, 1]");
    assertThat(job.get("verdict")).isEqualTo("RACE");
    assertThat(job.json().at("/comparisons/0/outcome").asString()).isEqualTo("NOT_COMPARED");
    assertThat(job.json().at("/comparisons/0/sentence").asString())
        .isEqualTo("not compared: the run on a2a3sim ended as RACE");
  }

  /** Each of two runs that end at once may find the other still running; the job must not. */
  @Test
  default void runsThatEndAtTheSameMomentAreCompared() throws Exception {
    var worker =
        HandWorker.register(
            api(), "twins", "twins", "[\"a2a3sim\", \"opencl\"]", "[[0, 7]]", "[[0, 7]]");
    try (var threads = Executors.newFixedThreadPool(2)) {
      for (int i = 0; i < RACES; i++) {
        boolean same = i % 4 == 0;
        var id =
            api()
                .postJson(
                    JOBS,
                    """
                    {"script": "x", "platforms": ["a2a3sim", "opencl"], "devices": [0, 1],
                     "pool": "twins"}
                    """)
                .expect(202)
                .get("id");
        var together = new CyclicBarrier(2);
        var one = worker.lease();
        var two = worker.lease();
        List<Callable<Integer>> ends =
            List.of(one, two).stream()
                .map(
                    lease ->
                        (Callable<Integer>)
                            () -> {
                              var platform = lease.get("platform").asString();
                              float value = same || platform.equals("a2a3sim") ? 1 : 2;
                              var report =
                                  Reports.passed(platform, List.of(0, 1), "sha256:" + value);
                              together.await();
                              return worker
                                  .finish(lease, report, Map.of("y.npy", npy(value)))
                                  .status();
                            })
                .toList();
        for (var end : threads.invokeAll(ends)) {
          assertThat(end.get()).isEqualTo(204);
        }
        var job = api().get(JOBS + "/" + id + "?wait=30").expect(200);
        assertThat(job.get("verdict"))
            .as("race %d: %s", i, job.text())
            .isEqualTo(same ? "PASSED" : "WRONG_RESULT");
        assertThat(job.json().get("comparisons")).hasSize(1);
        assertThat(job.json().at("/comparisons/0/times/virtualNanos").isMissingNode()).isTrue();
        assertThat(job.json().at("/comparisons/0/referenceTimes/virtualNanos").asLong())
            .isEqualTo(3000);
      }
    } finally {
      worker.signOff();
    }
  }

  private static String npy(float value) {
    var tensor = HostTensor.zeros(DType.FP32, 2, 4);
    Elements.of(tensor.buffer(), tensor.dtype()).setDouble(5, value);
    return Base64.getEncoder().encodeToString(NpyWriter.write(tensor));
  }
}
