package io.ringmaster.worker.script.torch;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.script.Scripts;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One seed gives one sequence: in every run, thread and machine. */
class TorchRandomTest {

  private static final String DRAW =
      """
      print(torch.rand(2).tolist(), torch.randn(2).tolist())
      print(torch.randint(0, 100, (4,)).tolist(), torch.randperm(5).tolist())
      print(torch.rand(2, dtype=torch.float16).tolist(), torch.bernoulli(torch.full((4,), 0.5)).tolist())
      print(torch.zeros(2).uniform_(-1, 1).tolist(), torch.zeros(3).random_(10).tolist())
      """;

  private static String drawn(int seed) {
    return Scripts.output(Torch.TENSORS + "torch.manual_seed(" + seed + ")\n" + DRAW);
  }

  /** Values written down once: another platform or a later version must give them again. */
  @Test
  void theSequenceOfASeedNeverChanges() {
    assertThat(drawn(42))
        .isEqualTo(
            """
            [0.7415648698806763, 0.1599103808403015] [-1.2810773849487305, -0.6018779873847961]
            [2, 87, 3, 23] [2, 0, 1, 3, 4]
            [0.103515625, 0.4951171875] [1.0, 0.0, 0.0, 1.0]
            [0.19963261485099792, 0.2396380752325058] [6.0, 2.0, 8.0]\
            """);
  }

  @Test
  void theThreadDoesNotMatter() {
    String here = drawn(7);
    assertThat(CompletableFuture.supplyAsync(() -> drawn(7)).join()).isEqualTo(here);
    assertThat(drawn(8)).isNotEqualTo(here);
  }

  @Test
  void generatorsAreIndependentOfEachOther() {
    String text =
        """
        g = torch.Generator().manual_seed(3)
        k = torch.Generator()
        k.manual_seed(3)
        first = torch.randn(4, generator=g)
        torch.randn(100)
        print(torch.equal(first, torch.randn(4, generator=k)))
        print(torch.equal(torch.randn(4, generator=g), torch.randn(4, generator=k)))
        print(g.initial_seed(), torch.manual_seed(5).initial_seed(), torch.initial_seed())
        torch.random.manual_seed(9)
        print(torch.initial_seed())
        """;
    assertThat(Scripts.output(Torch.TENSORS + text)).isEqualTo("True\nTrue\n3 5 5\n9");
  }

  @ParameterizedTest
  @ValueSource(strings = {"float32", "float64", "float16", "bfloat16"})
  void uniformValuesStayBelowOne(String type) {
    String draw = "r = torch.rand(20000, dtype=torch." + type + ")\n";
    String text =
        """
        print((r < 1).all().item(), (r >= 0).all().item(), abs(r.float().mean().item() - 0.5) < 0.02)
        """;
    assertThat(Scripts.output(Torch.TENSORS + draw + text)).isEqualTo("True True True");
  }

  @Test
  void whatIsDrawnLiesInTheRangeAsked() {
    String text =
        """
        r = torch.randint(-3, 4, (2000,), dtype=torch.int8)
        print(r.min().item(), r.max().item(), r.dtype, torch.randint(5, (3,)).dtype)
        print(torch.randint(high=2, size=(100,)).unique().tolist())
        print(torch.randperm(100).sort().values.equal(torch.arange(100)))
        print(torch.randint_like(a, 2, 3).tolist(), torch.normal(5.0, 0.0, (2,)).tolist())
        print(torch.normal(torch.tensor([1., 2.]), 0.0).tolist(), torch.rand_like(a).shape)
        """;
    assertThat(Scripts.output(Torch.TENSORS + text))
        .isEqualTo(
            """
            -3 3 torch.int8 torch.int64
            [0, 1]
            True
            [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]] [5.0, 5.0]
            [1.0, 2.0] torch.Size([2, 3])\
            """);
  }

  @Test
  void theWholeRangeOfATypeIsDrawnFrom() {
    assertThat(
            Scripts.output(
                """
                import torch
                for t in (torch.int8, torch.int32, torch.int64):
                    i = torch.iinfo(t)
                    x = torch.randint(i.min, i.max, (64,), dtype=t)
                    print(len(set(x.tolist())) > 40, (x < 0).any().item(), (x > 0).any().item())
                """))
        .isEqualTo("True True True\nTrue True True\nTrue True True");
  }
}
