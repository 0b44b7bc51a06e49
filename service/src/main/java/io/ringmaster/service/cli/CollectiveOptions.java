package io.ringmaster.service.cli;

import io.ringmaster.worker.device.CostModels;
import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.isolated.ChildRunner;
import io.ringmaster.worker.job.Accelerators;
import io.ringmaster.worker.trial.Algorithm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A collective, how many ranks, how many bytes, and where: what estimate and bench ask for. */
final class CollectiveOptions {

  private static final long MOST_BYTES = 1L << 32;
  private static final int MOST_RANKS = 200_000;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "COLLECTIVE",
      description = "barrier, broadcast, allreduce, allgather, reduce_scatter or all_to_all")
  private String collective = "";

  @Option(
      names = {"-p", "--platform"},
      paramLabel = "PLATFORM",
      defaultValue = "a2a3sim",
      description = "a2a3sim (default), a5sim or sim")
  private String platform = "a2a3sim";

  @Option(
      names = "--ranks",
      paramLabel = "P",
      defaultValue = "8",
      description = "how many ranks; default ${DEFAULT-VALUE}")
  private int ranks;

  @Option(
      names = "--bytes",
      paramLabel = "N",
      defaultValue = "64KiB",
      description = "what one rank puts in: 1024, 64KiB, 4MiB; default ${DEFAULT-VALUE}")
  private String bytes = "64KiB";

  @Option(
      names = "--cost-model",
      paramLabel = "FILE",
      description = "a calibration of your own, see the calibrate command")
  private @Nullable Path costModel;

  private @Nullable ChildRunner children;

  String collective() {
    String name = collective.replace('-', '_').toLowerCase(Locale.ROOT);
    if (!Algorithm.collectives().contains(name)) {
      throw usage(
          "'" + collective + "' isn't one of " + String.join(", ", Algorithm.collectives()));
    }
    return name;
  }

  Algorithm algorithm(String title) {
    return Algorithm.named(collective(), title)
        .orElseThrow(
            () ->
                usage(
                    "--algorithm "
                        + title
                        + ": "
                        + collective()
                        + " has "
                        + String.join(
                            ", ",
                            Algorithm.of(collective()).stream().map(Algorithm::title).toList())));
  }

  int ranks() {
    if (ranks < 2 || ranks > MOST_RANKS) {
      throw usage("--ranks: " + ranks + " isn't in 2.." + MOST_RANKS);
    }
    return ranks;
  }

  long bytes() {
    return bytes("--bytes", bytes);
  }

  /** What uses this host's accelerators. */
  ChildRunner children() {
    ChildRunner made = Objects.requireNonNullElseGet(children, () -> new ChildRunner(1));
    children = made;
    return made;
  }

  /** The platform, an accelerator too if this host has one. */
  HardwareProfile measuredProfile() {
    if (!platform.equals(HardwareProfile.opencl().platform())) {
      return profile();
    }
    Accelerators accelerators = children().accelerators();
    if (!accelerators.available()) {
      throw usage("-p opencl: " + accelerators.reason() + "; " + accelerators.fix());
    }
    if (costModel != null) {
      throw usage("--cost-model: an accelerator has no virtual time");
    }
    return HardwareProfile.opencl();
  }

  HardwareProfile profile() {
    HardwareProfile profile =
        HardwareProfile.named(platform)
            .filter(HardwareProfile::isSimulated)
            .orElseThrow(
                () ->
                    usage(
                        "-p "
                            + platform
                            + ": choose one of "
                            + String.join(
                                ", ",
                                HardwareProfile.all().stream()
                                    .map(HardwareProfile::platform)
                                    .toList())));
    if (costModel == null) {
      return profile;
    }
    try {
      String text = Files.readString(costModel);
      return profile.with(CostModels.parse(costModel.toString(), text));
    } catch (IOException e) {
      throw usage("--cost-model: can't read " + costModel + ": " + e.getMessage());
    } catch (IllegalArgumentException e) {
      throw usage("--cost-model: " + e.getMessage());
    }
  }

  /** A number of bytes with or without a unit. */
  long bytes(String option, String text) {
    Matcher parts = Pattern.compile("(\\d{1,12})\\s*(|B|KiB|MiB|GiB)").matcher(text.strip());
    if (parts.matches()) {
      long unit = 1L << (10 * List.of("B", "KiB", "MiB", "GiB").indexOf(unit(parts.group(2))));
      long count = Long.parseLong(parts.group(1)) * unit;
      if (count >= 1 && count <= MOST_BYTES) {
        return count;
      }
    }
    throw usage(option + " " + text + ": write 1..4GiB, such as 1024, 64KiB or 4MiB");
  }

  private static String unit(String written) {
    return written.isEmpty() ? "B" : written;
  }

  ParameterException usage(String message) {
    return new ParameterException(
        Objects.requireNonNull(spec, "set by picocli").commandLine(), message);
  }
}
