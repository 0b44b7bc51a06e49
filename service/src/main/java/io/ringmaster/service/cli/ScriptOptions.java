package io.ringmaster.service.cli;

import io.ringmaster.service.jobs.DeviceRequest;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.SourceDecoder;
import io.ringmaster.worker.source.SourceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The script and how to run it: shared by every command that evaluates one in this process. */
final class ScriptOptions {

  private static final int MOST_DEVICES = 131_072;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec spec;

  @Parameters(index = "0", paramLabel = "FILE", description = "the kernel script")
  private @Nullable Path file;

  @Parameters(
      index = "1..*",
      paramLabel = "ARGS",
      arity = "0..*",
      description = "after --: arguments for the script")
  private List<String> arguments = List.of();

  @Option(
      names = {"-p", "--platform"},
      paramLabel = "PLATFORM",
      defaultValue = "a2a3sim",
      description =
          "where to run; default ${DEFAULT-VALUE}; with run and submit, repeat to run on several")
  private List<String> platforms = List.of("a2a3sim");

  @Option(
      names = {"-d", "--device"},
      paramLabel = "LIST",
      description =
          "device ids, rank r runs on the r-th, or auto:4 for any four that are free; default 0,1;"
              + " repeat for several runs")
  private List<String> devices = List.of("0,1");

  @Option(
      names = "-k",
      paramLabel = "EXPR",
      description = "of a file of tests, only the cases whose names match; with and, or, not, ()")
  private @Nullable String keyword;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "0",
      description = "seed of the schedule and of random inputs; default 0")
  private long seed;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "wall-time limit of one run; default ${DEFAULT-VALUE}")
  private long timeoutSeconds;

  Path file() {
    return Objects.requireNonNull(file, "picocli requires FILE");
  }

  /** The platforms, each once; a command that takes one only says so itself. */
  List<String> platforms() {
    if (platforms.stream().distinct().count() != platforms.size()) {
      throw usage("-p " + String.join(" -p ", platforms) + ": a platform is named twice");
    }
    return platforms;
  }

  /**
   * The submission these options stand for, with more arguments for the script put first.
   *
   * @throws ParameterException when more than one platform is named
   */
  JobSpec toSpec(String... leadingArguments) {
    if (platforms().size() > 1) {
      throw usage("-p: only run and submit take several platforms");
    }
    return onFirst(leadingArguments);
  }

  /** The same on the first platform. */
  JobSpec onFirst(String... leadingArguments) {
    if (timeoutSeconds < 1 || timeoutSeconds > 86_400) {
      throw usage("--timeout: " + timeoutSeconds + " isn't in 1..86400 seconds");
    }
    JobSpec.Limits standard = JobSpec.Limits.DEFAULT;
    List<String> scriptArguments = new ArrayList<>(List.of(leadingArguments));
    if (keyword != null) {
      scriptArguments.addAll(List.of("-k", keyword));
    }
    scriptArguments.addAll(arguments);
    return new JobSpec(
        readSource(),
        platforms.getFirst(),
        devices.stream().map(this::idsFor).toList(),
        scriptArguments,
        new JobSpec.Limits(
            Duration.ofSeconds(timeoutSeconds),
            standard.scriptSteps(),
            standard.kernelSteps(),
            standard.memoryBytes()),
        seed);
  }

  /**
   * The devices as they are given: lists of ids, and {@code auto:4}, which only a service takes.
   */
  List<Object> deviceRequests() {
    return devices.stream()
        .map(text -> text.startsWith(DeviceRequest.AUTO) ? auto(text) : (Object) deviceList(text))
        .toList();
  }

  private String auto(String text) {
    if (DeviceRequest.auto(text, MOST_DEVICES).isEmpty()) {
      throw usage("-d " + text + ": a number of devices is written auto:4");
    }
    return text;
  }

  private SourceFile readSource() {
    Path path = file();
    try {
      return SourceDecoder.decode(path.toString(), Files.readAllBytes(path));
    } catch (NoSuchFileException e) {
      throw usage("no such file: " + path);
    } catch (DiagnosticException e) {
      throw usage(path + ": " + e.getMessage());
    } catch (IOException e) {
      throw usage("can't read " + path + ": " + e.getMessage());
    }
  }

  /** Without a service every device is free: the first ones are taken. */
  private List<Integer> idsFor(String text) {
    if (!text.startsWith(DeviceRequest.AUTO)) {
      return deviceList(text);
    }
    var count = DeviceRequest.auto(auto(text), MOST_DEVICES).orElseThrow().ranks();
    return IntStream.range(0, count).boxed().toList();
  }

  private List<Integer> deviceList(String text) {
    List<Integer> ids = new ArrayList<>();
    for (String item : text.split(",", -1)) {
      ids.add(deviceId(item.strip(), text));
      if (ids.size() > MOST_DEVICES) {
        throw usage("-d: more than " + MOST_DEVICES + " devices");
      }
    }
    if (ids.stream().distinct().count() != ids.size()) {
      throw usage("-d " + text + ": a device is named twice; device ids must be distinct");
    }
    return ids;
  }

  private int deviceId(String item, String text) {
    try {
      int id = Integer.parseInt(item);
      if (id >= 0) {
        return id;
      }
    } catch (NumberFormatException e) {
      // Said below, together with the negative ones.
    }
    throw usage("-d " + text + ": '" + item + "' isn't a device id; write e.g. -d 0,1,2,3");
  }

  private ParameterException usage(String message) {
    return new ParameterException(
        Objects.requireNonNull(spec, "set by picocli").commandLine(), message);
  }
}
