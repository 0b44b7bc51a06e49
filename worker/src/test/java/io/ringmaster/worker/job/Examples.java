package io.ringmaster.worker.job;

import io.ringmaster.worker.source.SourceDecoder;
import io.ringmaster.worker.source.SourceFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The repository's example scripts, as submissions. */
final class Examples {

  private static final Path ROOT = Path.of("..", "examples");

  private Examples() {}

  static List<Path> in(String folder) {
    return list(ROOT.resolve(folder));
  }

  static List<Path> list(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(f -> f.toString().endsWith(".py")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Every program of the repository in which nothing is wrong. */
  static Stream<Path> rightPrograms() {
    List<Path> all = new ArrayList<>();
    for (Path folder : List.of(ROOT, Path.of("src", "test", "resources", "programs"))) {
      try (Stream<Path> files = Files.walk(folder)) {
        files
            .filter(file -> file.toString().endsWith(".py"))
            .filter(file -> !file.startsWith(ROOT.resolve("wrong")))
            .sorted()
            .forEach(all::add);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return all.stream();
  }

  static SourceFile source(Path file) {
    try {
      return SourceDecoder.decode(file.getFileName().toString(), Files.readAllBytes(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static SourceFile ladder(String name) {
    return source(ROOT.resolve("ladder").resolve(name));
  }

  static List<Integer> firstDevices(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  static JobReport run(SourceFile source, List<Integer> devices, String... arguments) {
    return runOnEach(source, List.of(devices), arguments);
  }

  static CompiledScript compile(SourceFile source, List<Integer> devices) {
    return new JobRunner().compile(spec(source, List.of(devices)));
  }

  static JobReport runOnEach(SourceFile source, List<List<Integer>> devices, String... arguments) {
    return new JobRunner().run(spec(source, devices, arguments), RunControl.none());
  }

  private static JobSpec spec(SourceFile source, List<List<Integer>> devices, String... arguments) {
    return new JobSpec(source, "a2a3sim", devices, List.of(arguments), JobSpec.Limits.DEFAULT, 0);
  }

  /** Everything a report says in words, for looking a phrase up. */
  static String words(JobReport report) {
    var words = new StringBuilder(report.sentence()).append('\n');
    report.diagnostics().forEach(d -> words.append(d.message()).append('\n'));
    for (JobReport.Run run : report.runs()) {
      words.append(run.sentence()).append('\n');
      run.findings().forEach(f -> words.append(f.message()).append('\n'));
      run.checks().forEach(c -> words.append(c.explanation()).append('\n'));
    }
    return words.toString();
  }

  /** All that a report advises, and what its checks explain. */
  static String hints(JobReport report) {
    var hints = new StringBuilder();
    report.diagnostics().forEach(d -> hints.append(d.hint()).append('\n'));
    for (JobReport.Run run : report.runs()) {
      run.findings().forEach(f -> hints.append(f.hint()).append('\n'));
      run.checks().forEach(c -> hints.append(c.explanation()).append('\n'));
    }
    return hints.toString();
  }
}
