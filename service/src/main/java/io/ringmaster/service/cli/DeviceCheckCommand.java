package io.ringmaster.service.cli;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.isolated.ChildRunner;
import io.ringmaster.worker.job.DeviceCheck;
import io.ringmaster.worker.job.ReportJson;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code ringmaster device-check}: whether this host's accelerators compute right, and how fast.
 */
@Command(
    description = {
      "Runs kernels with known results on this host's accelerators and on the simulator,",
      "compares every bit, and measures copies, barriers and collectives."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all is right",
      "1:something isn't",
      "2:bad usage, or there is no device",
      "3:there wasn't time for all of it and what was tried is right, or the driver hung or crashed"
    })
final class DeviceCheckCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = {"-p", "--platform"},
      paramLabel = "PLATFORM",
      defaultValue = HardwareProfile.OPENCL,
      description = "${DEFAULT-VALUE} is the one there is")
  private String platform = HardwareProfile.OPENCL;

  @Option(names = "--quick", description = "a few kernels and small sizes only")
  private boolean quick;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "280",
      description = "what isn't begun by then isn't run; default ${DEFAULT-VALUE}")
  private int seconds;

  @Option(names = "--json", description = "print one JSON object instead")
  private boolean json;

  @Override
  public Integer call() {
    CommandLine line = Objects.requireNonNull(spec, "set by picocli").commandLine();
    if (!platform.equals(HardwareProfile.OPENCL)) {
      throw new ParameterException(
          line,
          "-p %s: only opencl is checked so; a worker tries its cards out before each run"
              .formatted(platform));
    }
    if (seconds < 1 || seconds > 86_400) {
      throw new ParameterException(line, "--seconds: " + seconds + " isn't in 1..86400");
    }
    try (var children = new ChildRunner(1)) {
      return call(children, line);
    }
  }

  private Integer call(ChildRunner children, CommandLine line) {
    var accelerators = children.accelerators();
    if (!accelerators.available()) {
      throw new ParameterException(
          line, "-p opencl: " + accelerators.reason() + "; " + accelerators.fix());
    }
    PrintWriter out = line.getOut();
    PrintWriter err = line.getErr();
    var report =
        children.check(
            quick,
            Duration.ofSeconds(seconds),
            text -> {
              err.println("  " + text);
              err.flush();
            });
    if (json) {
      out.println(ReportJson.print(report));
    } else {
      print(report, out);
    }
    out.flush();
    return switch (report.outcome()) {
      case GOOD -> ExitCodes.PASSED;
      case WRONG -> ExitCodes.NOT_PASSED;
      case NOT_RUN -> ExitCodes.INFRASTRUCTURE;
    };
  }

  private static void print(DeviceCheck.Report report, PrintWriter out) {
    report.devices().forEach(device -> out.println(device));
    long good =
        report.conformance().stream()
            .filter(one -> one.outcome() == DeviceCheck.Outcome.GOOD)
            .count();
    out.printf(
        "%nconformance: %d of %d kernels give what the simulator gives, bit for bit%n",
        good, report.conformance().size());
    var conformance = new Table("kernel", "ranks", "result", "time", "");
    for (DeviceCheck.Case one : report.conformance()) {
      conformance.row(
          (one.name() + " " + one.arguments()).strip(),
          one.ranks(),
          one.outcome() == DeviceCheck.Outcome.GOOD ? "same" : one.outcome(),
          one.nanos() == 0 ? "-" : Units.nanos(one.nanos()),
          one.says());
    }
    out.print(conformance.render());
    var copies = new Table("copy", "bytes", "time", "GB/s");
    for (DeviceCheck.Copy copy : report.copies()) {
      copies.row(
          copy.path(),
          Units.bytes(copy.bytes()),
          Units.nanos(copy.nanos()),
          rate(copy.bytesPerSecond()));
    }
    out.printf("%n%s", copies.render());
    var collectives =
        new Table("collective", "ranks", "bytes a rank", "time", "GB/s", "simulator", "result");
    for (DeviceCheck.Collective one : report.collectives()) {
      collectives.row(
          one.op() + " " + one.algorithm(),
          one.ranks(),
          one.bytes() == 0 ? "-" : Units.bytes(one.bytes()),
          Units.nanos(one.nanos()),
          one.bytes() == 0 ? "-" : rate(one.bytesPerSecond()),
          Units.nanos(one.simulatorNanos()),
          one.right() ? "right" : "WRONG");
    }
    out.printf("%n%s", collectives.render());
    String says =
        switch (report.outcome()) {
          case GOOD -> "good";
          case WRONG -> "NOT GOOD";
          case NOT_RUN ->
              "UNFINISHED: what was tried is right; give more --seconds, or a quieter machine";
        };
    out.printf("%n%s, in %s%n", says, Units.nanos(report.wallNanos()));
  }

  private static String rate(double bytesPerSecond) {
    return Units.real(bytesPerSecond / 1e9);
  }
}
