package io.ringmaster.worker.golden;

import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.List;
import java.util.Optional;

/** Recognises data that came from another rank than expected, as with a wrong root. */
final class Senders {

  private Senders() {}

  /**
   * Looks up what arrived and what was expected among the ranks' inputs.
   *
   * @param inputs tensors with one row for each rank
   * @return empty unless one rank's data stands wherever one other rank's was expected
   */
  static Optional<String> explain(double[] got, double[] wanted, List<HostTensor> inputs) {
    for (HostTensor input : inputs) {
      Optional<Rows> rows = Rows.of(input, got.length);
      if (rows.isEmpty()) {
        continue;
      }
      int expected = rows.get().senderOfAll(wanted);
      int arrived = expected < 0 ? -1 : rows.get().senderOfWrong(got, wanted);
      if (arrived >= 0) {
        return Optional.of(
            "rank "
                + arrived
                + "'s data arrived where rank "
                + expected
                + "'s was expected: another root, or another rank is read");
      }
    }
    return Optional.empty();
  }

  /** The rank whose data was expected everywhere, in words; "data" when that isn't known. */
  static String expected(double[] wanted, List<HostTensor> inputs) {
    return inputs.stream()
        .flatMap(input -> Rows.of(input, wanted.length).stream())
        .map(rows -> rows.senderOfAll(wanted))
        .filter(rank -> rank >= 0)
        .findFirst()
        .map(rank -> "rank " + rank + "'s data")
        .orElse("data");
  }

  /** What each rank put in. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Rows(double[] values, int ranks, int width) {

    static Optional<Rows> of(HostTensor input, int length) {
      if (input.rank() == 0 || input.shape()[0] < 2 || input.shape()[0] > 64) {
        return Optional.empty();
      }
      double[] values = Block.values(input, new long[0]);
      int ranks = (int) input.shape()[0];
      int width = values.length / ranks;
      return width == 0 || length % width != 0
          ? Optional.empty()
          : Optional.of(new Rows(values, ranks, width));
    }

    /** The one rank whose row stands in every row; -1 for none, or for several that are alike. */
    int senderOfAll(double[] rows) {
      int sender = -1;
      for (int rank = 0; rank < ranks; rank++) {
        boolean all = true;
        for (int at = 0; at < rows.length && all; at += width) {
          StopOrder.look();
          all = Block.close(rows, at, values, rank * width, width);
        }
        if (all && sender >= 0) {
          return -1;
        }
        sender = all ? rank : sender;
      }
      return sender;
    }

    /** The one rank whose row stands in every row that is wrong; -1 for none. */
    int senderOfWrong(double[] got, double[] wanted) {
      int sender = -1;
      for (int at = 0; at < got.length; at += width) {
        if (Block.close(got, at, wanted, at, width)) {
          continue;
        }
        int here = sender(got, at);
        if (here < 0 || (sender >= 0 && here != sender)) {
          return -1;
        }
        sender = here;
      }
      return sender;
    }

    private int sender(double[] rows, int at) {
      for (int rank = 0; rank < ranks; rank++) {
        StopOrder.look();
        if (Block.close(rows, at, values, rank * width, width)) {
          return rank;
        }
      }
      return -1;
    }
  }
}
