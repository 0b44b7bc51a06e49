package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What torch computes and prints, from knowledge of torch. */
class TorchSemanticsTest {

  private static String value(String expression) {
    String setup =
        """
        import torch
        a = torch.arange(6, dtype=torch.float32).reshape(2, 3)
        i = torch.tensor([1, -2, 3])
        b = torch.tensor([True, False, True])
        """;
    return Scripts.output(setup + "print((" + expression + "))");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          (i + 1).dtype                          | torch.int64
          (i + 1.5).dtype                        | torch.float32
          (i / 2).tolist()                       | [0.5, -1.0, 1.5]
          (i // 2).tolist()                      | [0, -1, 1]
          (i % 2).tolist()                       | [1, 0, 1]
          (a.half() + a).dtype                   | torch.float32
          (a.half() + torch.tensor(1.0)).dtype   | torch.float16
          (a.half() + a.bfloat16()).dtype        | torch.float32
          (a.double() + a).dtype                 | torch.float64
          (i.int() + i).dtype                    | torch.int64
          (i.int() + torch.tensor(1)).dtype      | torch.int32
          (b + 1).tolist()                       | [2, 1, 2]
          (b & ~b).tolist()                      | [False, False, False]
          (torch.tensor([200], dtype=torch.uint8) + 100).item()  | 44
          (torch.tensor([100], dtype=torch.int8) * 2).item()     | -56
          (torch.tensor([2**31 - 1], dtype=torch.int32) + 1).item() | -2147483648
          torch.tensor([1.5, 2]).dtype           | torch.float32
          torch.tensor([1, 2]).dtype             | torch.int64
          torch.full((2,), 7).dtype              | torch.int64
          torch.full((2,), 7.0).dtype            | torch.float32
          (torch.tensor(0.1) + torch.tensor(0.2)).item() | 0.30000001192092896
          torch.tensor(0.1).item()               | 0.10000000149011612
          (torch.tensor(0.1) * 3).item()         | 0.30000001192092896
          torch.tensor([65504.0]).half().item()  | 65504.0
          torch.tensor([70000.0]).half().item()  | inf
          torch.tensor([1.01]).bfloat16().item() | 1.0078125
          (i ** 2).tolist(), (2.0 ** i).tolist() | ([1, 4, 9], [2.0, 0.25, 8.0])
          (1 - a)[1].tolist(), (2 / (a + 1))[0, 1].item() | ([-2.0, -3.0, -4.0], 1.0)
          (a > 2).tolist()                       | [[False, False, False], [True, True, True]]
          a.sum().item(), a.mean().item(), a.prod().item(), a.max().item() | (15.0, 2.5, 0.0, 5.0)
          a.sum(dim=0).tolist(), a.sum(1, keepdim=True).shape    | ([3.0, 5.0, 7.0], torch.Size([2, 1]))
          i.sum().dtype, b.sum().item(), b.all().item(), b.any().item() | (torch.int64, 2, False, True)
          a.max(dim=1).values.tolist(), a.min(0).indices.tolist() | ([2.0, 5.0], [0, 0, 0])
          a.argmax().item(), a.argmax(dim=0).tolist()             | (5, [1, 1, 1])
          a.amax(dim=(0, 1)).item(), a.cumsum(1)[1].tolist()      | (5.0, [3.0, 7.0, 12.0])
          a[1].tolist(), a[-1, 0].item(), a[:, 1].tolist(), a[..., 2].tolist() | ([3.0, 4.0, 5.0], 3.0, [1.0, 4.0], [2.0, 5.0])
          a[:, None].shape, a[None].shape, a[0, ::2].tolist()     | (torch.Size([2, 1, 3]), torch.Size([1, 2, 3]), [0.0, 2.0])
          a[a > 2].tolist(), a[:, [2, 0]].tolist(), a[torch.tensor([1, 0])][0].tolist() | ([3.0, 4.0, 5.0], [[2.0, 0.0], [5.0, 3.0]], [3.0, 4.0, 5.0])
          a.t().shape, a.T[2].tolist(), a.permute(1, 0).is_contiguous() | (torch.Size([3, 2]), [2.0, 5.0], False)
          a.reshape(-1).shape, a.view(3, 2)[1].tolist(), a.flatten().numel() | (torch.Size([6]), [2.0, 3.0], 6)
          a.repeat(1, 2, 2)[0, 3].tolist(), a.t().repeat(2, 1)[3].tolist(), a[0].repeat(2, 1).tolist() | ([3.0, 4.0, 5.0, 3.0, 4.0, 5.0], [0.0, 3.0], [[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]])
          a.repeat(1, 1, 1).shape, a.repeat(0, 2).shape, a.sum().repeat(3).tolist(), a[:0].repeat(10**9, 10**9).shape | (torch.Size([1, 2, 3]), torch.Size([0, 6]), [15.0, 15.0, 15.0], torch.Size([0, 3000000000]))
          torch.arange(3).roll(-2**63).tolist(), a.tril(2**63 - 1).sum().item(), a.triu(-2**63).sum().item() | ([2, 0, 1], 15.0, 15.0)
          a.unsqueeze(0).shape, a.unsqueeze(-1).squeeze(-1).shape | (torch.Size([1, 2, 3]), torch.Size([2, 3]))
          a[0].expand(4, 3).sum().item(), a.repeat(2, 1).shape    | (12.0, torch.Size([4, 3]))
          torch.cat([a, a], dim=1).shape, torch.stack([a, a], dim=1).shape | (torch.Size([2, 6]), torch.Size([2, 2, 3]))
          [t.shape[0] for t in torch.arange(5).chunk(2)], [t.tolist() for t in torch.arange(3).split(2)] | ([3, 2], [[0, 1], [2]])
          (a @ a.t()).tolist(), torch.matmul(a[0], a[1]).item()   | ([[5.0, 14.0], [14.0, 50.0]], 14.0)
          torch.arange(1, 7, 2).tolist(), torch.arange(0, 1, 0.25).tolist() | ([1, 3, 5], [0.0, 0.25, 0.5, 0.75])
          torch.linspace(0, 1, 5).tolist(), torch.eye(2).tolist() | ([0.0, 0.25, 0.5, 0.75, 1.0], [[1.0, 0.0], [0.0, 1.0]])
          torch.where(a > 2, a, torch.zeros(1))[1].tolist(), a.clamp(1, 4)[0].tolist() | ([3.0, 4.0, 5.0], [1.0, 1.0, 2.0])
          torch.maximum(i, -i).tolist(), i.abs().tolist(), torch.relu(i).tolist() | ([1, 2, 3], [1, 2, 3], [1, 0, 3])
          torch.sqrt(torch.tensor(4)).item(), torch.exp(torch.zeros(1)).item() | (2.0, 1.0)
          a.long().dtype, a.to(torch.int32).dtype, a.type(torch.float64).dtype, a.float() is a | (torch.int64, torch.int32, torch.float64, True)
          len(a), a.dim(), a.ndim, a.size(1), a.size(), a.numel() | (2, 2, 2, 3, torch.Size([2, 3]), 6)
          torch.roll(torch.arange(4), 1).tolist(), torch.flip(i, [0]).tolist() | ([3, 0, 1, 2], [3, -2, 1])
          torch.sort(i).values.tolist(), torch.randperm(5).sort().values.tolist() | ([-2, 1, 3], [0, 1, 2, 3, 4])
          [float(row.sum()) for row in a], 3 in i, bool(i[0])     | ([3.0, 12.0], True, True)
          torch.tensor(3) + 1, torch.tensor([1.5])                | (tensor(4), tensor([1.5000]))
          torch.tensor([1.0, 2.0]), torch.tensor([True])          | (tensor([1., 2.]), tensor([True]))
          torch.zeros(2, dtype=torch.int32)                       | tensor([0, 0], dtype=torch.int32)
          torch.tensor([float('nan')]).max().item(), torch.tensor([1.0, float('nan'), 3.0]).max().item() | (nan, nan)
          torch.allclose(torch.tensor([float('inf')]), torch.tensor([float('inf')])) | True
          torch.finfo(torch.float16).max, torch.finfo().eps, torch.iinfo(torch.int32).min | (65504.0, 1.1920928955078125e-07, -2147483648)
          torch.iinfo(torch.int64).max, torch.iinfo(torch.uint8).max | (9223372036854775807, 255)
          f"{a.max():.2f} {i[0]:d}"                               | 5.00 1
          """)
  void anExpressionGivesWhatTorchGives(String expression, String expected) {
    assertThat(value(expression)).isEqualTo(expected);
  }

  @Test
  void viewsShareMemoryAndCopiesDont() {
    String text =
        """
        import torch
        a = torch.zeros(2, 3)
        a[0].fill_(1)
        a.t()[2] = 5
        v = a.view(-1)
        v[1:3] += 10
        c = a.clone()
        c.zero_()
        row = a[1]
        row *= 3
        a[a == 11] = -1
        a[:, 0] = torch.tensor([7, 8])
        print(a.tolist())
        b = torch.arange(4)
        b[1:] = b[:-1]
        print(b.tolist())
        m = torch.zeros(3)
        m[[0, 2]] = 1.5
        m.copy_(m * 2)
        m.add_(1).mul_(2)
        print(m)
        """;
    assertThat(Scripts.output(text))
        .isEqualTo("[[7.0, -1.0, 15.0], [8.0, 0.0, 15.0]]\n[0, 0, 1, 2]\ntensor([8., 2., 8.])");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          a + torch.zeros(2)                | RuntimeError: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1
          a.view(4)                         | RuntimeError: shape '[4]' is invalid for input of size 6
          a[2]                              | IndexError: index 2 is out of bounds for dimension 0 with size 2
          a[0, 0, 0]                        | IndexError: too many indices for tensor of dimension 2
          i.mean()                          | RuntimeError: mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long
          bool(a)                           | RuntimeError: Boolean value of Tensor with more than one value is ambiguous
          a.item()                          | RuntimeError: a Tensor with 6 elements cannot be converted to Scalar
          i ** -1                           | RuntimeError: Integers to negative integer powers are not allowed.
          a @ a                             | RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)
          torch.cat([a, a[0:1, 0:2]])       | RuntimeError: Sizes of tensors must match except in dimension 0. Expected [2, 3] but got [1, 2] for tensor number 1 in the list.
          a.sum().size(0)                   | IndexError: Dimension specified as 0 but tensor has no dimensions
          a.sum().split(2)                  | RuntimeError: split expects at least a 1-dimensional tensor
          a.sum(dim=5)                      | IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 5)
          b - b                             | RuntimeError: Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.
          """)
  void aMistakeGivesTorchsMessage(String expression, String message) {
    String setup =
        """
        import torch
        a = torch.arange(6, dtype=torch.float32).reshape(2, 3)
        i = torch.tensor([1, -2, 3])
        b = torch.tensor([True])
        """;
    assertThat(Scripts.run(setup + expression).message()).isEqualTo(message);
  }

  @Test
  void inPlaceOperationsKeepTheirType() {
    String text = "import torch\ni = torch.tensor([1])\ni += 1.5\n";
    assertThat(Scripts.run(text).message())
        .isEqualTo("RuntimeError: result type Float can't be cast to the desired output type Long");
  }

  @Test
  void oneSeedGivesOneSequence() {
    String text =
        """
        import torch
        torch.manual_seed(3)
        a = torch.randn(2, 3)
        b = torch.rand(4)
        torch.manual_seed(3)
        print(torch.equal(a, torch.randn(2, 3)), torch.equal(b, torch.rand(4)))
        g = torch.Generator().manual_seed(3)
        print(torch.equal(a, torch.randn(2, 3, generator=g)))
        big = torch.randn(20000)
        print(abs(big.mean().item()) < 0.05, abs(big.std().item() - 1) < 0.05)
        print(torch.randint(0, 3, (100,)).max().item())
        """;
    assertThat(Scripts.output(text)).isEqualTo("True True\nTrue\nTrue True\n2");
  }

  @Test
  void tensorsPrintInRowsAndCutTheMiddle() {
    assertThat(Scripts.output("import torch\nprint(torch.tensor([[1.5, -2], [300, 4]]))"))
        .isEqualTo("tensor([[  1.5000,  -2.0000],\n        [300.0000,   4.0000]])");
    assertThat(Scripts.output("import torch\nprint(torch.arange(2000))"))
        .isEqualTo("tensor([   0,    1,    2,  ..., 1997, 1998, 1999])");
  }
}
