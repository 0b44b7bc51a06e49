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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bodies of kernels, right and wrong, each in a class and in a free function: the values that come
 * out of the right ones, the verdict, words and line of the wrong ones.
 */
class KernelBodiesTest {

  private static final Path FOLDER = Path.of("src", "test", "resources", "bodies");
  private static final String MARK = "# <- here";

  /** One body in one form. */
  record Body(
      String name,
      String form,
      int ranks,
      String dtype,
      String golden,
      Verdict verdict,
      List<String> says,
      String text) {
    @Override
    public String toString() {
      return name + " (" + form + ")";
    }

    String source() {
      String frame = read(FOLDER.resolve(form + ".py.txt"));
      String line = frame.lines().filter(l -> l.strip().equals("<body>")).findFirst().orElseThrow();
      String indent = line.substring(0, line.indexOf('<'));
      return frame
          .replace(line, text.lines().map(l -> l.isEmpty() ? l : indent + l).collect(joining("\n")))
          .replace("<ranks>", Integer.toString(ranks))
          .replace("<dtype>", dtype)
          .replace("<torch>", torch(dtype))
          .replace("<golden>", golden);
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

  static Stream<Body> bodies() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files
          .filter(file -> file.toString().endsWith(".txt") && !file.toString().contains(".py."))
          .sorted()
          .flatMap(file -> Arrays.stream(read(file).split("(?m)^=== ", -1)).skip(1))
          .flatMap(KernelBodiesTest::forms)
          .toList()
          .stream();
    }
  }

  private static Stream<Body> forms(String record) {
    List<String> lines = record.stripTrailing().lines().toList();
    int at = 1;
    String golden = "x";
    String forms = "class, jit";
    String dtype = "FP32";
    int ranks = 2;
    Verdict verdict = Verdict.PASSED;
    List<String> says = new ArrayList<>();
    for (; !lines.get(at).isBlank(); at++) {
      String value = lines.get(at).substring(lines.get(at).indexOf(' ') + 1);
      switch (lines.get(at).substring(0, lines.get(at).indexOf(':'))) {
        case "golden" -> golden = value;
        case "forms" -> forms = value;
        case "dtype" -> dtype = value;
        case "ranks" -> ranks = Integer.parseInt(value);
        case "verdict" -> verdict = Verdict.valueOf(value);
        case "says" -> says.add(value);
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
              List.copyOf(says),
              String.join("\n", lines.subList(at + 1, lines.size()))));
    }
    return bodies.stream();
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void comesOutAsItShould(Body body) {
    SourceFile source = SourceFile.of("body.py", body.source());
    List<Integer> devices = IntStream.range(0, body.ranks()).boxed().toList();
    JobReport report = Examples.runOnEach(source, List.of(devices));

    String words = Examples.words(report);
    assertThat(report.verdict()).as("%s said: %s", body, words).isEqualTo(body.verdict());
    assertThat(body.says()).allSatisfy(phrase -> assertThat(words).contains(phrase));
    if (body.verdict() != Verdict.PASSED) {
      List<String> lines = source.text().lines().toList();
      List<Integer> marked =
          IntStream.rangeClosed(1, lines.size())
              .filter(line -> lines.get(line - 1).endsWith(MARK))
              .boxed()
              .toList();
      assertThat(marked.isEmpty() && body.verdict() != Verdict.WRONG_RESULT)
          .as("no line is marked %s", MARK)
          .isFalse();
      assertThat(WrongProgramsTest.linesNamed(report)).as(words).containsAll(marked);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
