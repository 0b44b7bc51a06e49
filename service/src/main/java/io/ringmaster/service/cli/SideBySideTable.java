package io.ringmaster.service.cli;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.job.JobReport;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The times of runs on several platforms beside each other: virtual ones and measured ones. */
final class SideBySideTable {

  private static final int MOST_ROWS = 24;

  private SideBySideTable() {}

  static String of(List<JobReport.Run> runs) {
    var table = new Table("", "devices", "verdict", "virtual", "measured");
    for (JobReport.Run run : runs) {
      table.row(
          run.platform(),
          run.devices().stream().map(String::valueOf).collect(Collectors.joining(",")),
          run.verdict(),
          isSimulated(run) ? Units.nanos(run.timings().runVirtualNanos()) : "-",
          Units.nanos(run.timings().runWallNanos()));
    }
    return table.render() + collectives(runs);
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
