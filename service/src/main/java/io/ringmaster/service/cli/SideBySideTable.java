package io.ringmaster.service.cli;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.PlatformComparison;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Runs on several platforms beside each other: what came out when they were compared, and their
 * times, virtual ones and measured ones.
 */
final class SideBySideTable {

  private static final int MOST_ROWS = 24;

  private SideBySideTable() {}

  static String of(JobReport report) {
    List<JobReport.Run> runs = report.runs();
    var table = new Table("", "devices", "verdict", "virtual", "measured");
    for (JobReport.Run run : runs) {
      table.row(
          run.platform(),
          run.devices().stream().map(String::valueOf).collect(Collectors.joining(",")),
          run.verdict(),
          isSimulated(run) ? Units.nanos(run.timings().runVirtualNanos()) : "-",
          Units.nanos(run.timings().runWallNanos()));
    }
    return table.render() + collectives(runs) + comparisons(report.comparisons());
  }

  private static String comparisons(List<PlatformComparison> comparisons) {
    if (comparisons.isEmpty()) {
      return "";
    }
    var table =
        new Table("", "against", "devices", "result", "outputs", "same bytes", "close", "ulps");
    for (var found : comparisons.subList(0, Math.min(MOST_ROWS, comparisons.size()))) {
      table.row(
          found.platform(),
          found.referencePlatform(),
          found.devices().stream().map(String::valueOf).collect(Collectors.joining(",")),
          found.outcome(),
          found.outputs(),
          found.identical(),
          found.close(),
          found.maxUlps() == null ? "-" : Units.real(found.maxUlps()));
    }
    var text = new StringBuilder("\n").append(table.render());
    for (var found : comparisons) {
      switch (found.outcome()) {
        case SAME, CLOSE -> {}
        case DIFFERENT, INCOMPLETE, NOT_COMPARED ->
            text.append("  ")
                .append(found.platform())
                .append(": ")
                .append(found.sentence())
                .append('\n');
      }
    }
    return text.toString();
  }

  private static boolean isSimulated(JobReport.Run run) {
    return HardwareProfile.named(run.platform()).filter(HardwareProfile::isSimulated).isPresent();
  }

  /** Collectives of runs that made the same ones, in the same order. */
  private static String collectives(List<JobReport.Run> runs) {
    List<JobReport.Collective> first = runs.getFirst().collectives();
    List<JobReport.Run> same =
        runs.stream().filter(run -> names(run).equals(names(runs.getFirst()))).toList();
    if (first.isEmpty() || same.size() < 2) {
      return "";
    }
    List<String> header = new ArrayList<>(List.of("", "line"));
    same.forEach(
        run -> header.add(run.platform() + (isSimulated(run) ? ", virtual" : ", measured")));
    var table = new Table(header.toArray(String[]::new));
    for (int i = 0; i < Math.min(MOST_ROWS, first.size()); i++) {
      List<Object> row = new ArrayList<>();
      row.add(first.get(i).op() + " " + first.get(i).algorithm());
      row.add(first.get(i).line());
      for (JobReport.Run run : same) {
        var one = run.collectives().get(i);
        row.add(Units.nanos(isSimulated(run) ? one.virtualNanos() : one.wallNanos()));
      }
      table.row(row.toArray());
    }
    return "\n" + table.render();
  }

  private static List<String> names(JobReport.Run run) {
    return run.collectives().stream().map(one -> one.op() + one.algorithm() + one.line()).toList();
  }
}
