package io.ringmaster.worker.script.torch;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.script.Scripts;
import org.junit.jupiter.api.Test;

/** What {@code torch.testing.assert_close} says, in torch's words and numbers. */
class AssertCloseTest {

  private static final String START =
      """
      import torch
      from torch.testing import assert_close
      def said(*values, **named):
          try:
              assert_close(*values, **named)
              print("close")
          except AssertionError as e:
              print(e)
      """;

  private static String said(String calls) {
    return Scripts.output(START + calls);
  }

  @Test
  void theGreatestDifferencesOfTheElementsThatDifferAreNamed() {
    assertThat(
            said(
                """
                a = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.5, 6.0]])
                b = torch.tensor([[1.0, 2.1, 3.0], [4.0, 5.0, 6.000001]])
                said(a, b)
                said(a, b, rtol=0, atol=0)
                said(torch.tensor([1, 9, 3]), torch.tensor([1, 0, 2]))
                said(a.bfloat16(), b.bfloat16())
                said(torch.tensor([1.0, float("nan")]), torch.tensor([0.0, 1.0]))
                """))
        .isEqualTo(
            """
            Tensor-likes are not close!

            Mismatched elements: 2 / 6 (33.3%)
            Greatest absolute difference: 0.5 at index (1, 1) (up to 1e-05 allowed)
            Greatest relative difference: 0.10000000149011612 at index (1, 1) (up to 1.3e-06 allowed)
            Tensor-likes are not equal!

            Mismatched elements: 3 / 6 (50.0%)
            Greatest absolute difference: 0.5 at index (1, 1)
            Greatest relative difference: 0.10000000149011612 at index (1, 1)
            Tensor-likes are not equal!

            Mismatched elements: 2 / 3 (66.7%)
            Greatest absolute difference: 9 at index (1,)
            Greatest relative difference: inf at index (1,)
            Tensor-likes are not close!

            Mismatched elements: 2 / 6 (33.3%)
            Greatest absolute difference: 0.5 at index (1, 1) (up to 1e-05 allowed)
            Greatest relative difference: 0.10009765625 at index (1, 1) (up to 0.016 allowed)
            Tensor-likes are not close!

            Mismatched elements: 2 / 2 (100.0%)
            Greatest absolute difference: nan at index (1,) (up to 1e-05 allowed)
            Greatest relative difference: nan at index (1,) (up to 1.3e-06 allowed)\
            """);
  }

  @Test
  void numbersShapesAndTypesHaveTheirOwnWords() {
    assertThat(
            said(
                """
                said(torch.tensor(2.0), torch.tensor(1.0))
                said(3, 4)
                said(torch.zeros(2, 3), torch.zeros(3, 2, dtype=torch.int32))
                said(torch.zeros(2), torch.zeros(2, dtype=torch.float64))
                said(torch.zeros(2), torch.zeros(2, dtype=torch.float64), check_dtype=False)
                said(torch.zeros(2), torch.ones(2), msg="own words")
                said(torch.zeros(2), torch.ones(2), msg=lambda m: m.splitlines()[0] + " here")
                """))
        .isEqualTo(
            """
            Scalars are not close!

            Expected 1.0 but got 2.0.
            Absolute difference: 1.0 (up to 1e-05 allowed)
            Relative difference: 1.0 (up to 1.3e-06 allowed)
            Scalars are not equal!

            Expected 4 but got 3.
            Absolute difference: 1
            Relative difference: 0.25
            The values for attribute 'shape' do not match: torch.Size([2, 3]) != torch.Size([3, 2]).
            The values for attribute 'dtype' do not match: torch.float32 != torch.float64.
            close
            own words
            Tensor-likes are not close! here\
            """);
  }

  @Test
  void containersAreComparedItemByItem() {
    assertThat(
            said(
                """
                x = torch.zeros(2)
                said([x, x], (x, x))
                said([x, [x, x + 1]], [x, [x, x]])
                said({"a": x, "b": x + 1}, {"b": x, "a": x})
                said([x, x], [x])
                said({"a": x}, {"b": x})
                """))
        .isEqualTo(
            """
            close
            Tensor-likes are not close!

            Mismatched elements: 2 / 2 (100.0%)
            Greatest absolute difference: 1.0 at index (0,) (up to 1e-05 allowed)
            Greatest relative difference: inf at index (0,) (up to 1.3e-06 allowed)

            The failure occurred for item [1][1]
            Tensor-likes are not close!

            Mismatched elements: 2 / 2 (100.0%)
            Greatest absolute difference: 1.0 at index (0,) (up to 1e-05 allowed)
            Greatest relative difference: inf at index (0,) (up to 1.3e-06 allowed)

            The failure occurred for item ['b']
            The length of the sequences mismatch: 2 != 1
            The keys of the mappings do not match:
            Missing keys in the actual mapping: ['b']
            Additional keys in the actual mapping: ['a']\
            """);
  }
}
