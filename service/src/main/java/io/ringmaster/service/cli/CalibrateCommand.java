package io.ringmaster.service.cli;

import io.ringmaster.worker.device.CostModels;
import io.ringmaster.worker.device.Fit;
import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.device.Measured;
import io.ringmaster.worker.isolated.ChildRunner;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ringmaster calibrate}: a cost model from what was measured on hardware. */
@Command(
    description = {
      "Fits a cost model to measurements and prints it, with how far it is off.",
      "With -p opencl and no FILE it measures this host's accelerator."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:there is a model",
      "2:bad usage, or there is no device",
      "3:the driver hung or crashed, or what was measured can't be fitted"
    })
final class CalibrateCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "FILE",
      description =
          "lines of kind,bytes,nanos; kind is sync, async, load, store, vector or barrier, which"
              + " has its ranks in place of bytes")
  private @Nullable Path rows;

  @Option(
      names = {"-p", "--platform"},
      paramLabel = "PLATFORM",
      defaultValue = "a2a3sim",
      description = "where the other numbers come from, or opencl; default ${DEFAULT-VALUE}")
  private String platform = "a2a3sim";

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = "my-1",
      description = "name and version of the result; default ${DEFAULT-VALUE}")
  private String name = "my-1";

  @Option(names = "--quick", description = "measure a few small sizes only")
  private boolean quick;

  @Option(
      names = "--rows",
      paramLabel = "FILE",
      description = "also write what was measured, as lines that this command reads")
  private @Nullable Path written;

  @Override
  public Integer call() {
    var line = Objects.requireNonNull(spec, "set by picocli").commandLine();
    boolean measures = platform.equals(HardwareProfile.OPENCL) && rows == null;
    if (!measures && (quick || written != null)) {
      throw new ParameterException(
          line, "--quick and --rows are for -p opencl without FILE, which measures");
    }
    if (!measures && rows == null) {
      throw new ParameterException(
          line,
          "give FILE with what was measured, or -p opencl to measure this host's accelerator");
    }
    try {
      return measures ? measured(line) : fromFile(line, Objects.requireNonNull(rows));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(line, e.getMessage(), e);
    }
  }

  private int fromFile(CommandLine line, Path file) {
    HardwareProfile profile =
        HardwareProfile.named(platform)
            .orElseThrow(() -> new ParameterException(line, "no platform " + platform));
    try {
      List<Measured> measured = Measured.parse(file.toString(), Files.readString(file));
      Fit fit =
          profile.isSimulated()
              ? Fit.of(profile.cost(), name, measured)
              : Fit.ofDevice(profile.cost(), name, measured, "the device of " + file);
      print(line, fit, measured);
      return ExitCodes.PASSED;
    } catch (IOException e) {
      throw new ParameterException(line, "can't read " + file + ": " + e.getMessage(), e);
    }
  }

  private int measured(CommandLine line) {
    PrintWriter err = line.getErr();
    try (var children = new ChildRunner(1)) {
      var accelerators = children.accelerators();
      if (!accelerators.available()) {
        throw new ParameterException(
            line, "-p opencl: " + accelerators.reason() + "; " + accelerators.fix());
      }
      List<Measured> measured =
          children.calibration(
              quick,
              text -> {
                err.println("  " + text);
                err.flush();
              });
      if (written != null) {
        write(line, written, measured);
      }
      String device = accelerators.names().getFirst();
      try {
        print(line, Fit.ofDevice(HardwareProfile.sim().cost(), name, measured, device), measured);
        return ExitCodes.PASSED;
      } catch (IllegalArgumentException e) {
        err.println("what was measured can't be fitted: " + e.getMessage());
        err.println("Measure again while the machine does nothing else.");
        err.flush();
        return ExitCodes.INFRASTRUCTURE;
      }
    }
  }

  private static void write(CommandLine line, Path file, List<Measured> measured) {
    try {
      Files.write(file, measured.stream().map(Measured::text).toList());
    } catch (IOException e) {
      throw new ParameterException(line, "--rows: can't write " + file + ": " + e.getMessage(), e);
    }
  }

  /** The model with its residuals: they are remarks of the file, and for whoever watches. */
  private static void print(CommandLine line, Fit fit, List<Measured> measured) {
    List<String> residuals = new ArrayList<>(fit.table(measured));
    residuals.add(String.format(Locale.ROOT, "worst row %.1f %% off", 100 * fit.worst()));
    PrintWriter out = line.getOut();
    out.print(CostModels.print(fit.model()));
    out.println();
    residuals.forEach(residual -> out.println("# " + residual));
    out.flush();
    PrintWriter err = line.getErr();
    residuals.forEach(err::println);
    err.flush();
  }
}
