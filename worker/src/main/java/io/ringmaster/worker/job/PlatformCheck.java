package io.ringmaster.worker.job;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.TensorComparison;
import io.ringmaster.worker.job.PlatformComparison.Difference;
import io.ringmaster.worker.job.PlatformComparison.Kind;
import io.ringmaster.worker.job.PlatformComparison.Outcome;
import io.ringmaster.worker.job.PlatformComparison.Times;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds a run against the run of the same script, devices and arguments on another platform: a
 * simulator is believed only when real silicon agrees. Floating-point outputs agree when they are
 * close (see {@link #TOLERANCES}), all others when their bytes are the same; what was sent, from
 * which rank to which and by how many operations, has to be the same exactly.
 */
public final class PlatformCheck {

  /** By how much the same sum may differ between platforms, relative and absolute. */
  private static final Map<DType, Double> TOLERANCES =
      Map.of(DType.FP32, 1e-5, DType.FP16, 2e-3, DType.BF16, 1.6e-2);

  private final JobReport.Run run;
  private final JobReport.Run reference;
  private final List<Difference> differences = new ArrayList<>();
  private final List<String> sentences = new ArrayList<>();
  private final List<String> unknown = new ArrayList<>();
  private int all;
  private int identical;
  private int close;
  private @Nullable Double maxUlps;

  private PlatformCheck(JobReport.Run run, JobReport.Run reference) {
    this.run = run;
    this.reference = reference;
  }

  /**
   * Compares two runs.
   *
   * @param outputs what {@code run} left; asked for only when there is something to compare
   * @param expected the same of the reference
   */
  public static PlatformComparison compare(
      JobReport.Run run,
      Supplier<RunOutputs> outputs,
      JobReport.Run reference,
      Supplier<RunOutputs> expected) {
    return new PlatformCheck(run, reference).compare(outputs, expected);
  }

  /** The comparison of two runs of which something can't be read. */
  public static PlatformComparison unread(JobReport.Run run, JobReport.Run reference, String why) {
    return new PlatformCheck(run, reference).result(Outcome.INCOMPLETE, "not compared: " + why);
  }

  private PlatformComparison compare(Supplier<RunOutputs> outputs, Supplier<RunOutputs> expected) {
    Optional<String> nothing = nothing(reference).or(() -> nothing(run));
    if (nothing.isPresent()) {
      return result(Outcome.NOT_COMPARED, "not compared: " + nothing.get());
    }
    RunOutputs here = outputs.get();
    RunOutputs there = expected.get();
    if (here.list().isEmpty() && there.list().isEmpty()) {
      return result(Outcome.NOT_COMPARED, "not compared: no launch left an output");
    }
    outputs(here, there);
    operations();
    traffic();
    if (!sentences.isEmpty()) {
      int more = sentences.size() - 1;
      return result(
          Outcome.DIFFERENT,
          sentences.getFirst() + (more == 0 ? "" : "; " + more + " more differences"));
    }
    if (!unknown.isEmpty()) {
      return result(
          Outcome.INCOMPLETE,
          "%s of %d outputs, the first is %s, have other bytes on %s than on %s, and weren't kept, so nobody knows how far they are apart; use smaller sizes or fewer launches"
              .formatted(
                  unknown.size(), all, unknown.getFirst(), run.platform(), reference.platform()));
    }
    return agreed();
  }

  private PlatformComparison agreed() {
    String of = all == 1 ? "the output" : all + " outputs";
    if (close == 0) {
      return result(
          Outcome.SAME,
          of + " on " + run.platform() + " and " + reference.platform() + ": the same bytes");
    }
    return result(
        Outcome.CLOSE,
        "%s on %s and %s: %d the same bytes, %d close, at most %s steps of the type apart"
            .formatted(
                of,
                run.platform(),
                reference.platform(),
                identical,
                close,
                String.format(Locale.ROOT, "%.3g", maxUlps)));
  }

  /** Why a run has nothing that can be compared. */
  private static Optional<String> nothing(JobReport.Run run) {
    String on = "the run on " + run.platform();
    return switch (run.verdict()) {
      case PASSED, NOT_VERIFIED, WRONG_RESULT ->
          HardwareProfile.named(run.platform()).isPresent()
              ? Optional.empty()
              : Optional.of(on + " leaves its own checks, and no outputs");
      case CANCELLED,
          REJECTED,
          OUT_OF_BOUNDS,
          MISMATCH,
          DEADLOCK,
          RACE,
          ERROR,
          TIMED_OUT,
          RESOURCE,
          WORKER_LOST,
          INFRA ->
          Optional.of(on + " ended as " + run.verdict());
    };
  }

  private void outputs(RunOutputs here, RunOutputs there) {
    all = Math.min(here.list().size(), there.list().size());
    if (run.evidence().outputDigest().equals(reference.evidence().outputDigest())) {
      identical = all;
      return;
    }
    for (int i = 0; i < all; i++) {
      output(here.list().get(i), there.list().get(i), i + 1);
    }
    if (here.list().size() != there.list().size()) {
      differ(
          new Difference(
              Kind.OUTPUTS,
              "outputs",
              0,
              null,
              List.of(),
              Integer.toString(here.list().size()),
              Integer.toString(there.list().size()),
              0,
              0),
          "launches left %d outputs on %s and %d on %s"
              .formatted(
                  here.list().size(), run.platform(), there.list().size(), reference.platform()));
    } else if (!here.whole() || !there.whole()) {
      unknown.add("output " + (all + 1));
    }
  }

  private void output(RunOutputs.Output mine, RunOutputs.Output its, int place) {
    String name = mine.name() + " (output " + place + ")";
    if (!mine.isKept() || !its.isKept()) {
      if (mine.digest().equals(its.digest())) {
        identical++;
      } else {
        unknown.add(name);
      }
      return;
    }
    HostTensor actual = mine.tensor();
    HostTensor expected = its.tensor();
    if (actual.dtype() != expected.dtype() || !Arrays.equals(actual.shape(), expected.shape())) {
      differ(
          new Difference(
              Kind.OUTPUT,
              mine.name(),
              place,
              null,
              List.of(),
              actual.toString(),
              expected.toString(),
              0,
              0),
          "%s is %s on %s and %s on %s"
              .formatted(name, actual, run.platform(), expected, reference.platform()));
      return;
    }
    if (actual.buffer().segment().mismatch(expected.buffer().segment()) < 0) {
      identical++;
      return;
    }
    double tolerance = TOLERANCES.getOrDefault(actual.dtype(), 0.0);
    var found = TensorComparison.allclose(actual, expected, tolerance, tolerance, true);
    if (found.holds()) {
      close++;
      maxUlps = Math.max(maxUlps == null ? 0 : maxUlps, found.maxUlps());
    } else {
      differs(name, mine.name(), place, actual, expected, found);
    }
  }

  private void differs(
      String title,
      String name,
      int place,
      HostTensor actual,
      HostTensor expected,
      TensorComparison found) {
    Integer rank = rank(actual, found.firstAt());
    String value = value(actual, found.firstAt());
    String other = value(expected, found.firstAt());
    differ(
        new Difference(
            Kind.OUTPUT,
            name,
            place,
            rank,
            found.firstAt(),
            value,
            other,
            found.mismatches(),
            found.elements()),
        "%s differs: %sfirst at %s, %s on %s and %s on %s; %d of %d elements%s"
            .formatted(
                title,
                rank == null ? "" : "rank " + rank + ", ",
                found.firstAt(),
                value,
                run.platform(),
                other,
                reference.platform(),
                found.mismatches(),
                found.elements(),
                rule(actual.dtype())));
  }

  private static String rule(DType dtype) {
    Double tolerance = TOLERANCES.get(dtype);
    return tolerance == null
        ? ""
        : " beyond " + tolerance + " + " + tolerance + " * |b|, the rule for " + dtype;
  }

  /** Outputs of all ranks are stacked: the first index is the rank's. */
  private @Nullable Integer rank(HostTensor tensor, List<Long> at) {
    boolean stacked = tensor.rank() > 1 && tensor.shape()[0] == run.evidence().ranks();
    return stacked ? at.getFirst().intValue() : null;
  }

  private static String value(HostTensor tensor, List<Long> at) {
    long place = tensor.offset();
    for (int i = 0; i < at.size(); i++) {
      place += at.get(i) * tensor.strides()[i];
    }
    Elements elements = Elements.of(tensor.buffer(), tensor.dtype());
    DType type = tensor.dtype();
    if (type == DType.UINT64) {
      return Long.toUnsignedString(elements.getLong(place));
    }
    if (type.isInteger() || type == DType.BOOL) {
      return Long.toString(elements.getLong(place));
    }
    double value = elements.getDouble(place);
    return type == DType.FP64 ? Double.toString(value) : Float.toString((float) value);
  }

  private void operations() {
    var here = run.evidence().operations();
    var there = reference.evidence().operations();
    operation("notify", here.notifies(), there.notifies());
    operation("wait", here.waits(), there.waits());
    operation("put", here.put(), there.put());
    operation("get", here.get(), there.get());
    operation("remoteLoad", here.remoteLoad(), there.remoteLoad());
    operation("remoteStore", here.remoteStore(), there.remoteStore());
    operation("payloadBytes", run.evidence().payloadBytes(), reference.evidence().payloadBytes());
    operation("wireBytes", run.evidence().wireBytes(), reference.evidence().wireBytes());
    operation("signalBytes", run.evidence().signalBytes(), reference.evidence().signalBytes());
  }

  private void operation(String name, long here, long there) {
    if (here != there) {
      differ(
          new Difference(
              Kind.OPERATIONS,
              name,
              0,
              null,
              List.of(),
              Long.toString(here),
              Long.toString(there),
              0,
              0),
          "%s: %d on %s and %d on %s"
              .formatted(name, here, run.platform(), there, reference.platform()));
    }
  }

  private void traffic() {
    bytes("payload", run.traffic().payloadBytes(), reference.traffic().payloadBytes());
    bytes("wire", run.traffic().wireBytes(), reference.traffic().wireBytes());
  }

  private void bytes(String name, List<List<Long>> here, List<List<Long>> there) {
    int ranks = Math.max(here.size(), there.size());
    for (int from = 0; from < ranks; from++) {
      for (int to = 0; to < ranks; to++) {
        long mine = at(here, from, to);
        long its = at(there, from, to);
        if (mine != its) {
          differ(
              new Difference(
                  Kind.TRAFFIC,
                  name,
                  0,
                  to,
                  List.of((long) from, (long) to),
                  Long.toString(mine),
                  Long.toString(its),
                  0,
                  0),
              "rank %d sent rank %d %d %s bytes on %s and %d on %s"
                  .formatted(from, to, mine, name, run.platform(), its, reference.platform()));
          return;
        }
      }
    }
  }

  private static long at(List<List<Long>> table, int from, int to) {
    return from < table.size() && to < table.get(from).size() ? table.get(from).get(to) : 0;
  }

  private void differ(Difference difference, String sentence) {
    if (differences.size() < PlatformComparison.MOST_DIFFERENCES) {
      differences.add(difference);
    }
    sentences.add(sentence);
  }

  private PlatformComparison result(Outcome outcome, String sentence) {
    return new PlatformComparison(
        run.id(),
        run.platform(),
        reference.id(),
        reference.platform(),
        run.devices(),
        run.arguments(),
        outcome,
        sentence,
        all,
        identical,
        close,
        maxUlps,
        differences,
        times(run),
        times(reference));
  }

  /** What a run took; a virtual time only where the platform has one. */
  private static Times times(JobReport.Run run) {
    boolean simulated =
        HardwareProfile.named(run.platform()).filter(HardwareProfile::isSimulated).isPresent();
    return new Times(
        simulated ? run.timings().runVirtualNanos() : null, run.timings().runWallNanos());
  }
}
