package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.source.SourceFile;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong with an expression in an annotation is said in Python's words, at its place. */
class AnnotationsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          pl.Tensor[[1, space.m], pl.FP32] | AttributeError: 'SimpleNamespace' object has no attribute 'm' | space.m
          pl.Tensor[[1, table["k"]], pl.FP32] | KeyError: k | table["k"]
          pl.Tensor[[1, 1 // 0 if table else 3], pl.FP32] | ZeroDivisionError: integer division or modulo by zero | 1 // 0 if
          pl.Tensor[[1, max(NR, 4)], pl.FP32] | TypeError: '<' not supported between instances of 'int' and 'DynVar' | max(
          pl.Tensor[[1, space.half], pl.FP32] | must have integer dtype, got Scalar FP32 | [1, space.half
          pl.Tensor[[1, 64], space.name] | dtype must be a dtype such as pl.FP32, got str | space.name
          pl.Tensor[[1, space.others], pl.FP32] | Unsupported closure variable type: what stands here is a dict | space.others
          pl.Out[space.name] | Unsupported type annotation | space.name
          space.name | Unsupported type annotation | space.name
          Alias | Unsupported type annotation | Alias
          Broken | all dimensions must be positive | Broken
          """)
  void aWrongExpressionIsNamedAtItsPlace(String annotation, String phrase, String place) {
    String source =
        """
        from types import SimpleNamespace
        import pypto.language as pl
        NR = pl.dynamic("NR")
        table = {"n": 64}
        space = SimpleNamespace(half=32.5, name="x", others={})
        Alias = pl.FP32
        Broken = pl.Tensor[[0, 64], pl.FP32]
        @pl.program
        class P:
            @pl.function(type=pl.FunctionType.InCore)
            def k(self, x: %s, y: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):
                y = pl.store(pl.load(y, [0, 0], [1, 64]), [0, 0], y)
                return y
        """
            .formatted(annotation);
    JobReport report = Examples.run(SourceFile.of("job.py", source), List.of(0));

    assertThat(report.verdict()).isEqualTo(Verdict.REJECTED);
    assertThat(report.diagnostics())
        .singleElement()
        .satisfies(
            said -> {
              assertThat(said.message()).contains(phrase);
              assertThat(said.line()).isEqualTo(11);
              assertThat(said.column())
                  .isEqualTo(source.lines().toList().get(10).indexOf(place) + 1);
            });
  }
}
