package io.ringmaster.worker.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class AstPrinterTest {

  @Property(tries = 1_000)
  void whatIsPrintedReadsBackAsTheSameTree(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 4) int depth) {
    Module tree = new ProgramGenerator(new Random(seed)).module(depth);
    String printed = AstPrinter.print(tree);

    Module read = PythonParser.parse(SourceFile.of("printed.py", printed));

    assertThat(Trees.withoutSpans(read.body())).as(printed).isEqualTo(tree.body());
  }

  @Example
  void bracketsStandOnlyWhereTheyAreNeeded() {
    assertThat(printed("((a) + (b * c)) ** -(d)")).isEqualTo("(a + b * c) ** -d");
    assertThat(printed("(a or b) or c and (not d)")).isEqualTo("(a or b) or c and not d");
    assertThat(printed("(lambda x, *, y=1: (x, y))(1)")).isEqualTo("(lambda x, *, y=1: (x, y))(1)");
    assertThat(printed("t[1:, ::2, (a, b)]")).isEqualTo("t[1:, ::2, (a, b)]");
    assertThat(printed("f(x for x in y if x)")).isEqualTo("f((x for x in y if x))");
    assertThat(printed("(1).real")).isEqualTo("(1).real");
  }

  @Example
  void anElifChainStaysAChain() {
    String source =
        """
        if a:
            pass
        elif b:
            pass
        else:
            pass
        """;
    assertThat(AstPrinter.print(PythonParser.parse(SourceFile.of("a.py", source))))
        .isEqualTo(source);
  }

  private static String printed(String source) {
    return AstPrinter.print(
        PythonParser.parseExpression(SourceFile.of("a.py", source), ParserLimits.DEFAULT));
  }
}
