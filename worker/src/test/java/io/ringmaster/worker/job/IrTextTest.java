package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.ir.IrParser;
import io.ringmaster.worker.ir.IrPrinter;
import io.ringmaster.worker.ir.IrVerifier;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.source.SourceFile;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The text of every program we have, after every pass, reads back as the same program. */
class IrTextTest {

  static Stream<Path> scripts() {
    return Stream.of(
            Examples.in("ladder"), Examples.in("models"), Examples.list(LanguageTest.PROGRAMS))
        .flatMap(List::stream);
  }

  @ParameterizedTest
  @MethodSource("scripts")
  void readsBack(Path file) {
    var source = Examples.source(file);
    readsBack(source, LanguageTest.devices(source).getFirst());
  }

  static Stream<Bodies.Body> bodies() {
    return KernelBodiesTest.bodies().filter(body -> body.verdict() == Verdict.PASSED);
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void bodiesReadBack(Bodies.Body body) {
    readsBack(SourceFile.of("body.py", body.source()), Examples.firstDevices(body.ranks()));
  }

  private static void readsBack(SourceFile file, List<Integer> devices) {
    CompiledScript compiled = Examples.compile(file, devices);

    assertThat(compiled.isRejected()).as(Examples.words(compiled.report())).isFalse();
    assertThat(compiled.stages()).isNotEmpty();
    for (CompiledScript.Stage stage : compiled.stages()) {
      Program program = IrParser.parse(stage.text());
      assertThat(IrPrinter.print(program))
          .as("%s after %s", file, stage.name())
          .isEqualTo(stage.text());
      assertThat(IrVerifier.verify(program)).as("%s after %s", file, stage.name()).isEmpty();
    }
  }
}
