package io.ringmaster.worker.job;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Bodies of functions, each to be run in one or more frames, and what must come out: records that
 * begin with {@code === name}, then one setting a line, an empty line and the body. A record that
 * names a {@code file} of {@code examples/wrong} has no body: that file is run.
 */
final class Bodies {

  private static final Path RESOURCES = Path.of("src", "test", "resources");

  private static final Path WRONG = Path.of("..", "examples", "wrong");

  private Bodies() {}

  /** One body in one frame; {@code form} is the frame's name, or the file's. */
  record Body(
      String name,
      String form,
      int ranks,
      String dtype,
      String golden,
      Verdict verdict,
      List<String> findings,
      List<String> says,
      List<String> hints,
      String text) {
    @Override
    public String toString() {
      return name + " (" + form + ")";
    }

    /** The whole script. */
    String source() {
      if (form.endsWith(".py")) {
        return read(WRONG.resolve(form));
      }
      String frame = read(RESOURCES.resolve("bodies").resolve(form + ".py.txt"));
      String line = frame.lines().filter(l -> l.strip().equals("<body>")).findFirst().orElseThrow();
      String indent = line.substring(0, line.indexOf('<'));
      return frame
          .replace(line, text.lines().map(l -> l.isEmpty() ? l : indent + l).collect(joining("\n")))
          .replace("<ranks>", Integer.toString(ranks))
          .replace("<dtype>", dtype)
          .replace("<torch>", torch(dtype))
          .replace("<golden>", golden);
    }

    /** Runs the script, and holds the report against what the record says. */
    void run() {
      List<Integer> devices = IntStream.range(0, ranks).boxed().toList();
      JobReport report = Examples.run(SourceFile.of("body.py", source()), devices);

      String words = Examples.words(report);
      assertThat(report.verdict()).as("%s said: %s", this, words).isEqualTo(verdict);
      assertThat(says).allSatisfy(phrase -> assertThat(words).contains(phrase));
      String advice = Examples.hints(report);
      assertThat(hints).allSatisfy(phrase -> assertThat(advice).contains(phrase));
      assertThat(report.runs())
          .flatExtracting(JobReport.Run::findings)
          .extracting(JobReport.FindingLine::kind)
          .containsAll(findings);
      assertThat(Marks.named(report, source())).as(words).containsAll(Marks.in(source()));
      if (verdict == Verdict.PASSED && says.isEmpty()) {
        assertThat(report.diagnostics()).as("warnings about what is right").isEmpty();
      }
      if (verdict == Verdict.WRONG_RESULT) {
        assertThat(report.runs().getFirst().checks()).anyMatch(check -> !check.passed());
      }
    }
  }

  private static String torch(String dtype) {
    return switch (dtype) {
      case "FP16" -> "float16";
      case "BF16" -> "bfloat16";
      case "INT32" -> "int32";
      case "INT16" -> "int16";
      case "INT8" -> "int8";
      default -> "float32";
    };
  }

  /** All bodies of a text below the test resources, in all their forms. */
  static Stream<Body> in(String file) {
    return Arrays.stream(read(RESOURCES.resolve(file)).split("(?m)^=== ", -1))
        .skip(1)
        .flatMap(Bodies::forms);
  }

  private static Stream<Body> forms(String record) {
    List<String> lines = record.stripTrailing().lines().toList();
    int at = 1;
    String golden = "x";
    String forms = "class, jit";
    String dtype = "FP32";
    int ranks = 2;
    Verdict verdict = Verdict.PASSED;
    List<String> findings = new ArrayList<>();
    List<String> says = new ArrayList<>();
    List<String> hints = new ArrayList<>();
    for (; at < lines.size() && !lines.get(at).isBlank(); at++) {
      String value = lines.get(at).substring(lines.get(at).indexOf(' ') + 1);
      switch (lines.get(at).substring(0, lines.get(at).indexOf(':'))) {
        case "golden" -> golden = value;
        case "forms", "file" -> forms = value;
        case "dtype" -> dtype = value;
        case "ranks" -> ranks = Integer.parseInt(value);
        case "verdict" -> verdict = Verdict.valueOf(value);
        case "finding" -> findings.add(value);
        case "says" -> says.add(value);
        case "hint" -> hints.add(value);
        default -> throw new IllegalArgumentException(lines.get(at));
      }
    }
    List<Body> bodies = new ArrayList<>();
    for (String form : forms.split(", ", -1)) {
      bodies.add(
          new Body(
              lines.getFirst(),
              form,
              ranks,
              dtype,
              golden,
              verdict,
              List.copyOf(findings),
              List.copyOf(says),
              List.copyOf(hints),
              String.join("\n", lines.subList(Math.min(at + 1, lines.size()), lines.size()))));
    }
    return bodies.stream();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
