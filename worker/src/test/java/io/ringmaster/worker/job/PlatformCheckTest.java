package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.job.PlatformComparison.Kind;
import io.ringmaster.worker.job.PlatformComparison.Outcome;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When two runs agree, and what is said when they don't. */
class PlatformCheckTest {

  private static final long[] SHAPE = {2, 3};

  private static JobReport.Run run(String platform, Verdict verdict, String digest, long sent) {
    return new JobReport.Run(
        "run_" + platform,
        platform,
        List.of(0, 1),
        List.of(),
        verdict,
        "",
        List.of(),
        new JobReport.Evidence(
            2, new JobReport.Operations(2, 2, 1, 0, 0, 0), 0, 0, 8, 1, 6, digest, 0, Map.of()),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        new JobReport.Traffic(
            List.of(List.of(0L, sent), List.of(8L, 0L)), List.of(List.of(0L, 8L), List.of(8L, 0L))),
        List.of(),
        new JobReport.Timings(1, 200, 100, 1),
        "");
  }

  private static RunOutputs left(HostTensor... tensors) {
    var keeper = new OutputKeeper(1 << 20, 1 << 20);
    for (HostTensor tensor : tensors) {
      keeper.add("y", tensor);
    }
    Map<String, byte[]> files = keeper.files();
    return RunOutputs.read(
        List.copyOf(files.keySet()), name -> Objects.requireNonNull(files.get(name), name));
  }

  private static HostTensor tensor(DType dtype, Consumer<Elements> fill) {
    HostTensor tensor = HostTensor.zeros(dtype, SHAPE);
    fill.accept(Elements.of(tensor.buffer(), dtype));
    return tensor;
  }

  private static PlatformComparison compare(RunOutputs here, RunOutputs there) {
    return PlatformCheck.compare(
        run("opencl", Verdict.PASSED, "a", 8),
        () -> here,
        run("a2a3sim", Verdict.PASSED, "b", 8),
        () -> there);
  }

  /** The rule: |a - b| <= t + t * |b|, at b = 1 and so at most 2 t apart. */
  @ParameterizedTest
  @CsvSource({
    "FP32, 1.0000190, CLOSE",
    "FP32, 1.0000210, DIFFERENT",
    "FP16, 1.00390625, CLOSE",
    "FP16, 1.0048828125, DIFFERENT",
    "BF16, 1.03125, CLOSE",
    "BF16, 1.0390625, DIFFERENT",
    "INT32, 2, DIFFERENT",
    "UINT8, 2, DIFFERENT",
    "BOOL, 0, DIFFERENT"
  })
  void floatsMayBeCloseAndAllElseIsExact(DType dtype, double value, Outcome outcome) {
    var found =
        compare(
            left(tensor(dtype, e -> e.setDouble(4, value))),
            left(tensor(dtype, e -> e.setDouble(4, 1))));
    assertThat(found.outcome()).as(found.sentence()).isEqualTo(outcome);
    if (outcome == Outcome.CLOSE) {
      assertThat(found.maxUlps()).isPositive();
      assertThat(found.sentence()).contains("0 the same bytes, 1 close, at most");
    } else {
      assertThat(found.differences().getFirst().rank()).isEqualTo(1);
      assertThat(found.differences().getFirst().at()).containsExactly(1L, 1L);
    }
  }

  /** As doubles these two are the same. */
  @Test
  void largeIntegersAreNamedExactly() {
    var found =
        compare(
            left(tensor(DType.INT64, e -> e.setLong(0, Long.MAX_VALUE))),
            left(tensor(DType.INT64, e -> e.setLong(0, Long.MAX_VALUE - 1))));
    assertThat(found.sentence())
        .isEqualTo(
            "y (output 1) differs: rank 0, first at [0, 0], 9223372036854775807 on opencl and"
                + " 9223372036854775806 on a2a3sim; 1 of 6 elements");
    var unsigned =
        compare(
            left(tensor(DType.UINT64, e -> e.setLong(0, -1))),
            left(tensor(DType.UINT64, e -> e.setLong(0, 1))));
    assertThat(unsigned.sentence()).contains("18446744073709551615 on opencl and 1 on a2a3sim");
  }

  @Test
  void notANumberIsCloseToNotANumberOnly() {
    HostTensor nan = tensor(DType.FP32, e -> e.setDouble(2, Double.NaN));
    HostTensor both =
        tensor(
            DType.FP32,
            e -> {
              e.setDouble(2, Double.NaN);
              e.setDouble(0, 1e-9);
            });
    assertThat(compare(left(both), left(nan)).outcome()).isEqualTo(Outcome.CLOSE);
    var found = compare(left(nan), left(tensor(DType.FP32, e -> e.setDouble(2, 1))));
    assertThat(found.sentence()).contains("first at [0, 2], NaN on opencl and 1.0 on a2a3sim");
  }

  @Test
  void ofSeveralLaunchesTheOneThatDiffersIsNamed() {
    HostTensor same = tensor(DType.FP32, e -> e.setDouble(0, 1));
    HostTensor other = tensor(DType.FP32, e -> e.setDouble(0, 3));
    var found = compare(left(same, other, same), left(same, same, same));
    assertThat(found.outputs()).isEqualTo(3);
    assertThat(found.identical()).isEqualTo(2);
    assertThat(found.differences()).hasSize(1);
    assertThat(found.differences().getFirst().place()).isEqualTo(2);
    assertThat(found.sentence()).startsWith("y (output 2) differs: rank 0, first at [0, 0], 3.0");
  }

  @Test
  void anotherNumberOfOutputsIsADifference() {
    HostTensor one = tensor(DType.FP32, e -> e.setDouble(0, 1));
    var found = compare(left(one, one), left(one));
    assertThat(found.outcome()).isEqualTo(Outcome.DIFFERENT);
    assertThat(found.sentence()).isEqualTo("launches left 2 outputs on opencl and 1 on a2a3sim");
    assertThat(found.differences().getFirst().kind()).isEqualTo(Kind.OUTPUTS);
  }

  @Test
  void anotherTypeIsADifference() {
    var found =
        compare(
            left(tensor(DType.FP16, e -> e.setDouble(0, 1))),
            left(tensor(DType.FP32, e -> e.setDouble(0, 1))));
    assertThat(found.sentence())
        .isEqualTo("y (output 1) is FP16[2, 3] on opencl and FP32[2, 3] on a2a3sim");
  }

  @Test
  void aByteThatWentElsewhereIsADifference() {
    RunOutputs same = left(tensor(DType.FP32, e -> e.setDouble(0, 1)));
    var found =
        PlatformCheck.compare(
            run("opencl", Verdict.PASSED, "a", 9),
            () -> same,
            run("a2a3sim", Verdict.PASSED, "a", 8),
            () -> same);
    assertThat(found.outcome()).isEqualTo(Outcome.DIFFERENT);
    assertThat(found.sentence())
        .isEqualTo("rank 0 sent rank 1 9 payload bytes on opencl and 8 on a2a3sim");
    assertThat(found.differences().getFirst().kind()).isEqualTo(Kind.TRAFFIC);
    assertThat(found.differences().getFirst().rank()).isEqualTo(1);
  }

  /** Cards leave a signed record of their checks, and nothing else. */
  @Test
  void cardsAreNotComparedAndAGreenJobSaysSo() {
    var reference = run("a2a3sim", Verdict.PASSED, "a", 8);
    var cards = run("a2a3", Verdict.PASSED, "a", 0);
    var found =
        PlatformCheck.compare(
            cards,
            () -> {
              throw new AssertionError("nothing is to be read");
            },
            reference,
            () -> {
              throw new AssertionError("nothing is to be read");
            });
    assertThat(found.outcome()).isEqualTo(Outcome.NOT_COMPARED);
    assertThat(found.times().virtualNanos()).isNull();
    var end =
        JobEnd.of(
            List.of(
                new JobEnd.RunEnd(reference.id(), 1, List.of(0, 1), Verdict.PASSED, "fine"),
                new JobEnd.RunEnd(cards.id(), 2, List.of(0, 1), Verdict.PASSED, "fine")),
            List.of(found));
    assertThat(end.verdict()).isEqualTo(Verdict.PASSED);
    assertThat(end.sentence())
        .isEqualTo(
            "all 2 runs passed; not compared: the run on a2a3 leaves its own checks, and no outputs");
  }

  /** What a run says of itself is graver than that it differs. */
  @Test
  void theWorstRunSpeaksBeforeADifference() {
    var found =
        compare(
            left(tensor(DType.FP32, e -> e.setDouble(0, 1))),
            left(tensor(DType.FP32, e -> e.setDouble(0, 3))));
    var race = new JobEnd.RunEnd("other", 1, List.of(0, 1), Verdict.RACE, "a race");
    var passed = new JobEnd.RunEnd(found.run(), 2, List.of(0, 1), Verdict.PASSED, "fine");
    assertThat(JobEnd.of(List.of(race, passed), List.of(found)).verdict()).isEqualTo(Verdict.RACE);
    var timedOut = new JobEnd.RunEnd("other", 1, List.of(0, 1), Verdict.TIMED_OUT, "slow");
    assertThat(JobEnd.of(List.of(timedOut, passed), List.of(found)))
        .isEqualTo(
            new JobEnd(Verdict.WRONG_RESULT, "run 2 of 2, devices [0, 1]: " + found.sentence()));
  }
}
