package io.ringmaster.worker.script.torch;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.script.Scripts;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The values, types and shapes that torch gives. The table was made by running torch itself; the
 * few lines that its CPU build has no kernel for (half types) are worked out by hand.
 */
class TorchValuesTest {

  static Stream<Arguments> values() {
    return Torch.table("values.txt");
  }

  @ParameterizedTest
  @MethodSource("values")
  void anExpressionGivesWhatTorchGives(String expression, String expected) {
    assertThat(Torch.printed(expression)).isEqualTo(expected);
  }

  /** Each line changes a tensor of three rows of four, and names what it is afterwards. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          t[0] = 9                                   | [[9, 9, 9, 9], [4, 5, 6, 7], [8, 9, 10, 11]]
          t[0, 1] = -1                               | [[0, -1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
          t[-1, -1] = -1                             | [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, -1]]
          t[:, ::2] = 0                              | [[0, 1, 0, 3], [0, 5, 0, 7], [0, 9, 0, 11]]
          t[1:, 1:3] = torch.tensor([7, 8])          | [[0, 1, 2, 3], [4, 7, 8, 7], [8, 7, 8, 11]]
          t[..., 0] = 5                              | [[5, 1, 2, 3], [5, 5, 6, 7], [5, 9, 10, 11]]
          t[...] = 1                                 | [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]]
          t[:] = torch.arange(4)                     | [[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]]
          t[t > 5] = 0                               | [[0, 1, 2, 3], [4, 5, 0, 0], [0, 0, 0, 0]]
          t[t > 9] = torch.tensor([20, 30])          | [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 20, 30]]
          t[torch.tensor([True, False, True])] = 0   | [[0, 0, 0, 0], [4, 5, 6, 7], [0, 0, 0, 0]]
          t[:, torch.tensor([True, False, False, True])] = 0 | [[0, 1, 2, 0], [0, 5, 6, 0], [0, 9, 10, 0]]
          t[torch.tensor([2, 0])] = t[torch.tensor([0, 2])]  | [[8, 9, 10, 11], [4, 5, 6, 7], [0, 1, 2, 3]]
          t[[0, 1], [1, 2]] = 50                     | [[0, 50, 2, 3], [4, 5, 50, 7], [8, 9, 10, 11]]
          t[torch.tensor([0, 2]), 1:3] = 0           | [[0, 0, 0, 3], [4, 5, 6, 7], [8, 0, 0, 11]]
          t[:, [3, 0]] = torch.tensor([[1, 2]])      | [[2, 1, 2, 1], [2, 5, 6, 1], [2, 9, 10, 1]]
          t[torch.tensor([1]), torch.tensor([-1])] = 70 | [[0, 1, 2, 3], [4, 5, 6, 70], [8, 9, 10, 11]]
          t[torch.tensor([0, 0])] += 10              | [[10, 11, 12, 13], [4, 5, 6, 7], [8, 9, 10, 11]]
          t[1] += t[0]                               | [[0, 1, 2, 3], [4, 6, 8, 10], [8, 9, 10, 11]]
          t[None, 0] = 3                             | [[3, 3, 3, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
          t[0, None] = 3                             | [[3, 3, 3, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
          t[0:0] = 5                                 | [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
          t[t < 0] = 5                               | [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
          t[True] = 5                                | [[5, 5, 5, 5], [5, 5, 5, 5], [5, 5, 5, 5]]
          t[1, 2] = 2.7                              | [[0, 1, 2, 3], [4, 5, 2, 7], [8, 9, 10, 11]]
          t.t()[0] = -1                              | [[-1, 1, 2, 3], [-1, 5, 6, 7], [-1, 9, 10, 11]]
          t.view(-1)[::5] = 0                        | [[0, 1, 2, 3], [4, 0, 6, 7], [8, 9, 0, 11]]
          t.diagonal().fill_(0)                      | [[0, 1, 2, 3], [4, 0, 6, 7], [8, 9, 0, 11]]
          t[1].zero_()                               | [[0, 1, 2, 3], [0, 0, 0, 0], [8, 9, 10, 11]]
          t.select(1, 0).copy_(torch.tensor([7, 7, 7])) | [[7, 1, 2, 3], [7, 5, 6, 7], [7, 9, 10, 11]]
          t.index_put_((torch.tensor([0]), torch.tensor([1])), torch.tensor(9)) | [[0, 9, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
          t.masked_fill_(t > 9, -1).clamp_(max=8)    | [[0, 1, 2, 3], [4, 5, 6, 7], [8, 8, -1, -1]]
          t.add_(1, alpha=2).mul_(2).sub_(t[0, 0])   | [[0, 2, 4, 6], [8, 10, 12, 14], [16, 18, 20, 22]]
          t.div_(3, rounding_mode='floor')           | [[0, 0, 0, 1], [1, 1, 2, 2], [2, 3, 3, 3]]
          t.scatter_(1, torch.tensor([[0], [1], [2]]), 0) | [[0, 1, 2, 3], [4, 0, 6, 7], [8, 9, 0, 11]]
          t.index_add_(0, torch.tensor([0, 0]), torch.ones(2, 4, dtype=torch.int64)) | [[2, 3, 4, 5], [4, 5, 6, 7], [8, 9, 10, 11]]
          torch.add(t, 1, out=t)                     | [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
          for r in t.unbind(): r[0] = 0              | [[0, 1, 2, 3], [0, 5, 6, 7], [0, 9, 10, 11]]
          for r, v in zip(t, (7, 8, 9)): r[1] = v    | [[0, 7, 2, 3], [4, 8, 6, 7], [8, 9, 10, 11]]
          """)
  void anAssignmentChangesWhatTorchChanges(String statement, String expected) {
    String text = "t = torch.arange(12).reshape(3, 4)\n" + statement + "\nprint(t.tolist())";
    assertThat(Scripts.output(Torch.TENSORS + text)).isEqualTo(expected);
  }

  @Test
  void aMethodInPlaceGivesTheTensorItself() {
    String text =
        """
        t = torch.ones(1, 3)
        print(t.squeeze_() is t, t.shape, t.unsqueeze_(1).shape, t.transpose_(0, 1).shape)
        print(t.exp_() is t, t.scatter_(1, torch.tensor([[0]]), 5.0) is t)
        """;
    assertThat(Scripts.output(Torch.TENSORS + text))
        .isEqualTo("True torch.Size([3]) torch.Size([3, 1]) torch.Size([1, 3])\nTrue True");
  }

  @Test
  void theModulesInsideOfTorchCanBeImported() {
    String text =
        """
        import torch.nn as nn
        from torch import nn as same
        from torch.nn import functional
        import torch.nn.functional
        import torch.linalg
        import torch_npu
        print(nn.functional.relu(m).tolist() == functional.relu(m).tolist())
        print(torch.npu.is_available(), torch_npu.npu.device_count(), torch.cuda.synchronize())
        """;
    assertThat(Scripts.output(Torch.TENSORS + text)).isEqualTo("True\nFalse 0 None");
  }
}
