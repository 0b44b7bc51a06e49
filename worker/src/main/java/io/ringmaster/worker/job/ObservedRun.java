package io.ringmaster.worker.job;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.lowering.CostCard;
import io.ringmaster.worker.observe.BarrierRound;
import io.ringmaster.worker.observe.CollectiveTraffic;
import io.ringmaster.worker.observe.Observation;
import io.ringmaster.worker.observe.OperationCounts;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What was observed over all kernel launches of a run, in the report's shape. A script may launch
 * several kernels; their collectives and barriers follow each other, their bytes add up.
 */
final class ObservedRun {

  private final SourceLines lines;
  private final int ranks;

  /** What was found, and in how many launches the very same was found. */
  private final Map<Found, Integer> findings = new LinkedHashMap<>();

  private final boolean simulated;
  private int part;

  private final List<JobReport.Collective> collectives = new ArrayList<>();
  private final List<JobReport.Barrier> barriers = new ArrayList<>();
  private final long[][] payload;
  private final long[][] wire;
  private final long[] operations = new long[6];
  private long payloadBytes;
  private long wireBytes;
  private long signalBytes;

  /** A finding in one part of the run. */
  private record Found(Finding finding, int part) {}

  /** {@code simulated} says whether the virtual clock is a device's, or only orders the ranks. */
  ObservedRun(SourceLines lines, int ranks, boolean simulated) {
    this.simulated = simulated;
    this.lines = lines;
    this.ranks = ranks;
    int rows = ranks <= JobReport.Traffic.MOST_RANKS ? ranks : 0;
    this.payload = new long[rows][rows];
    this.wire = new long[rows][rows];
  }

  /** Adds a finished launch. */
  void add(Observation observation) {
    observation.findings().forEach(this::add);
    observation.collectives().forEach(c -> collectives.add(line(c)));
    observation.barriers().forEach(b -> barriers.add(line(b)));
    if (payload.length > 0) {
      accumulate(payload, observation.traffic().payloadBytes());
      accumulate(wire, observation.traffic().wireBytes());
    }
    payloadBytes += observation.traffic().totalPayloadBytes();
    wireBytes += observation.traffic().totalWireBytes();
    signalBytes += observation.traffic().signalBytes();
    OperationCounts counts = observation.traffic().operations();
    operations[0] += counts.notifies();
    operations[1] += counts.waits();
    operations[2] += counts.puts();
    operations[3] += counts.gets();
    operations[4] += counts.remoteLoads();
    operations[5] += counts.remoteStores();
  }

  /** Adds what was found outside the observers: by the engine or at the launch. */
  void add(Finding finding) {
    // What a barrier leaves is no case's own: it is said once, whoever launches the kernel again.
    int of = finding.kind() == Finding.Kind.RESIDUE ? 0 : part;
    findings.merge(new Found(finding, of), 1, Integer::sum);
  }

  /** Adds something that no launch found, and that stands for itself. */
  void remark(Finding finding) {
    part++;
    add(finding);
  }

  /** From now on findings count anew: what was found before is another case's. */
  void beginPart() {
    part++;
  }

  List<Finding> findings() {
    return findings.keySet().stream().map(Found::finding).toList();
  }

  /**
   * The findings for the report.
   *
   * @param tests for each finding the test during which it was found; empty for none
   */
  List<JobReport.FindingLine> findingLines(List<String> tests) {
    List<JobReport.FindingLine> all = new ArrayList<>();
    findings.forEach(
        (found, launches) -> all.add(line(found.finding(), launches, tests.get(all.size()))));
    return all;
  }

  List<JobReport.Collective> collectives() {
    return collectives;
  }

  List<JobReport.Barrier> barriers() {
    return barriers;
  }

  JobReport.Operations operations() {
    return new JobReport.Operations(
        operations[0], operations[1], operations[2], operations[3], operations[4], operations[5]);
  }

  JobReport.Traffic traffic() {
    return new JobReport.Traffic(boxed(payload), boxed(wire));
  }

  long payloadBytes() {
    return payloadBytes;
  }

  long wireBytes() {
    return wireBytes;
  }

  long signalBytes() {
    return signalBytes;
  }

  /** A launch may use fewer devices than the run has. */
  private static void accumulate(long[][] sum, List<List<Long>> added) {
    for (int from = 0; from < added.size(); from++) {
      for (int to = 0; to < added.size(); to++) {
        sum[from][to] += added.get(from).get(to);
      }
    }
  }

  private static List<List<Long>> boxed(long[][] matrix) {
    List<List<Long>> rows = new ArrayList<>();
    for (long[] row : matrix) {
      rows.add(java.util.Arrays.stream(row).boxed().toList());
    }
    return rows;
  }

  private JobReport.FindingLine line(Finding f, int launches, String test) {
    return new JobReport.FindingLine(
        f.kind().name(),
        f.severity().name(),
        launches == 1 ? f.message() : f.message() + " (in " + launches + " launches)",
        f.hint(),
        f.ranks(),
        f.window().orElse(null),
        f.cell().orElse(null),
        f.fromByte().orElse(null),
        f.toByte().orElse(null),
        f.seen().orElse(null),
        f.needed().orElse(null),
        f.places().stream()
            .map(
                p ->
                    new JobReport.Place(
                        p.rank(),
                        p.span().line(),
                        p.span().column(),
                        lines.text(p.span()),
                        p.what()))
            .toList(),
        test.isEmpty() ? null : test);
  }

  private JobReport.Collective line(CollectiveTraffic c) {
    Optional<CostCard> card = costCard(c);
    return new JobReport.Collective(
        c.op(),
        c.rail(),
        c.algorithm(),
        c.ranks(),
        c.span().line(),
        perWorldRank(c.members(), c.payloadBytes()),
        perWorldRank(c.members(), c.wireBytes()),
        card.map(
                k ->
                    perWorldRank(
                        c.members(),
                        k.perRank().stream().map(CostCard.RankCost::ingressBytes).toList()))
            .orElse(List.of()),
        card.map(CostCard::minimumBytes).orElse(0L),
        c.notifies(),
        c.waits(),
        simulated ? c.virtualNanos() : 0,
        c.wallNanos());
  }

  private JobReport.Barrier line(BarrierRound b) {
    return new JobReport.Barrier(
        b.span().line(),
        b.window(),
        b.round(),
        b.ranks(),
        b.lastArriver(),
        simulated ? b.skewVirtualNanos() : 0,
        simulated ? b.releaseVirtualNanos() : 0,
        simulated
            ? perWorldRank(b.members(), b.waitVirtualNanos())
            : Collections.nCopies(ranks, 0L),
        perWorldRank(b.members(), b.waitWallNanos()));
  }

  /** Spreads values of a domain's members over all ranks; the others have 0. */
  private List<Long> perWorldRank(List<Integer> members, List<Long> values) {
    Long[] spread = new Long[ranks];
    java.util.Arrays.fill(spread, 0L);
    for (int i = 0; i < members.size(); i++) {
      spread[members.get(i)] = values.get(i);
    }
    return List.of(spread);
  }

  /** The published cost of a built-in; hand-written traffic has none. */
  private static Optional<CostCard> costCard(CollectiveTraffic c) {
    if (c.op().equals(CollectiveTraffic.TRANSFER) || c.dtype().isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        CostCard.of(
            new CostCard.Call(
                OpCode.valueOf(c.op().toUpperCase(Locale.ROOT)),
                Stmt.Rail.valueOf(c.rail().toUpperCase(Locale.ROOT)),
                c.algorithm(),
                c.ranks(),
                c.shape(),
                c.dtype().get(),
                Math.toIntExact(c.root().orElse(0L)),
                1)));
  }
}
