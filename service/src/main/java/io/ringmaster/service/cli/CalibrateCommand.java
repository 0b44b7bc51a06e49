package io.ringmaster.service.cli;

import io.ringmaster.worker.device.CostModels;
import io.ringmaster.worker.device.Fit;
import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.device.Measured;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ringmaster calibrate}: a cost model from transfers that were measured on hardware. */
@Command(
    description = "Fits a cost model to measured transfers and prints it.",
    mixinStandardHelpOptions = true)
final class CalibrateCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "FILE",
      description = "lines of kind,bytes,nanos; kind is sync or async")
  private @Nullable Path rows;

  @Option(
      names = {"-p", "--platform"},
      paramLabel = "PLATFORM",
      defaultValue = "a2a3sim",
      description = "where the other numbers come from; default ${DEFAULT-VALUE}")
  private String platform = "a2a3sim";

  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = "my-1",
      description = "name and version of the result; default ${DEFAULT-VALUE}")
  private String name = "my-1";

  @Override
  public Integer call() {
    var line = Objects.requireNonNull(spec, "set by picocli").commandLine();
    Path file = Objects.requireNonNull(rows, "picocli requires FILE");
    HardwareProfile profile =
        HardwareProfile.named(platform)
            .filter(HardwareProfile::isSimulated)
            .orElseThrow(() -> new ParameterException(line, "no platform " + platform));
    try {
      List<Measured> measured = Measured.parse(file.toString(), Files.readString(file));
      Fit fit = Fit.of(profile.cost(), name, measured);
      PrintWriter out = line.getOut();
      out.print(CostModels.print(fit.model()));
      out.flush();
      PrintWriter err = line.getErr();
      fit.table(measured).forEach(err::println);
      err.println(String.format(Locale.ROOT, "worst row %.1f %% off", 100 * fit.worst()));
      err.flush();
      return 0;
    } catch (IOException e) {
      throw new ParameterException(line, "can't read " + file + ": " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(line, e.getMessage(), e);
    }
  }
}
