package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.RandomSource;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.DType;
import java.util.Arrays;

/** {@code multinomial}: indices drawn by weights, row by row, as a router picks experts. */
final class Multinomial {

  private Multinomial() {}

  static void define(MethodTable<TensorValue> table) {
    table.add("multinomial", "num_samples, replacement=, *, generator=, out=", Multinomial::drawn);
  }

  /** [n] or [m, n] of weights; [samples] or [m, samples] of INT64. */
  private static Value drawn(TensorValue weights, Bound a, Call c) {
    int rank = weights.data().rank();
    if (rank < 1 || rank > 2) {
      throw Errors.runtime("prob_dist must be 1 or 2 dim");
    }
    if (!weights.data().dtype().isFloat()) {
      throw Errors.runtime(
          "multinomial only supports floating-point dtypes for input, got: "
              + Dtypes.scalarName(weights.data().dtype()));
    }
    long[] shape = weights.data().shape().clone();
    int width = Math.toIntExact(shape[rank - 1]);
    long samples = a.integer("num_samples");
    boolean again = a.flag("replacement", false);
    if (samples <= 0) {
      throw Errors.runtime("cannot sample n_sample <= 0 samples");
    }
    if (!again && samples > width) {
      throw Errors.runtime(
          "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
    }
    shape[rank - 1] = samples;
    TensorValue result = Tensors.derived(DType.INT64, shape, weights.origin(), c.interp());
    Elements out = Elements.of(result.data().buffer(), DType.INT64);
    RandomSource source = TorchRandom.source(a, c);
    double[] all = values(weights, c);
    for (int row = 0; row < (rank == 2 ? shape[0] : 1); row++) {
      double[] own = Arrays.copyOfRange(all, row * width, (row + 1) * width);
      double sum = checked(own);
      for (long i = 0; i < samples; i++) {
        c.interp().session().budget().elements(width);
        StopOrder.look(i);
        int chosen = chosen(own, source.nextDouble() * sum);
        out.setLong(row * samples + i, chosen);
        if (!again) {
          own[chosen] = 0;
          sum = Arrays.stream(own).sum();
          if (sum <= 0 && i + 1 < samples) {
            throw Errors.runtime(
                "invalid multinomial distribution (with replacement=False, not enough non-negative"
                    + " category to sample)");
          }
        }
      }
    }
    return result;
  }

  private static double[] values(TensorValue weights, Call c) {
    c.interp().session().budget().elements(weights.data().elements());
    Elements in = Elements.of(weights.data().buffer(), weights.data().dtype());
    double[] all = new double[Math.toIntExact(weights.data().elements())];
    StridedLoop.over(
        weights.data().shape(),
        (position, at) -> all[(int) position] = in.getDouble(at[0]),
        weights.data());
    return all;
  }

  private static double checked(double[] weights) {
    double sum = 0;
    for (double weight : weights) {
      if (!(weight >= 0) || Double.isInfinite(weight)) {
        throw Errors.runtime("probability tensor contains either `inf`, `nan` or element < 0");
      }
      sum += weight;
    }
    if (!(sum > 0)) {
      throw Errors.runtime("invalid multinomial distribution (sum of probabilities <= 0)");
    }
    return sum;
  }

  /** The first index at which the sum of the weights is above a value; none without weight. */
  private static int chosen(double[] weights, double value) {
    double sum = 0;
    int last = 0;
    for (int i = 0; i < weights.length; i++) {
      sum += weights[i];
      if (weights[i] > 0) {
        last = i;
        if (sum > value) {
          return i;
        }
      }
    }
    return last;
  }
}
