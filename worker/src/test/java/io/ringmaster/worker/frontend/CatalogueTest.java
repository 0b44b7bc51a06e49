package io.ringmaster.worker.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every row of the catalogue of wrong programs that the front end refuses: text and place. */
class CatalogueTest {

  private static final String TENSORS =
      "        x: pl.Tensor[[1, 64], pl.FP32],\n"
          + "        y: pl.Out[pl.Tensor[[1, 256], pl.FP32]],\n"
          + "        data: pl.InOut[pld.DistributedTensor[[4, 64], pl.FP32]],\n"
          + "        sig: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]],\n";

  private static final String HEAD =
      Kernels.IMPORTS + "NR = pl.dynamic(\"NR\")\nKIND = pl.FunctionType.InCore\n\n";

  private static final String KERNEL = function("type=pl.FunctionType.InCore", "kernel", "pass");

  private static final String CHIP =
      function("type=pl.FunctionType.Orchestration", "chip", "self.kernel(x, y, data, sig)");

  private static String function(String kind, String name, String body) {
    return method(kind, name, TENSORS) + "        " + body + "\n\n";
  }

  private static String method(String kind, String name, String params) {
    return "    @pl.function("
        + kind
        + ")\n    def "
        + name
        + "(\n        self,\n"
        + params
        + "    ):\n";
  }

  /** Lines before the text under test, and what stands before each of its lines. */
  private record Frame(String before, String indent, String after) {}

  private static Frame frame(String form) {
    return switch (form) {
      case "module" -> new Frame(HEAD, "", "");
      case "class" -> new Frame(HEAD + "@pl.program\nclass P:\n", "    ", "");
      case "incore" ->
          new Frame(
              HEAD
                  + "@pl.program\nclass P:\n"
                  + method(
                      "type=pl.FunctionType.InCore",
                      "kernel",
                      TENSORS
                          + "        ints: pl.InOut[pl.Tensor[[1, 64], pl.INT32]],\n"
                          + "        k: pl.Scalar[pl.INT32],\n")
                  + "        ctx = pld.get_comm_ctx(data)\n"
                  + "        me = pld.rank(ctx)\n"
                  + "        n = pld.nranks(ctx)\n",
              "        ",
              "");
      case "orchestration" ->
          new Frame(
              HEAD
                  + "@pl.program\nclass P:\n"
                  + KERNEL
                  + method(
                      "type=pl.FunctionType.Orchestration",
                      "chip",
                      TENSORS + "        out: pl.Out[pl.Tensor[[1, 256], pl.FP32]],\n"),
              "        ",
              "");
      case "host" ->
          new Frame(
              HEAD
                  + "@pl.program\nclass P:\n"
                  + KERNEL
                  + CHIP
                  + method(
                      "level=pl.Level.HOST, role=pl.Role.Orchestrator",
                      "host",
                      "        x: pl.Tensor[[4, 1, 64], pl.FP32],\n"
                          + "        y: pl.Out[pl.Tensor[[4, 1, 256], pl.FP32]],\n")
                  + "        data_buf = pld.alloc_window_buffer(1024)\n"
                  + "        sig_buf = pld.alloc_window_buffer(16)\n"
                  + "        data = pld.window(data_buf, [4, 64], dtype=pl.FP32)\n"
                  + "        sig = pld.window(sig_buf, [4, 1], dtype=pl.INT32)\n",
              "        ",
              "        for r in pl.range(pld.world_size()):\n"
                  + "            data = pld.window(data_buf, [4, 64], dtype=pl.FP32)\n"
                  + "            sig = pld.window(sig_buf, [4, 1], dtype=pl.INT32)\n"
                  + "            self.chip(x[r], y[r], data, sig, device=r)\n");
      default -> throw new IllegalArgumentException("form " + form);
    };
  }

  /** One wrong program and what must be said about it; {@code places} are line:column. */
  private record Row(
      String name, List<String> phrases, List<String> hints, String source, List<String> places) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Row> rows() {
    List<Row> rows = new ArrayList<>();
    String[] records = StepKernelsTest.resource("../catalogue.txt").split("(?m)^=== ", -1);
    for (int i = 1; i < records.length; i++) {
      rows.add(row(records[i]));
    }
    return rows.stream();
  }

  private static Row row(String text) {
    List<String> lines = text.stripTrailing().lines().toList();
    List<String> phrases = new ArrayList<>();
    List<String> hints = new ArrayList<>();
    String form = "";
    int at = 1;
    for (; form.isEmpty(); at++) {
      String line = lines.get(at);
      String value = line.substring(line.indexOf(' ') + 1);
      if (line.startsWith("phrase: ")) {
        phrases.add(value);
      } else if (line.startsWith("hint: ")) {
        hints.add(value);
      } else {
        form = value;
      }
    }
    Frame frame = frame(form);
    StringBuilder source = new StringBuilder(frame.before());
    long number = frame.before().lines().count();
    List<String> places = new ArrayList<>();
    for (String line : lines.subList(at, lines.size())) {
      if (!line.isBlank() && line.replace("^", "").isBlank()) {
        for (int column = 0; column < line.length(); column++) {
          if (line.charAt(column) == '^') {
            places.add(number + ":" + (frame.indent().length() + column + 1));
          }
        }
        continue;
      }
      number++;
      source.append(frame.indent()).append(line).append('\n');
    }
    source.append(frame.after());
    return new Row(lines.getFirst(), phrases, hints, source.toString(), places);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void aWrongProgramIsRefusedAtItsPlace(Row row) {
    DiagnosticException refused =
        catchThrowableOfType(DiagnosticException.class, () -> Kernels.build(row.source()));
    assertThat(refused).as("%s is refused", row.name()).isNotNull();
    List<Diagnostic> found = refused.diagnostics();
    assertThat(found)
        .as("messages: %s", found)
        .isNotEmpty()
        .allSatisfy(
            diagnostic -> {
              assertThat(diagnostic.message()).contains(row.phrases());
              if (!row.hints().isEmpty()) {
                assertThat(diagnostic.hint()).contains(row.hints());
              }
            });
    assertThat(found)
        .extracting(d -> d.span().line() + ":" + d.span().column())
        .containsExactlyElementsOf(row.places());
  }
}
