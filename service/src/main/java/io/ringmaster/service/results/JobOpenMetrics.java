package io.ringmaster.service.results;

import io.ringmaster.worker.job.JobReport;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * One job's numbers as OpenMetrics text. All are gauges: they are what came out, once, not counts
 * of something that goes on.
 */
final class JobOpenMetrics {

  static final String MEDIA_TYPE = "application/openmetrics-text";

  private static final double NANOS = 1e9;

  private final StringBuilder text = new StringBuilder();
  private final JobReport report;
  private final String job;

  private JobOpenMetrics(String job, JobReport report) {
    this.job = job;
    this.report = report;
  }

  static String write(String job, JobReport report) {
    return new JobOpenMetrics(job, report).all();
  }

  private String all() {
    runs(
        "passed",
        "Whether the run is PASSED.",
        run -> run.verdict().name().equals("PASSED") ? 1 : 0);
    runs("checks", "Comparisons made.", run -> run.checks().size());
    runs(
        "checks_failed",
        "Comparisons that do not hold.",
        run -> run.checks().stream().filter(check -> !check.passed()).count());
    runs("findings", "Findings of any severity.", run -> run.findings().size());
    runs("payload_bytes", "Bytes the kernels asked to move.", run -> run.evidence().payloadBytes());
    runs("wire_bytes", "Bytes between different ranks.", run -> run.evidence().wireBytes());
    runs(
        "virtual_seconds",
        "Virtual time of the run.",
        run -> run.timings().runVirtualNanos() / NANOS);
    runs("wall_seconds", "Wall time of the run.", run -> run.timings().runWallNanos() / NANOS);
    collectives();
    return text.append("# EOF\n").toString();
  }

  private void header(String name, String help) {
    text.append("# TYPE ringmaster_job_").append(name).append(" gauge\n");
    text.append("# HELP ringmaster_job_").append(name).append(' ').append(help).append('\n');
  }

  private void runs(String name, String help, ToDoubleFunction<JobReport.Run> value) {
    header(name, help);
    for (int i = 0; i < report.runs().size(); i++) {
      sample(name, labels(i), value.applyAsDouble(report.runs().get(i)));
    }
  }

  private List<String> labels(int run) {
    var one = report.runs().get(run);
    return new ArrayList<>(
        List.of(
            "run=\"" + (run + 1) + "\"",
            "platform=\"" + escaped(one.platform()) + "\"",
            "ranks=\"" + one.devices().size() + "\"",
            "arguments=\"" + escaped(String.join(" ", one.arguments())) + "\"",
            "verdict=\"" + one.verdict() + "\""));
  }

  private void collectives() {
    header("collective_virtual_seconds", "Virtual time of a collective.");
    eachCollective("collective_virtual_seconds", collective -> collective.virtualNanos() / NANOS);
    header("collective_wire_bytes", "Bytes between different ranks of a collective.");
    eachCollective(
        "collective_wire_bytes",
        collective -> collective.wireBytes().stream().mapToLong(Long::longValue).sum());
  }

  private void eachCollective(String name, ToDoubleFunction<JobReport.Collective> value) {
    for (int i = 0; i < report.runs().size(); i++) {
      int number = 0;
      for (var collective : report.runs().get(i).collectives()) {
        number++;
        var labels = labels(i);
        labels.add("call=\"" + number + "\"");
        labels.add("collective=\"" + escaped(collective.op()) + "\"");
        labels.add("algorithm=\"" + escaped(collective.algorithm()) + "\"");
        sample(name, labels, value.applyAsDouble(collective));
      }
    }
  }

  private void sample(String name, List<String> labels, double value) {
    text.append("ringmaster_job_")
        .append(name)
        .append("{job=\"")
        .append(escaped(job))
        .append("\",");
    text.append(labels.stream().collect(Collectors.joining(","))).append("} ");
    text.append(BigDecimal.valueOf(value).stripTrailingZeros().toPlainString()).append('\n');
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }
}
