package io.ringmaster.service.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.Api;
import io.ringmaster.service.testing.Awaiting;
import io.ringmaster.service.testing.LossyProxy;
import io.ringmaster.service.testing.TestService;
import io.ringmaster.worker.agent.AgentSettings;
import io.ringmaster.worker.agent.WorkerAgent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A worker whose line to the service loses replies, or is cut for a while. */
class LostRepliesTest {

  private static final String JOBS = "/api/v1/jobs";
  private static final String SCRIPT =
      """
      import torch
      assert torch.equal(torch.ones(4), torch.ones(4))
      print("ran")
      """;

  private final TestService service =
      TestService.withKernels(
          "--ringmaster.workers.embedded=0",
          "--ringmaster.workers.heartbeat=200ms",
          "--ringmaster.workers.lost-after=3s");
  private final Api api = service.api();
  private final LossyProxy line = new LossyProxy(service.port());
  private final ConcurrentLinkedQueue<String> said = new ConcurrentLinkedQueue<>();
  private final WorkerAgent agent =
      new WorkerAgent(
          new AgentSettings(
              line.address(),
              Optional.empty(),
              "behind a bad line",
              "sim",
              List.of("a2a3sim"),
              List.of(List.of(0, 63)),
              List.of(),
              2,
              Duration.ofSeconds(5)),
          said::add);
  private final Thread work = Thread.ofPlatform().unstarted(this::work);

  private void work() {
    try {
      agent.work();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @AfterEach
  void stop() throws InterruptedException {
    line.cut(false);
    agent.end();
    line.close();
    service.close();
  }

  private Api.Reply awaitEnd(String id) {
    Awaiting.until(
        id + " ends", () -> api.get(JOBS + "/" + id + "?wait=10").get("state").equals("FINISHED"));
    return api.get(JOBS + "/" + id).expect(200);
  }

  private long goldenRows(String id) {
    return service
        .jdbc()
        .sql("select count(*) from golden_result where job_id = :job")
        .param("job", id)
        .query(Long.class)
        .single();
  }

  @Test
  void aLeaseThatIsLostOnItsWayIsExecutedAllTheSame() {
    line.swallow(
        reply ->
            line.swallowed() == 0
                && reply.uri().getPath().endsWith("/leases")
                && reply.statusCode() == 200);
    work.start();
    var id = api.submit(SCRIPT, "");
    var job = awaitEnd(id);
    assertThat(line.swallowed()).isEqualTo(1);
    assertThat(job.json().at("/runs/0/attempt").asInt()).isEqualTo(2);
    assertThat(job.get("verdict")).as(job.text()).isNotIn("WORKER_LOST", "INFRA");
    assertThat(goldenRows(id)).isLessThanOrEqualTo(1);
    assertThat(api.get(JOBS + "/" + id + "/runs/1/log").text()).isEqualTo("ran\n");
  }

  /** The result was recorded, only the worker doesn't know; it asks again and is told so. */
  @Test
  void aResultWhoseReplyIsLostIsRecordedOnce() {
    line.swallow(reply -> line.swallowed() < 2 && reply.uri().getPath().endsWith("/result"));
    work.start();
    var id = api.submit(SCRIPT, "");
    var job = awaitEnd(id);
    Awaiting.until("both replies are lost", () -> line.swallowed() >= 1);
    assertThat(job.json().at("/runs/0/attempt").asInt()).isEqualTo(1);
    assertThat(goldenRows(id)).isLessThanOrEqualTo(1);
    assertThat(awaitEnd(api.submit(SCRIPT, "")).get("state")).isEqualTo("FINISHED");
  }

  @Test
  void aLineThatIsCutForLongCostsNoJob() {
    work.start();
    var id = api.submit("while True:\n    pass\n", "\"limits\": {\"scriptSteps\": 2000000000}");
    Awaiting.until("it runs", () -> api.get(JOBS + "/" + id).get("state").equals("RUNNING"));
    line.cut(true);
    Awaiting.until(
        "its worker is given up",
        () -> api.get("/api/v1/workers").expect(200).json().get("workers").isEmpty());
    Awaiting.until(
        "it is queued again", () -> api.get(JOBS + "/" + id).get("state").equals("QUEUED"));
    line.cut(false);
    Awaiting.until(
        "it runs again", () -> api.get(JOBS + "/" + id).json().at("/runs/0/attempt").asInt() == 2);
    api.post(JOBS + "/" + id + "/cancel");
    assertThat(awaitEnd(id).get("verdict")).isEqualTo("CANCELLED");
  }
}
