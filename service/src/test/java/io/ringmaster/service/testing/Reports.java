package io.ringmaster.service.testing;

import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobReport.Barrier;
import io.ringmaster.worker.job.JobReport.Check;
import io.ringmaster.worker.job.JobReport.Collective;
import io.ringmaster.worker.job.JobReport.Evidence;
import io.ringmaster.worker.job.JobReport.FindingLine;
import io.ringmaster.worker.job.JobReport.Operations;
import io.ringmaster.worker.job.JobReport.Outcome;
import io.ringmaster.worker.job.JobReport.Place;
import io.ringmaster.worker.job.JobReport.TestCase;
import io.ringmaster.worker.job.JobReport.Timings;
import io.ringmaster.worker.job.JobReport.Traffic;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.Verdict;
import io.ringmaster.worker.source.SourceFile;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Reports as the runner would write them, with every part filled. */
public final class Reports {

  /** Barrier waits that fall into three different buckets. */
  public static final List<Long> WAITS = List.of(5_000L, 3_000_000L, 2_000_000_000L);

  public static final long CHUNK = 256;

  static final long VIRTUAL_NANOS = 3_000;

  private Reports() {}

  /** A run that passed, and left what has this digest. */
  public static JobReport passed(String platform, List<Integer> devices, String digest) {
    var spec =
        new JobSpec(
            SourceFile.of("k.py", ""),
            platform,
            List.of(devices),
            List.of(),
            JobSpec.Limits.DEFAULT,
            0);
    return with(spec, Verdict.PASSED, "", VIRTUAL_NANOS, digest);
  }

  static JobReport with(
      JobSpec spec, Verdict verdict, String log, long virtualNanos, String digest) {
    int ranks = spec.devices().getFirst().size();
    long others = ranks - 1L;
    boolean passed = verdict != Verdict.WRONG_RESULT;
    var run =
        new JobReport.Run(
            "run-1",
            spec.platform(),
            spec.devices().getFirst(),
            spec.arguments(),
            verdict,
            "as the script says",
            List.of(),
            new Evidence(
                ranks,
                new Operations(others * ranks, others * ranks, ranks, 0, 0, 0),
                CHUNK * ranks * ranks,
                ranks * others * CHUNK,
                4 * others * ranks,
                1,
                64,
                digest,
                spec.seed(),
                Map.of("ringmaster", "test")),
            verdict == Verdict.NOT_VERIFIED ? List.of() : List.of(check(passed)),
            verdict == Verdict.RACE ? List.of(race()) : List.of(),
            List.of(
                new Collective(
                    "allgather",
                    "incore",
                    "push",
                    ranks,
                    12,
                    Collections.nCopies(ranks, ranks * CHUNK),
                    Collections.nCopies(ranks, others * CHUNK),
                    Collections.nCopies(ranks, others * CHUNK),
                    others * CHUNK,
                    others * ranks,
                    others * ranks,
                    12_345,
                    67_890)),
            List.of(new Barrier(14, "signal", 1, ranks, 1, 1_500, 700, WAITS, List.of(1L, 2L, 3L))),
            new Traffic(
                Collections.nCopies(ranks, Collections.nCopies(ranks, CHUNK)),
                Collections.nCopies(ranks, Collections.nCopies(ranks, CHUNK))),
            List.of(
                new TestCase(
                    "k.py::test_it[4]",
                    "k",
                    "test_it[4]",
                    Outcome.PASSED,
                    verdict,
                    "",
                    20,
                    1,
                    5_000L)),
            new Timings(1_000_000, 2_000_000, virtualNanos, 4_000),
            log);
    return new JobReport(verdict, "as the script says", List.of(), List.of(run));
  }

  private static Check check(boolean passed) {
    return new Check(
        "out against golden",
        "allclose",
        passed,
        42,
        64,
        passed ? 0 : 3,
        passed ? 0.0 : Double.NaN,
        passed ? List.of() : List.of(1L, 2L),
        1e-5,
        1e-8,
        passed ? "" : "NaN is what differs",
        "k.py::test_it[4]");
  }

  private static FindingLine race() {
    return new FindingLine(
        "RACE",
        "ERROR",
        "rank 2 reads row 1 before rank 1's store is ordered before it",
        "put a barrier between them",
        List.of(1, 2),
        "data",
        null,
        256L,
        512L,
        null,
        null,
        List.of(new Place(1, 10, 5, "pl.store(...)", "writes"), new Place(2, 11, 5, "x", "reads")),
        "k.py::test_it[4]");
  }
}
