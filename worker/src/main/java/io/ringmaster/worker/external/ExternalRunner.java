package io.ringmaster.worker.external;

import io.ringmaster.worker.process.Output;
import io.ringmaster.worker.process.ProcFiles;
import io.ringmaster.worker.process.ProcessTree;
import io.ringmaster.worker.process.Signals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Runs scripts as foreign processes on this host's cards: one session for each run, an environment
 * of allowed names, limits, and nobody left behind when it returns. Linux only.
 */
public final class ExternalRunner implements AutoCloseable {

  private static final String MARK = ExternalSettings.OURS + "MARK";
  private static final String SETSID = "setsid";
  private static final Duration LAST_OUTPUT = Duration.ofSeconds(2);

  private final ExternalSettings settings;
  private final WorkFolder folder;
  private final Signals signals = new Signals();
  private final SecureRandom random = new SecureRandom();

  /**
   * Takes the folder, and ends what an earlier worker has left running there.
   *
   * @throws IllegalArgumentException when this host can't run anything so; the sentence says why
   */
  public ExternalRunner(ExternalSettings settings) {
    this.settings = settings;
    ProcessTree.hindrance(signals)
        .ifPresent(
            why -> {
              throw new IllegalArgumentException("cards need Linux 5.3 or later: " + why);
            });
    requireProgram(SETSID);
    requireProgram(settings.command().getFirst());
    settings.probe().stream().findFirst().ifPresent(this::requireProgram);
    this.folder = WorkFolder.take(settings.folder());
    try {
      endLeftovers();
    } catch (RuntimeException e) {
      folder.close();
      throw e;
    }
  }

  /** Said at the start: it isn't the fault of any run. */
  private void requireProgram(String word) {
    String path =
        settings.set().getOrDefault("PATH", Objects.requireNonNullElse(System.getenv("PATH"), ""));
    boolean found =
        Template.names(word).isEmpty()
            && Arrays.stream(word.contains("/") ? new String[] {""} : path.split(":", -1))
                .map(place -> Path.of(place).resolve(word))
                .anyMatch(file -> Files.isRegularFile(file) && Files.isExecutable(file));
    if (!found) {
      throw new IllegalArgumentException(
          "there is no program '%s' on this host (PATH %s)".formatted(word, path));
    }
  }

  /** A worker that was killed couldn't end its runs; their cards are still in use. */
  private void endLeftovers() {
    String beginning = MARK + "=" + folder.id() + "/";
    var tree = new ProcessTree(signals, variable -> variable.startsWith(beginning));
    try {
      var left = tree.end(Duration.ZERO, settings.limits().kill());
      if (!left.isEmpty()) {
        throw new IllegalArgumentException(
            "processes of an earlier worker can't be ended: "
                + numbers(left)
                + "; the cards that they use aren't free");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public ExternalSettings settings() {
    return settings;
  }

  /**
   * What to run.
   *
   * @param name of the script's file, for people
   * @param limit how long it may take
   */
  public record Request(
      String name,
      String script,
      String platform,
      List<Integer> devices,
      List<String> arguments,
      Duration limit) {}

  /** How the first process came to its end. */
  public enum Ending {
    EXITED,
    TIMED_OUT,
    CANCELLED,
    NOT_STARTED
  }

  /**
   * What came out.
   *
   * @param exitCode of the first process when it exited; 128 and more for a signal
   * @param why it didn't start; empty when it did
   * @param reading what was found where the record belongs
   * @param output what it printed
   * @param left processes that outlived the first one and were ended
   * @param immortal processes that can't be ended, so that the devices aren't free
   */
  public record Outcome(
      Ending ending,
      int exitCode,
      String why,
      ResultRecord.Reading reading,
      String output,
      long wallNanos,
      int left,
      List<Long> immortal) {

    static Outcome notStarted(String why) {
      return new Outcome(
          Ending.NOT_STARTED, -1, why, new ResultRecord.Absent(), "", 0, 0, List.of());
    }
  }

  /** Runs a script with the configured command. */
  public Outcome run(Request request, BooleanSupplier cancelled, Consumer<String> output) {
    return run(settings.command(), request, cancelled, output);
  }

  /**
   * Tries devices with the configured probe.
   *
   * @return what was wrong; nothing when they are good or the probe was told to stop
   */
  public Optional<String> probe(String platform, List<Integer> devices, BooleanSupplier cancelled) {
    var request =
        new Request("probe.py", "", platform, devices, List.of(), settings.limits().probe());
    var outcome = run(settings.probe(), request, cancelled, _ -> {});
    String fault =
        !outcome.immortal().isEmpty()
            ? "the probe's processes can't be ended: " + outcome.immortal()
            : switch (outcome.ending()) {
              case CANCELLED -> "";
              case TIMED_OUT -> "the probe took longer than " + request.limit().toSeconds() + " s";
              case NOT_STARTED -> "the probe didn't start: " + outcome.why();
              case EXITED ->
                  outcome.exitCode() == 0
                      ? ""
                      : "the probe ended with exit code %d: %s"
                          .formatted(outcome.exitCode(), lastLine(outcome.output()));
            };
    return fault.isEmpty() || cancelled.getAsBoolean() ? Optional.empty() : Optional.of(fault);
  }

  private static String lastLine(String text) {
    return text.strip().lines().reduce((_, last) -> last).orElse("it printed nothing");
  }

  private Outcome run(
      List<String> command, Request request, BooleanSupplier cancelled, Consumer<String> output) {
    String name = HexFormat.of().formatHex(bytes(16));
    try (var files = folder.makeRun(name, request.name())) {
      files.write(request);
      return run(command, request, files, bytes(32), cancelled, output);
    } catch (IOException e) {
      return Outcome.notStarted("its files can't be written: " + e);
    }
  }

  private byte[] bytes(int count) {
    var some = new byte[count];
    random.nextBytes(some);
    return some;
  }

  private Outcome run(
      List<String> command,
      Request request,
      WorkFolder.RunFiles files,
      byte[] key,
      BooleanSupplier cancelled,
      Consumer<String> output) {
    var values = values(request, files);
    List<String> words = new ArrayList<>();
    words.add(SETSID);
    words.addAll(Template.fill(command, values, request.arguments()));
    String mark = folder.id() + "/" + files.name();
    var builder =
        new ProcessBuilder(words)
            .directory(files.workFolder().toFile())
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile());
    fill(builder.environment(), values, files, key, mark);
    long start = System.nanoTime();
    Process process;
    try {
      process = builder.start();
    } catch (IOException e) {
      return Outcome.notStarted(String.valueOf(e.getMessage()));
    }
    var tree = new ProcessTree(signals, (MARK + "=" + mark)::equals);
    tree.leader(process.pid());
    var printed = new Output(process.getInputStream(), settings.outputCharacters() / 2, output);
    var supervision = new Supervision(process, tree, settings.limits());
    var end = supervision.untilTheEnd(start + request.limit().toNanos(), cancelled);
    var reading =
        ResultRecord.read(files.record(), key, files.name(), request.platform(), request.devices());
    return new Outcome(
        end.ending(),
        end.exitCode(),
        "",
        reading,
        printed.text(LAST_OUTPUT),
        System.nanoTime() - start,
        end.left(),
        end.immortal().stream().map(ProcFiles.Entry::pid).toList());
  }

  private Map<String, String> values(Request request, WorkFolder.RunFiles files) {
    return Map.of(
        "harness", folder.harness().toString(),
        "script", files.script().toString(),
        "platform", request.platform(),
        "devices", request.devices().stream().map(String::valueOf).collect(Collectors.joining(",")),
        "seconds", Long.toString(request.limit().toSeconds()),
        "deviceSeconds", Long.toString(settings.limits().device().toSeconds()),
        "folder", files.workFolder().toString());
  }

  private void fill(
      Map<String, String> environment,
      Map<String, String> values,
      WorkFolder.RunFiles files,
      byte[] key,
      String mark) {
    Map<String, String> all = new HashMap<>(environment);
    environment.clear();
    all.forEach(
        (variable, value) -> {
          if (settings.passes(variable)) {
            environment.put(variable, value);
          }
        });
    settings.set().forEach((name, text) -> environment.put(name, Template.fill(text, values)));
    environment.put("TMPDIR", files.temporary().toString());
    environment.put(MARK, mark);
    environment.put("RINGMASTER_RUN", files.name());
    environment.put("RINGMASTER_KEY", HexFormat.of().formatHex(key));
    environment.put("RINGMASTER_RECORD", files.record().toString());
    environment.put("RINGMASTER_PLATFORM", Objects.requireNonNull(values.get("platform")));
    environment.put("RINGMASTER_DEVICES", Objects.requireNonNull(values.get("devices")));
  }

  private static String numbers(List<ProcFiles.Entry> entries) {
    return entries.stream()
        .map(entry -> Long.toString(entry.pid()))
        .collect(Collectors.joining(", "));
  }

  @Override
  public void close() {
    folder.close();
  }
}
