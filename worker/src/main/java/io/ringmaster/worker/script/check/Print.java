package io.ringmaster.worker.script.check;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Arrays;
import java.util.BitSet;

/**
 * What the two sides of a comparison look like, element by element: two readings with other values
 * show by it which sides come from the kernel.
 */
public final class Print {

  /** Elements that are told apart; larger tensors are looked at as a whole. */
  private static final long MOST = 1 << 18;

  private final int[] left;
  private final int[] right;

  private Print(int[] left, int[] right) {
    this.left = left;
    this.right = right;
  }

  public static Print of(TensorPair pair) {
    boolean alike = Arrays.equals(pair.actual().shape(), pair.expected().shape());
    boolean each = alike && pair.actual().elements() <= MOST;
    return new Print(elements(pair.actual(), each), elements(pair.expected(), each));
  }

  /** The same of values that are looked at as a whole. */
  public static Print of(int left, int right) {
    return new Print(new int[] {left}, new int[] {right});
  }

  private static int[] elements(HostTensor tensor, boolean each) {
    Elements values = Elements.of(tensor.buffer(), tensor.dtype());
    int[] prints = new int[each ? (int) tensor.elements() : 1];
    StridedLoop.over(
        tensor.shape(),
        (position, at) -> {
          int place = each ? (int) position : 0;
          prints[place] = 31 * prints[place] + Double.hashCode(values.getDouble(at[0]));
        },
        tensor);
    return prints;
  }

  int count() {
    return Math.min(left.length, right.length);
  }

  /** Which elements of each side are otherwise in some other reading. */
  static final class Moves {
    private final BitSet left = new BitSet();
    private final BitSet right = new BitSet();
    private final int count;

    Moves(Print first) {
      this.count = first.count();
    }

    int count() {
      return count;
    }

    /** Elements of which exactly one side has changed. */
    int oneSided() {
      BitSet either = (BitSet) left.clone();
      either.xor(right);
      return either.cardinality();
    }

    /** Takes in what has changed from one reading to another. */
    void add(Print one, Print other) {
      if (one.left.length != other.left.length || one.right.length != other.right.length) {
        return;
      }
      for (int i = 0; i < count; i++) {
        if (one.left[i] != other.left[i]) {
          left.set(i);
        }
        if (one.right[i] != other.right[i]) {
          right.set(i);
        }
      }
    }
  }
}
