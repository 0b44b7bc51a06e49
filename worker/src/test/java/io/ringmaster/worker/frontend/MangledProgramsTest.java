package io.ringmaster.worker.frontend;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.ir.IrVerifier;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.lowering.Lowering;
import io.ringmaster.worker.lowering.LoweringContext;
import io.ringmaster.worker.lowering.Platform;
import io.ringmaster.worker.source.DiagnosticException;
import java.util.List;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A program with a word replaced is understood or refused with a place; it never breaks the reader
 * or the passes.
 */
class MangledProgramsTest {

  private static final int TRIES = 150;
  private static final LoweringContext TWO_RANKS =
      LoweringContext.of(Platform.named("a2a3sim").orElseThrow(), 2);
  private static final Pattern WORD = Pattern.compile("(?<![\\w.])\\w+(?![\\w=])");
  private static final List<String> OTHERS =
      List.of(
          "0",
          "-1",
          "1.5",
          "None",
          "True",
          "[0, 0]",
          "[]",
          "[[1]]",
          "x",
          "w",
          "k",
          "self",
          "pl",
          "pl.FP32",
          "pl.load",
          "pld.NotifyOp.Set",
          "pld.world_size()",
          "NR * NR",
          "1 // 0",
          "x[0]",
          "x.shape",
          "x.shape[1]",
          "x.dtype",
          "kernel",
          "halves",
          "pl.Tensor",
          "not k",
          "k ** 2",
          "lambda: 0",
          "a, b",
          "...",
          "9999999999999999999999");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "constructs.py",
        "outlined.py",
        "free_functions.py",
        "steps/13_allgather.py",
        "steps/16_composition.py"
      })
  void neverBreaksTheReader(String name) {
    String source = Frame.resource(name);
    List<MatchResult> words =
        WORD.matcher(source).results().filter(w -> w.start() > source.indexOf("\n@")).toList();
    assertThat(IrVerifier.verify(Kernels.build(source).program())).isEmpty();
    Random random = new Random(name.hashCode());
    for (int i = 0; i < TRIES; i++) {
      MatchResult word = words.get(random.nextInt(words.size()));
      String mangled =
          source.substring(0, word.start())
              + OTHERS.get(random.nextInt(OTHERS.size()))
              + source.substring(word.end());
      requireUnderstoodOrRefused(mangled);
    }
  }

  private static void requireUnderstoodOrRefused(String source) {
    try {
      Program program = Kernels.build(source).program();
      assertThat(IrVerifier.verify(program)).as(source).isEmpty();
      Lowering.run(program, TWO_RANKS);
    } catch (DiagnosticException refused) {
      assertThat(refused.diagnostics())
          .as(source)
          .isNotEmpty()
          .allMatch(diagnostic -> diagnostic.span().isKnown());
    }
  }
}
