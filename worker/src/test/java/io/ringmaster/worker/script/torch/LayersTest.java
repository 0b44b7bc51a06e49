package io.ringmaster.worker.script.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.worker.script.ScriptResult;
import io.ringmaster.worker.script.Scripts;
import io.ringmaster.worker.source.DiagnosticException;
import org.junit.jupiter.api.Test;

/** Goldens written as {@code torch.nn} modules. */
class LayersTest {

  @Test
  void aModuleKeepsItsParametersAndItsParts() {
    assertThat(
            Scripts.output(
                """
                import torch
                import torch.nn as nn
                import torch.nn.functional as F
                class Block(nn.Module):
                    def __init__(self, d, bias=True):
                        super().__init__()
                        self.up = nn.Linear(d, 2 * d, bias=bias)
                        self.scale = nn.Parameter(torch.full((2 * d,), 2.0))
                        self.register_buffer("shift", torch.ones(2 * d))
                        self.act = nn.Sequential(nn.SiLU(), nn.LayerNorm(2 * d, eps=1e-6))
                        self.parts = nn.ModuleList([nn.ReLU(), nn.Softmax(dim=-1)])
                    def forward(self, x):
                        h = self.act(self.up(x)) * self.scale + self.shift
                        for part in self.parts:
                            h = part(h)
                        return h
                torch.manual_seed(1)
                block = Block(3).eval()
                print(block)
                x = torch.randn(4, 3)
                with torch.no_grad():
                    h = F.layer_norm(F.silu(x @ block.up.weight.T + block.up.bias), (6,), eps=1e-6) * 2 + 1
                    assert torch.allclose(block(x), torch.softmax(F.relu(h), -1))
                print([(n, tuple(p.shape)) for n, p in block.named_parameters()])
                print(sum(p.numel() for p in block.parameters()), [n for n, _ in block.named_buffers()])
                print(block.up.weight.abs().max() <= 3 ** -0.5, block.training, isinstance(block, nn.Module))
                other = Block(3)
                other.load_state_dict(block.state_dict())
                assert torch.equal(other(x), block(x))
                half = other.to(torch.bfloat16)
                print(half.up.weight.dtype, len(list(half.parameters())), half(x.bfloat16()).dtype)
                try:
                    Block(3, bias=False).load_state_dict(block.state_dict())
                except RuntimeError as e:
                    print(e)
                print(nn.RMSNorm(3)(x).shape, nn.Embedding(5, 2)(torch.tensor([1, 4])).shape, nn.GELU("tanh"))
                """))
        .isEqualTo(
            """
            Block(
              (up): Linear(in_features=3, out_features=6, bias=True)
              (act): Sequential(
                (0): SiLU()
                (1): LayerNorm((6,), eps=1e-06, elementwise_affine=True)
              )
              (parts): ModuleList(
                (0): ReLU()
                (1): Softmax(dim=-1)
              )
            )
            [('scale', (6,)), ('up.weight', (6, 3)), ('up.bias', (6,)), ('act.1.weight', (6,)), ('act.1.bias', (6,))]
            42 ['shift']
            tensor(True) False True
            torch.bfloat16 5 torch.bfloat16
            Error(s) in loading state_dict for Block:
            \tUnexpected key(s) in state_dict: "up.bias".\s
            torch.Size([4, 3]) torch.Size([2, 2]) GELU(approximate='tanh')\
            """);
  }

  @Test
  void aGoldenOfAModuleIsAGolden() {
    ScriptResult right =
        Scripts.run(
            Scripts.PRELUDE
                + """
                from torch import nn
                class Same(nn.Module):
                    def forward(self, x):
                        return x.clone()
                x = torch.arange(8.0).reshape(2, 4)
                y = torch.zeros(2, 4)
                run(Copy, x, y)
                assert torch.allclose(y, Same()(x))
                """);
    assertThat(right.outcome()).as(right.message()).isEqualTo(ScriptResult.Outcome.FINISHED);
    assertThat(right.checks()).singleElement().satisfies(c -> assertThat(c.passed()).isTrue());
  }

  @Test
  void mistakesInModulesAreTheScripts() {
    ScriptResult wrong =
        Scripts.run(
            """
            import torch
            from torch import nn
            layer = nn.Linear(4, 4)
            print("before")
            layer(torch.ones(3, 5))
            """);
    assertThat(wrong.exception().orElseThrow().span().line()).isEqualTo(5);
    assertThat(wrong.exception().orElseThrow().trace()).hasSize(4);
    assertThatThrownBy(() -> Scripts.run("from torch import nn\nnn.Conv2d(1, 1, 1)\n"))
        .isInstanceOf(DiagnosticException.class)
        .hasMessageContaining("module 'torch.nn' has no attribute 'Conv2d'");
    assertThat(
            Scripts.run("import torch\nfrom torch import nn\nnn.Dropout(0.5)(torch.ones(2))\n")
                .message())
        .contains("call eval() on the module");
  }
}
