package io.ringmaster.service.cli;

import io.ringmaster.api.client.ApiClient;
import io.ringmaster.api.client.ApiException;
import io.ringmaster.api.client.ApiResponse;
import io.ringmaster.api.client.BaselinesApi;
import io.ringmaster.api.client.JSON;
import io.ringmaster.api.client.JobsApi;
import io.ringmaster.api.client.RerunsApi;
import io.ringmaster.api.client.RunsApi;
import io.ringmaster.api.client.SubmissionsApi;
import io.ringmaster.api.client.model.Approval;
import io.ringmaster.api.client.model.Approved;
import io.ringmaster.api.client.model.Baseline;
import io.ringmaster.api.client.model.BaselineList;
import io.ringmaster.api.client.model.Comparison;
import io.ringmaster.api.client.model.DiagnosticLine;
import io.ringmaster.api.client.model.Job;
import io.ringmaster.api.client.model.JobList;
import io.ringmaster.api.client.model.JobSubmission;
import io.ringmaster.api.client.model.Problem;
import io.ringmaster.api.client.model.ProblemError;
import io.ringmaster.api.client.model.State;
import io.ringmaster.api.client.model.Verdict;
import io.ringmaster.worker.agent.ServiceTrust;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.ReportJson;
import java.net.ConnectException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectMapper;

/**
 * The commands' door to a job service. Everything that the service refuses, and its absence, comes
 * out as a {@link ServiceFailure}.
 */
final class ServiceClient {

  private static final int NOT_MODIFIED = 304;
  private static final int NOT_FOUND = 404;
  private static final int WAIT_SECONDS = 20;
  private static final int INTERNAL_ERROR = 500;

  private final URI service;
  private final Retries retries;
  private final JobsApi jobs;
  private final RunsApi runs;
  private final SubmissionsApi submissions;
  private final RerunsApi reruns;
  private final BaselinesApi baselines;

  ServiceClient(URI service, Optional<String> token, Optional<SSLContext> trust, Retries retries) {
    this.service = service;
    this.retries = retries;
    var http = ApiClient.createDefaultHttpClientBuilder();
    trust.ifPresent(http::sslContext);
    var client =
        new ApiClient()
            .setHttpClientBuilder(http)
            .setConnectTimeout(Duration.ofSeconds(10))
            .setReadTimeout(Duration.ofSeconds(WAIT_SECONDS + 40L));
    client.updateBaseUri(service.toString());
    token.ifPresent(
        secret ->
            client.setRequestInterceptor(
                request -> request.header("Authorization", "Bearer " + secret)));
    jobs = new JobsApi(client);
    runs = new RunsApi(client);
    submissions = new SubmissionsApi(client);
    reruns = new RerunsApi(client);
    baselines = new BaselinesApi(client);
  }

  /** A job with the tag of its version. */
  record Version(Job job, String tag) {}

  /** A baseline with the tag of its version. */
  record BaselineVersion(Baseline baseline, String tag) {}

  /** Hands a job in, once, also if it has to be said twice. */
  Job submit(JobSubmission submission) {
    var key = UUID.randomUUID().toString();
    return asked(() -> submissions.submitJob(submission, null, null, key));
  }

  /** The job as it is now. */
  Version job(String id) {
    return version(asked(() -> jobs.getJobWithHttpInfo(id, null, null, null)));
  }

  /** The job as soon as it isn't that version any more; empty when it still is after a while. */
  Optional<Version> changed(String id, String tag) {
    try {
      return Optional.of(
          version(retries.ask(() -> jobs.getJobWithHttpInfo(id, WAIT_SECONDS, null, tag))));
    } catch (ApiException e) {
      if (e.getCode() == NOT_MODIFIED) {
        return Optional.empty();
      }
      throw failure(e);
    }
  }

  private static Version version(ApiResponse<Job> response) {
    var tags = response.getHeaders().getOrDefault("etag", List.of());
    return new Version(response.getData(), tags.isEmpty() ? "" : tags.getFirst());
  }

  JobReport report(String id) {
    return ReportJson.read(json(asked(() -> jobs.getJobReport(id))));
  }

  /** What a run, counted from 1, has printed so far. */
  String log(String id, int run) {
    return asked(() -> runs.getRunLog(id, Integer.toString(run)));
  }

  /** A baseline with its version's tag; empty when there is none of that name. */
  Optional<BaselineVersion> baseline(String name) {
    try {
      var response = retries.ask(() -> baselines.getBaselineWithHttpInfo(name));
      var tags = response.getHeaders().getOrDefault("etag", List.of());
      return Optional.of(
          new BaselineVersion(response.getData(), tags.isEmpty() ? "*" : tags.getFirst()));
    } catch (ApiException e) {
      if (e.getCode() == NOT_FOUND) {
        return Optional.empty();
      }
      throw failure(e);
    }
  }

  /**
   * Lets a job's results stand in a baseline.
   *
   * @param seen the version that somebody looked at; the service refuses if it has changed since
   */
  Baseline approve(
      String name, String job, String note, boolean anyway, Optional<BaselineVersion> seen) {
    var tag = seen.map(BaselineVersion::tag).orElse(null);
    return once(
        () ->
            baselines.approveBaseline(
                name, new Approval().jobId(job).note(note).anyway(anyway), tag));
  }

  /** What a finished job looks like beside a baseline. */
  Comparison compare(String job, String baseline, boolean anyway) {
    return asked(() -> baselines.compareJob(job, baseline, null, anyway));
  }

  /** The newest approvals in a baseline. */
  List<Approved> history(String name, int most) {
    return asked(() -> baselines.getBaselineHistory(name, null, most, null)).getHistory();
  }

  /** All baselines. */
  BaselineList baselines(int most) {
    return asked(() -> baselines.listBaselines(most, null));
  }

  /** A new job that repeats one. */
  Job rerun(String id) {
    return once(() -> reruns.rerunJob(id, null, null));
  }

  Job cancel(String id) {
    return asked(() -> jobs.cancelJob(id));
  }

  /** The newest jobs that match. */
  JobList list(
      @Nullable State state,
      @Nullable Verdict verdict,
      @Nullable String platform,
      @Nullable String pool,
      @Nullable String name,
      List<String> labels,
      int most) {
    return asked(
        () -> jobs.listJobs(state, verdict, platform, pool, name, labels, null, null, most, null));
  }

  /** A reply as the service wrote it, indented. */
  static String json(Object reply) {
    return mapper().writerWithDefaultPrettyPrinter().writeValueAsString(reply);
  }

  private static ObjectMapper mapper() {
    return new JSON().getMapper();
  }

  private <T> T asked(Retries.Call<T> call) {
    return once(() -> retries.ask(call));
  }

  /** Asks for what would be done twice if a service that says that it is away has done it. */
  private <T> T once(Retries.Call<T> call) {
    try {
      return call.make();
    } catch (ApiException e) {
      throw failure(e);
    }
  }

  private ServiceFailure failure(ApiException e) {
    if (e.getCode() == 0) {
      var fault = ServiceTrust.fault(e);
      if (fault.isPresent()) {
        return new ServiceFailure(
            "can't trust " + service + ": " + fault.get(), ExitCodes.INFRASTRUCTURE, e);
      }
      return new ServiceFailure(
          "can't reach "
              + service
              + " ("
              + reason(e)
              + "); start one with `ringmaster serve`, or name another with --service",
          ExitCodes.INFRASTRUCTURE,
          e);
    }
    return new ServiceFailure(
        said(e) + retries.advice(e),
        e.getCode() >= INTERNAL_ERROR ? ExitCodes.INFRASTRUCTURE : ExitCodes.USAGE_OR_REJECTED,
        e);
  }

  private static String reason(ApiException e) {
    Throwable root = e;
    while (root.getCause() != null) {
      // Its causes are channels that were closed; what it says itself is that nobody listens.
      if (root instanceof ConnectException) {
        return "no service listens there";
      }
      root = root.getCause();
    }
    if (root instanceof ConnectException) {
      return "no service listens there";
    }
    return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
  }

  /** A problem in lines: what is wrong, then each place. */
  private String said(ApiException e) {
    var body = Objects.requireNonNullElse(e.getResponseBody(), "");
    Problem problem;
    try {
      problem = mapper().readValue(body, Problem.class);
    } catch (JacksonException notOurs) {
      return service
          + " answered "
          + e.getCode()
          + ", not as a Ringmaster service does"
          + (body.contains("requires TLS") ? "; that port speaks TLS, say https://" : "");
    }
    var text = new StringBuilder(Objects.requireNonNullElse(problem.getDetail(), body));
    for (ProblemError error :
        Objects.requireNonNullElse(problem.getErrors(), List.<ProblemError>of())) {
      text.append("\n  ").append(error.getMessage());
    }
    for (DiagnosticLine line :
        Objects.requireNonNullElse(problem.getDiagnostics(), List.<DiagnosticLine>of())) {
      text.append("\n  ").append(place(line));
      text.append(": ").append(line.getMessage());
      text.append(line.getHint().isEmpty() ? "" : " (" + line.getHint() + ")");
    }
    return text.toString();
  }

  /** The line of the script, or the field of a declaration and where in its text. */
  private static String place(DiagnosticLine line) {
    var field = line.getField();
    var within = "line " + line.getLine() + ":" + line.getColumn();
    if (field == null) {
      return within;
    }
    return line.getLine() > 0 ? field + ", " + within : field;
  }
}
