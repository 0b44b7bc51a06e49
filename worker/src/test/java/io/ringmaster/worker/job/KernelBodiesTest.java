package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bodies of kernels, right and wrong, each in a class and in a free function: the values that come
 * out of the right ones, the verdict, words and place of the wrong ones.
 */
class KernelBodiesTest {

  static Stream<Bodies.Body> bodies() {
    return Stream.of("arranging", "communication", "unordered", "valid_shapes")
        .flatMap(name -> Bodies.in("bodies/" + name + ".txt"));
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void comesOutAsItShould(Bodies.Body body) {
    if (body.verdict() != Verdict.PASSED && body.verdict() != Verdict.WRONG_RESULT) {
      assertThat(Marks.in(body.source())).as("marked places").isNotEmpty();
    }
    body.run();
  }
}
