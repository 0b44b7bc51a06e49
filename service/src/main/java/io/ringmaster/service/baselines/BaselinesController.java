package io.ringmaster.service.baselines;

import io.ringmaster.api.model.ApprovedList;
import io.ringmaster.api.model.BaselineList;
import io.ringmaster.api.model.Comparison;
import io.ringmaster.api.server.BaselinesApi;
import io.ringmaster.service.jobs.JobFilter;
import io.ringmaster.service.problems.RequestError;
import io.ringmaster.service.problems.RequestErrors;
import io.ringmaster.service.submissions.ObjectBodies;
import io.ringmaster.service.web.PageTokens;
import io.ringmaster.service.web.Pages;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Baselines, and what jobs look like beside them. It doesn't implement the generated interface,
 * whose methods get the body when it is too late to name every unknown field.
 */
@RestController
class BaselinesController {

  private static final int MOST_TEXT = 1000;
  private static final double MOST_PERCENT = 1000;

  private final Baselines baselines;
  private final BaselineStore store;
  private final Comparisons comparisons;
  private final ObjectBodies bodies;

  BaselinesController(
      Baselines baselines, BaselineStore store, Comparisons comparisons, ObjectBodies bodies) {
    this.baselines = baselines;
    this.store = store;
    this.comparisons = comparisons;
    this.bodies = bodies;
  }

  @GetMapping(BaselinesApi.PATH_LIST_BASELINES)
  ResponseEntity<BaselineList> list(
      @RequestParam(defaultValue = "50") int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    var rows = store.list(PageTokens.read(pageToken), pageSize + 1);
    return Pages.reply(
        rows,
        pageSize,
        page -> new BaselineList(page.stream().map(BaselineViews::summary).toList()),
        BaselineList::setNextPageToken,
        row -> row.baseline().name());
  }

  @GetMapping(BaselinesApi.PATH_GET_BASELINE)
  ResponseEntity<io.ringmaster.api.model.Baseline> get(@PathVariable String baseline) {
    return reply(ResponseEntity.ok(), baseline);
  }

  private ResponseEntity<io.ringmaster.api.model.Baseline> reply(
      ResponseEntity.BodyBuilder reply, String name) {
    var baseline = baselines.get(name);
    return reply.eTag(Baselines.tagOf(baseline)).body(BaselineViews.baseline(baseline));
  }

  @PutMapping(
      path = BaselinesApi.PATH_PUT_BASELINE,
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = {MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_PROBLEM_JSON_VALUE})
  ResponseEntity<io.ringmaster.api.model.Baseline> put(
      @PathVariable String baseline,
      @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
      HttpServletRequest request)
      throws IOException, ServletException {
    var errors = new RequestErrors();
    var fields =
        bodies.read(request, List.of("description", "virtualTimeTolerancePercent"), errors);
    var description = fields.note("description", MOST_TEXT);
    var tolerance = fields.decimal("virtualTimeTolerancePercent");
    if (tolerance.isPresent() && (tolerance.get() < 0 || tolerance.get() > MOST_PERCENT)) {
      errors.body(
          "/virtualTimeTolerancePercent",
          RequestError.Kind.OUT_OF_RANGE,
          "virtualTimeTolerancePercent must be from 0 to 1000, got %s.".formatted(tolerance.get()));
    }
    errors.throwIfAny();
    boolean made = baselines.put(baseline, description, tolerance, Optional.ofNullable(ifMatch));
    return reply(
        made
            ? ResponseEntity.created(URI.create("/api/v1/baselines/" + baseline))
            : ResponseEntity.ok(),
        baseline);
  }

  @DeleteMapping(BaselinesApi.PATH_DELETE_BASELINE)
  ResponseEntity<Void> delete(@PathVariable String baseline) {
    baselines.delete(baseline);
    return ResponseEntity.noContent().build();
  }

  @PostMapping(
      path = BaselinesApi.PATH_APPROVE_BASELINE,
      consumes = MediaType.APPLICATION_JSON_VALUE,
      produces = {MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_PROBLEM_JSON_VALUE})
  ResponseEntity<io.ringmaster.api.model.Baseline> approve(
      @PathVariable String baseline,
      @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
      HttpServletRequest request)
      throws IOException, ServletException {
    var errors = new RequestErrors();
    var fields = bodies.read(request, List.of("jobId", "note", "anyway"), errors);
    var job = fields.requiredText("jobId", "Name the job whose results to approve.");
    var note = fields.note("note", MOST_TEXT);
    var anyway = fields.flag("anyway");
    errors.throwIfAny();
    baselines.approve(
        baseline,
        job.orElseThrow(),
        note.orElse(""),
        anyway.orElse(false),
        Optional.ofNullable(ifMatch));
    return reply(ResponseEntity.ok(), baseline);
  }

  @GetMapping(BaselinesApi.PATH_GET_BASELINE_HISTORY)
  ResponseEntity<ApprovedList> history(
      @PathVariable String baseline,
      @RequestParam(required = false) @Nullable String name,
      @RequestParam(defaultValue = "50") int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    baselines.get(baseline);
    Object[] filters = {baseline, name};
    var rows =
        store.history(
            baseline, Optional.ofNullable(name), PageTokens.read(pageToken, filters), pageSize + 1);
    return Pages.reply(
        rows,
        pageSize,
        page -> new ApprovedList(page.stream().map(BaselineViews::approved).toList()),
        ApprovedList::setNextPageToken,
        ApprovedResult::id,
        filters);
  }

  @GetMapping(BaselinesApi.PATH_COMPARE_JOB)
  ResponseEntity<Comparison> compare(
      @PathVariable String jobId,
      @RequestParam(required = false) @Nullable String baseline,
      @RequestParam(required = false) @Nullable List<String> label,
      @RequestParam(defaultValue = "false") boolean anyway) {
    if ((baseline == null) == (label == null)) {
      var errors = new RequestErrors();
      errors.parameter(
          "baseline",
          baseline == null ? RequestError.Kind.MISSING : RequestError.Kind.DUPLICATE,
          "Say what to compare with: either baseline=NAME or label=key:value.");
      errors.throwIfAny();
    }
    var result =
        baseline == null
            ? comparisons.withLabels(jobId, JobFilter.labels(label), anyway)
            : comparisons.withBaseline(jobId, baseline, anyway);
    return ResponseEntity.ok(BaselineViews.comparison(result, Optional.ofNullable(baseline)));
  }
}
