package io.ringmaster.service.testing;

import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.ReportJson;
import io.ringmaster.worker.job.Verdict;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A worker whose side of the protocol a test speaks by hand. */
public final class HandWorker {

  private static final String WORKERS = "/api/v1/workers";

  private final Api api;
  private final String id;

  private HandWorker(Api api, String id) {
    this.api = api;
    this.id = id;
  }

  /**
   * Registers.
   *
   * @param platforms as JSON, {@code ["opencl"]}
   * @param devices as JSON, {@code [[0, 7]]}
   * @param groups as JSON, {@code [[0, 3], [4, 7]]}
   */
  public static HandWorker register(
      Api api, String name, String pool, String platforms, String devices, String groups) {
    var id =
        api.postJson(
                WORKERS,
                """
                {"name": "%s", "pool": "%s", "platforms": %s, "devices": %s, "groups": %s,
                 "slots": 8, "version": "test"}
                """
                    .formatted(name, pool, platforms, devices, groups))
            .expect(201)
            .get("id");
    return new HandWorker(api, id);
  }

  public String id() {
    return id;
  }

  /** A run, if there is one for it now. */
  public Optional<JsonNode> tryLease() {
    var reply = api.post(WORKERS + "/" + id + "/leases?wait=0");
    return reply.status() == 204 ? Optional.empty() : Optional.of(reply.expect(200).json());
  }

  /** A run that must be there. */
  public JsonNode lease() {
    return tryLease().orElseThrow(() -> new AssertionError("There is nothing for " + id));
  }

  /** Says something under a lease. */
  public Api.Reply tell(JsonNode lease, String what, String body) {
    var path = WORKERS + "/" + id + "/leases/" + lease.get("id").asString() + "/" + what;
    return what.equals("heartbeat") ? api.putJson(path, body) : api.postJson(path, body);
  }

  /** Hands in a result. */
  public void finish(JsonNode lease, Verdict verdict) {
    var body =
        "{\"attempt\": %d, \"report\": %s}"
            .formatted(
                lease.get("attempt").asInt(),
                ReportJson.write(new JobReport(verdict, "by hand", List.of(), List.of())));
    tell(lease, "result", body).expect(204);
  }

  /** Hands in a report and files, whose contents are in Base64. */
  public Api.Reply finish(JsonNode lease, JobReport report, Map<String, String> outputs) {
    var body = JsonMapper.shared().createObjectNode().put("attempt", lease.get("attempt").asInt());
    body.set("report", JsonMapper.shared().readTree(ReportJson.write(report)));
    var files = body.putObject("outputs");
    outputs.forEach(files::put);
    return tell(lease, "result", body.toString());
  }

  /** Takes itself out of use, or back. */
  public void change(String action) {
    api.patchJson(WORKERS + "/" + id, "{\"action\": \"%s\"}".formatted(action)).expect(200);
  }

  public void signOff() {
    api.delete(WORKERS + "/" + id).expect(204);
  }
}
