package io.ringmaster.worker.agent;

import io.ringmaster.api.client.ApiClient;
import io.ringmaster.api.client.ApiException;
import io.ringmaster.api.client.JSON;
import io.ringmaster.api.client.WorkersApi;
import io.ringmaster.api.client.model.BrokenDevices;
import io.ringmaster.api.client.model.FailedProbe;
import io.ringmaster.api.client.model.GoldenError;
import io.ringmaster.api.client.model.Heartbeat;
import io.ringmaster.api.client.model.Lease;
import io.ringmaster.api.client.model.LeaseEvents;
import io.ringmaster.api.client.model.LeaseResult;
import io.ringmaster.api.client.model.RunMeasures;
import io.ringmaster.api.client.model.Worker;
import io.ringmaster.api.client.model.WorkerRegistration;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.Measures;
import io.ringmaster.worker.job.ReportJson;
import io.ringmaster.worker.job.Versions;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** The line to the job service; says what it answered in the agent's terms. */
final class ServiceLink {

  /** How long the service may keep a question for work waiting. */
  static final int PATIENCE_SECONDS = 20;

  private static final int NO_CONTENT = 204;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;

  /** What the contract lets a message of a worker be. */
  private static final int MOST_NOTE = 400;

  /** What a service says about a request that it will never take. */
  private static final Set<Integer> UNACCEPTABLE = Set.of(400, 413, 415, 422);

  private final WorkersApi workers;

  ServiceLink(AgentSettings settings) {
    var http = ApiClient.createDefaultHttpClientBuilder();
    settings.trust().ifPresent(http::sslContext);
    var client =
        new ApiClient()
            .setHttpClientBuilder(http)
            .setConnectTimeout(Duration.ofSeconds(10))
            .setReadTimeout(Duration.ofSeconds(PATIENCE_SECONDS + 20L));
    client.updateBaseUri(settings.service().toString());
    settings
        .token()
        .ifPresent(
            token ->
                client.setRequestInterceptor(
                    request -> request.header("Authorization", "Bearer " + token)));
    workers = new WorkersApi(client);
  }

  /** The service doesn't know this worker any more, or never did. */
  static final class Unknown extends Exception {
    private static final long serialVersionUID = 1L;

    Unknown(Throwable cause) {
      super("the service doesn't know this worker", cause);
    }
  }

  /** The lease has ended: somebody else speaks for the run now. */
  static final class Ended extends Exception {
    private static final long serialVersionUID = 1L;

    Ended(Throwable cause) {
      super("the lease has ended", cause);
    }
  }

  /** The service can't be reached or failed; it may do better later. */
  static final class Away extends Exception {
    private static final long serialVersionUID = 1L;

    Away(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** The service refuses what was asked; asking again won't help. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String message, Throwable cause) {
      super(message, cause);
    }
  }

  private interface Call<T> {
    T make() throws ApiException;
  }

  Worker register(AgentSettings settings) throws Away, Refused {
    var registration =
        new WorkerRegistration()
            .name(settings.name())
            .pool(settings.pool())
            .platforms(settings.platforms())
            .devices(settings.devices())
            .groups(settings.groups())
            .slots(settings.slots())
            .version(Versions.product());
    try {
      return workers.registerWorker(registration);
    } catch (ApiException e) {
      if (e.getCode() >= 400 && e.getCode() < 500) {
        throw new Refused(e.getCode() + ": " + e.getResponseBody(), e);
      }
      var fault = ServiceTrust.fault(e);
      if (fault.isPresent()) {
        throw new Refused(settings.service() + ": " + fault.get(), e);
      }
      throw away(e);
    }
  }

  /** A run to execute; empty when there is none now. */
  Optional<Lease> take(String worker) throws Away, Unknown {
    try {
      var reply = workers.takeLeaseWithHttpInfo(worker, PATIENCE_SECONDS);
      return reply.getStatusCode() == NO_CONTENT
          ? Optional.empty()
          : Optional.ofNullable(reply.getData());
    } catch (ApiException e) {
      if (e.getCode() == NOT_FOUND) {
        throw new Unknown(e);
      }
      throw away(e);
    }
  }

  /** A sign of life; true when the run must stop. */
  boolean beat(String worker, LeasedRun run) throws Away, Ended {
    var lease = run.lease();
    var beat = new Heartbeat().attempt(lease.getAttempt()).phase(run.phase());
    return under(() -> workers.beat(worker, lease.getId(), beat)).getStop();
  }

  /** Hands over what the script has printed since the last time. */
  void print(String worker, LeasedRun run) throws Away, Ended {
    var lease = run.lease();
    var log = run.log();
    if (log.length() == run.sent()) {
      return;
    }
    var events =
        new LeaseEvents()
            .attempt(lease.getAttempt())
            .logOffset(run.sent())
            .log(log.substring(run.sent()));
    under(
        () -> {
          workers.postEvents(worker, lease.getId(), events);
          return events;
        });
    run.sent(log.length());
  }

  /**
   * Hands in the result.
   *
   * @param whole with what the kernels left and cost
   * @throws Refused when the service will never take this one, as when it is too large
   */
  void finish(String worker, LeasedRun run, JobReport report, boolean whole)
      throws Away, Ended, Refused {
    var lease = run.lease();
    var result =
        new LeaseResult()
            .attempt(lease.getAttempt())
            .report(
                new JSON()
                    .getMapper()
                    .readValue(
                        ReportJson.write(report), io.ringmaster.api.client.model.JobReport.class));
    run.broken()
        .ifPresent(
            broken ->
                result.broken(
                    new BrokenDevices().devices(broken.devices()).message(note(broken.message()))));
    if (whole) {
      result.outputs(run.outputs()).measures(measures(run.measures()));
    }
    try {
      workers.postResult(worker, lease.getId(), result);
    } catch (ApiException e) {
      if (UNACCEPTABLE.contains(e.getCode())) {
        throw new Refused(e.getCode() + ": " + e.getResponseBody(), e);
      }
      throw whyNot(e);
    }
  }

  /** Says that devices are not to be used; the run wasn't begun on them. */
  void probeFailed(String worker, LeasedRun run, DeviceProbe.Failure failure) throws Away, Ended {
    var lease = run.lease();
    var body =
        new FailedProbe()
            .attempt(lease.getAttempt())
            .devices(failure.devices())
            .message(note(failure.message()));
    under(
        () -> {
          workers.postFailedProbe(worker, lease.getId(), body);
          return body;
        });
  }

  /** As much of a message as the service keeps. */
  private static String note(String message) {
    var text = message.replace('\0', '\uFFFD');
    return text.codePointCount(0, text.length()) <= MOST_NOTE
        ? text
        : text.substring(0, text.offsetByCodePoints(0, MOST_NOTE - 1)) + "…";
  }

  void signOff(String worker) throws Away {
    try {
      workers.signOffWorker(worker);
    } catch (ApiException e) {
      throw away(e);
    }
  }

  private static RunMeasures measures(Measures measures) {
    return new RunMeasures()
        .passNanos(measures.passNanos())
        .instructions(measures.instructions())
        .goldenErrors(
            measures.goldenErrors().stream()
                .map(error -> new GoldenError().dtype(error.type().name()).ulps(error.ulps()))
                .toList());
  }

  private static <T> T under(Call<T> call) throws Away, Ended {
    try {
      return call.make();
    } catch (ApiException e) {
      throw whyNot(e);
    }
  }

  private static Away whyNot(ApiException e) throws Ended {
    if (e.getCode() == NOT_FOUND || e.getCode() == CONFLICT) {
      throw new Ended(e);
    }
    return away(e);
  }

  private static Away away(ApiException e) {
    return new Away(
        e.getCode() == 0 ? String.valueOf(e.getMessage()) : "it answered " + e.getCode(), e);
  }
}
