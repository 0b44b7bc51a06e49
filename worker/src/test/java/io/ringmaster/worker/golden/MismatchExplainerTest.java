package io.ringmaster.worker.golden;

import static io.ringmaster.worker.golden.TestTensors.floats;
import static io.ringmaster.worker.golden.TestTensors.tensor;
import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Faults of collectives and the sentence that names them. */
class MismatchExplainerTest {

  private static String explain(HostTensor actual, HostTensor expected, HostTensor... inputs) {
    TensorComparison comparison = TensorComparison.equal(actual, expected);
    assertThat(comparison.holds()).isFalse();
    return MismatchExplainer.explain(actual, expected, comparison, List.of(inputs));
  }

  @Test
  void slicesRotatedByOne() {
    assertThat(explain(floats(5, 6, 1, 2, 3, 4), floats(1, 2, 3, 4, 5, 6)))
        .startsWith(
            "row 0 holds rank 2's slice, row 1 holds rank 0's slice, row 2 holds rank 1's"
                + " slice: slots are rotated by one; 6 of 6 elements differ, first at [0]: got 5,"
                + " expected 1");
  }

  @Test
  void rowsInTheWrongPlace() {
    HostTensor actual = tensor(DType.FP32, new long[] {3, 2}, 1, 2, 5, 6, 3, 4);
    HostTensor expected = tensor(DType.FP32, new long[] {3, 2}, 1, 2, 3, 4, 5, 6);
    assertThat(explain(actual, expected))
        .startsWith("row 1 holds rank 2's slice, row 2 holds rank 1's slice: slots are permuted");
  }

  @Test
  void rowsThatAreNotRanks() {
    HostTensor inputs = tensor(DType.FP32, new long[] {2, 2}, 70, 80, 90, 95);
    HostTensor actual = tensor(DType.FP32, new long[] {4, 2}, 5, 6, 7, 8, 1, 2, 3, 4);
    HostTensor expected = tensor(DType.FP32, new long[] {4, 2}, 1, 2, 3, 4, 5, 6, 7, 8);
    assertThat(explain(actual, expected, inputs))
        .startsWith(
            "block 0 holds rank 1's slice, block 1 holds rank 0's slice: slots are rotated");
    HostTensor swapped = tensor(DType.FP32, new long[] {4, 2}, 1, 2, 5, 6, 3, 4, 7, 8);
    assertThat(explain(swapped, expected, inputs))
        .startsWith("row 1 holds what belongs in row 2, row 2 holds what belongs in row 1");
  }

  @Test
  void aFactorWhereNothingIsSummed() {
    HostTensor inputs = tensor(DType.FP32, new long[] {2, 3}, 1, 2, 4, 7, 5, 1);
    HostTensor actual = tensor(DType.FP32, new long[] {2, 3}, 3, 6, 12, 21, 15, 3);
    HostTensor expected = tensor(DType.FP32, new long[] {2, 3}, 2, 4, 8, 14, 10, 2);
    assertThat(explain(actual, expected, inputs))
        .startsWith("every element is 1.50000 times what was expected: a factor is wrong");
    assertThat(explain(inputs, expected, inputs)).startsWith("the output is each rank's input");
  }

  @Test
  void theOwnSliceEverywhere() {
    assertThat(explain(floats(3, 4, 3, 4, 3, 4), floats(1, 2, 3, 4, 5, 6)))
        .startsWith("every row holds rank 1's slice: the same window is read for every peer");
  }

  @Test
  void aSliceLeftAtZero() {
    assertThat(explain(floats(1, 2, 0, 0, 5, 6), floats(1, 2, 3, 4, 5, 6)))
        .startsWith("row 1 is zero where data was expected: never written or never staged");
    assertThat(explain(floats(0, 0), floats(3, 4)))
        .startsWith("everything is zero where data was expected");
  }

  @Test
  void anotherRanksDataArrived() {
    HostTensor inputs = tensor(DType.FP32, new long[] {3, 2}, 1, 2, 10, 20, 100, 200);
    assertThat(explain(floats(10, 20), floats(1, 2), inputs))
        .startsWith("rank 1's data arrived where rank 0's was expected: another root");
    HostTensor actual = tensor(DType.FP32, new long[] {3, 2}, 100, 200, 1, 2, 100, 200);
    HostTensor expected = tensor(DType.FP32, new long[] {3, 2}, 1, 2, 1, 2, 1, 2);
    assertThat(explain(actual, expected, inputs))
        .startsWith("rank 2's data arrived where rank 0's was expected: another root");
    assertThat(explain(floats(0, 0), floats(10, 20), inputs))
        .startsWith("everything is zero where rank 1's data was expected");
  }

  @Test
  void rowsThatEachMixTheirSlices() {
    HostTensor actual = tensor(DType.FP32, new long[] {2, 4}, 3, 4, 1, 2, 3, 4, 1, 2);
    HostTensor expected = tensor(DType.FP32, new long[] {2, 4}, 1, 2, 3, 4, 1, 2, 3, 4);
    assertThat(explain(actual, expected))
        .startsWith(
            "in every row slice 0 holds rank 1's slice, slice 1 holds rank 0's slice: slots are"
                + " rotated by one; ");
    HostTensor other = tensor(DType.FP32, new long[] {2, 4}, 3, 4, 1, 2, 1, 2, 1, 2);
    assertThat(explain(other, expected))
        .startsWith(
            "in row 0 slice 0 holds rank 1's slice, slice 1 holds rank 0's slice: slots are rotated"
                + " by one; in row 1 every slice holds rank 0's slice");
  }

  @Test
  void whatNobodyReducedIsTheRanksOwn() {
    HostTensor inputs = tensor(DType.FP32, new long[] {2, 2, 2}, 1, 2, 3, 4, 50, 60, 70, 80);
    HostTensor sums = tensor(DType.FP32, new long[] {2, 2, 2}, 51, 62, 73, 84, 51, 62, 73, 84);
    HostTensor own = tensor(DType.FP32, new long[] {2, 2, 2}, 51, 62, 3, 4, 50, 60, 73, 84);
    assertThat(explain(own, sums, inputs)).startsWith("where it differs, the output is the rank's");
    HostTensor others = tensor(DType.FP32, new long[] {2, 2, 2}, 51, 62, 3, 4, 51, 62, 73, 9);
    assertThat(explain(others, sums, inputs)).startsWith("3 of 8 elements differ");
  }

  @Test
  void aContributionThatIsMissingOrCountedTwice() {
    HostTensor inputs = tensor(DType.FP32, new long[] {3, 2}, 1, 2, 10, 20, 100, 200);
    assertThat(explain(floats(101, 202), floats(111, 222), inputs))
        .startsWith("the contribution of rank 1 is missing");
    assertThat(explain(floats(211, 422), floats(111, 222), inputs))
        .startsWith("the contribution of rank 2 is counted twice");
    assertThat(explain(floats(111, 222), floats(101, 202), inputs))
        .startsWith(
            "the output is the sum over all ranks; it is the expected values that lack the"
                + " contribution of rank 1: look at the golden");
    assertThat(explain(floats(111, 222), floats(211, 422), inputs))
        .startsWith(
            "the output is the sum over all ranks; it is the expected values that have the"
                + " contribution of rank 2 twice: look at the golden");
    HostTensor own = tensor(DType.FP32, new long[] {3, 2}, 110, 220, 101, 202, 11, 22);
    HostTensor sum = tensor(DType.FP32, new long[] {3, 2}, 111, 222, 111, 222, 111, 222);
    assertThat(explain(own, sum, inputs)).startsWith("each rank's own contribution is missing");
  }

  @Test
  void anotherReduceOperation() {
    HostTensor inputs = tensor(DType.FP32, new long[] {3, 2}, 1, 2, 10, 20, 100, 200);
    assertThat(explain(floats(100, 200), floats(111, 222), inputs))
        .startsWith("the output is the maximum over the ranks, expected is the sum");
    assertThat(explain(floats(111, 222), floats(1, 2), inputs))
        .startsWith("the output is the sum over the ranks, expected is the minimum");
  }

  @Test
  void aFactorThatWasNotApplied() {
    HostTensor inputs = tensor(DType.FP32, new long[] {2, 2}, 1, 2, 3, 4);
    assertThat(explain(floats(1, 2, 3, 4), floats(2, 6, 6, 12), inputs))
        .startsWith("the output is each rank's input as it was");
  }

  @Test
  void dataOfAnEarlierRoundAndOfTheWrongReceiver() {
    HostTensor inputs = tensor(DType.FP32, new long[] {2, 2, 2}, 1, 2, 3, 4, 5, 6, 7, 8);
    assertThat(explain(floats(1, 2, 1, 2), floats(1, 2, 3, 4), inputs))
        .startsWith(
            "slice 1 holds row 0 of rank 0, expected is row 1 of rank 0: stale, what an earlier"
                + " round left");
    assertThat(explain(floats(1, 2, 3, 4), floats(1, 2, 5, 6), inputs))
        .startsWith(
            "slice 1 holds row 1 of rank 0, expected is row 0 of rank 1: sender and receiver are"
                + " swapped");
  }

  @Test
  void aSumOfSegmentsThatLackRanks() {
    HostTensor inputs = tensor(DType.FP32, new long[] {2, 4}, 1, 2, 3, 4, 10, 20, 30, 40);
    assertThat(explain(floats(2, 4, 30, 40), floats(11, 22, 33, 44), inputs))
        .startsWith("segment 0 lacks rank 1 and has rank 0 twice, segment 1 lacks rank 0");
  }

  @Test
  void rowsTakenForColumns() {
    HostTensor actual = tensor(DType.FP32, new long[] {2, 3}, 1, 4, 2, 5, 3, 6);
    HostTensor expected = tensor(DType.FP32, new long[] {2, 3}, 1, 2, 3, 4, 5, 6);
    assertThat(explain(actual, expected))
        .startsWith("rows and columns are swapped: the output is transposed");
  }

  @Test
  void anOffsetThatIsOffByOne() {
    assertThat(explain(floats(2, 3, 4, 5, 6, 7, 8, 0), floats(1, 2, 3, 4, 5, 6, 7, 8)))
        .startsWith(
            "everything is shifted by 1 element: element 0 holds what belongs into element 1, so an"
                + " offset is off by 1");
    assertThat(explain(floats(0, 0, 1, 2, 3, 4, 5, 6), floats(1, 2, 3, 4, 5, 6, 7, 8)))
        .startsWith("everything is shifted by 2 elements: element 2 holds what belongs into");
  }

  @Test
  void theOwnContributionOfTheRankWhoseOutputItIs() {
    HostTensor inputs = tensor(DType.FP32, new long[] {3, 2}, 1, 2, 10, 20, 100, 200);
    HostTensor outputs = tensor(DType.FP32, new long[] {3, 2}, 111, 222, 101, 202, 111, 222);
    assertThat(explain(outputs.row(1), floats(111, 222), inputs))
        .startsWith("the contribution of rank 1, its own, is missing");
  }

  @Test
  void onlyNumbersWhenThereIsNoPattern() {
    assertThat(explain(floats(1, 2.5, 3), floats(1, 2, 3)))
        .isEqualTo(
            "1 of 3 elements differs, first at [1]: got 2.50000, expected 2; largest difference"
                + " 0.500000 at [1]");
  }

  @Test
  void nanIsSaidToBeWhatDiffers() {
    assertThat(explain(floats(1, Double.NaN), floats(1, 2)))
        .startsWith("NaN is what differs in 1 element (the kernel's values are NaN there)");
  }
}
