package io.ringmaster.service.results;

import io.ringmaster.api.model.Check;
import io.ringmaster.api.model.GoldenResult;
import io.ringmaster.api.model.GoldenResultList;
import io.ringmaster.api.server.GoldenResultsApi;
import io.ringmaster.service.jobs.JobFilter;
import io.ringmaster.service.jobs.JobViews;
import io.ringmaster.service.jobs.Requester;
import io.ringmaster.service.web.PageTokens;
import io.ringmaster.service.web.Pages;
import io.ringmaster.worker.job.JobReport;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;

/** Lists golden checks over all jobs. */
@RestController
class GoldenResultsController implements GoldenResultsApi {

  private final Requester requester;
  private final GoldenResultStore store;

  GoldenResultsController(GoldenResultStore store, Requester requester) {
    this.requester = requester;
    this.store = store;
  }

  @Override
  public ResponseEntity<GoldenResultList> listGoldenResults(
      @Nullable String scriptDigest,
      @Nullable String name,
      @Nullable String check,
      @Nullable String platform,
      @Nullable Boolean passed,
      @Nullable List<String> label,
      @Nullable String jobId,
      @Nullable OffsetDateTime createdAfter,
      @Nullable OffsetDateTime createdBefore,
      Integer pageSize,
      @Nullable String pageToken) {
    Object[] filters = {
      scriptDigest, name, check, platform, passed, label, jobId, createdAfter, createdBefore
    };
    var filter =
        new GoldenResultStore.Filter(
            Optional.ofNullable(scriptDigest),
            Optional.ofNullable(name),
            Optional.ofNullable(check),
            Optional.ofNullable(platform),
            Optional.ofNullable(passed),
            JobFilter.labels(label),
            Optional.ofNullable(jobId),
            Optional.ofNullable(createdAfter).map(OffsetDateTime::toInstant),
            Optional.ofNullable(createdBefore).map(OffsetDateTime::toInstant),
            requester.seesOnly());
    var rows = store.list(filter, PageTokens.read(pageToken, filters), pageSize + 1);
    return Pages.reply(
        rows,
        pageSize,
        page -> new GoldenResultList(page.stream().map(GoldenResultsController::view).toList()),
        GoldenResultList::setNextPageToken,
        GoldenResultStore.GoldenResult::id,
        filters);
  }

  private static GoldenResult view(GoldenResultStore.GoldenResult row) {
    return new GoldenResult(
        row.jobId(),
        row.runId(),
        row.name(),
        row.scriptName(),
        row.scriptDigest(),
        row.platform(),
        row.ranks(),
        JobViews.verdict(row.verdict()),
        check(row.check()),
        JobViews.time(row.createdAt()));
  }

  private static Check check(JobReport.Check check) {
    var view =
        new Check(
            check.name(),
            check.kind(),
            check.passed(),
            check.line(),
            check.elements(),
            check.mismatches(),
            check.maxAt(),
            check.explanation());
    view.setMaxAbsDifference(check.maxAbsDifference());
    view.setRtol(check.rtol());
    view.setAtol(check.atol());
    view.setTest(check.test());
    return view;
  }
}
