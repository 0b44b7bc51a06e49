package io.ringmaster.worker.ir;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class IrTextPropertyTest {

  @Property(tries = 1000)
  void whatIsPrintedReadsBackAsTheSameProgram(@ForAll long source) {
    Program program = new RandomPrograms(source).program();
    String text = IrPrinter.print(program);
    assertThat(Spans.strip(IrParser.parse(text))).as(text).isEqualTo(program);
  }
}
