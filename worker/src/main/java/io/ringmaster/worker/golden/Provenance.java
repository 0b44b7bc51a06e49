package io.ringmaster.worker.golden;

import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Follows the rows of an output back to the rows of the inputs that they are copies of, and says
 * what that means: data of an earlier round, or what was meant for somebody else.
 */
final class Provenance {

  private static final int LISTED = 4;

  /** Where a stretch of the output comes from, and where it should have come from. */
  private record Origin(int slice, int rank, int row, int wantedRank, int wantedRow) {

    boolean isRight() {
      return rank == wantedRank && row == wantedRow;
    }
  }

  private Provenance() {}

  /**
   * Looks for one cause that explains every wrong row.
   *
   * @param inputs tensors whose first dimension is the rank and whose last is a row
   */
  static Optional<String> cause(double[] got, double[] wanted, List<HostTensor> inputs) {
    for (HostTensor input : inputs) {
      Optional<String> cause = origins(got, wanted, input).flatMap(Provenance::cause);
      if (cause.isPresent()) {
        return cause;
      }
    }
    return Optional.empty();
  }

  /** Only says where each wrong row comes from. */
  static Optional<String> places(double[] got, double[] wanted, List<HostTensor> inputs) {
    for (HostTensor input : inputs) {
      Optional<List<Origin>> origins = origins(got, wanted, input);
      if (origins.isPresent() && rowsOfARank(input) > 1) {
        List<Origin> wrong = origins.get().stream().filter(o -> !o.isRight()).toList();
        String first =
            String.join(", ", wrong.stream().limit(LISTED).map(Provenance::place).toList());
        return Optional.of(
            wrong.size() > LISTED ? first + " and " + (wrong.size() - LISTED) + " more" : first);
      }
    }
    return Optional.empty();
  }

  private static Optional<String> cause(List<Origin> origins) {
    List<Origin> wrong = origins.stream().filter(origin -> !origin.isRight()).toList();
    Origin first = wrong.getFirst();
    if (wrong.stream().allMatch(o -> o.rank() == o.wantedRank() && o.row() < o.wantedRow())) {
      return Optional.of(
          place(first)
              + ": stale, what an earlier round left, or the row's index is too small"
              + more(wrong.size() - 1));
    }
    if (wrong.stream().allMatch(o -> o.rank() == o.wantedRow() && o.row() == o.wantedRank())) {
      return Optional.of(
          place(first) + ": sender and receiver are swapped" + more(wrong.size() - 1));
    }
    return Optional.empty();
  }

  private static String place(Origin origin) {
    return "slice %d holds row %d of rank %d, expected is row %d of rank %d"
        .formatted(
            origin.slice(), origin.row(), origin.rank(), origin.wantedRow(), origin.wantedRank());
  }

  private static String more(int count) {
    return count == 0
        ? ""
        : "; " + count + (count == 1 ? " more slice" : " more slices") + " alike";
  }

  private static int rowsOfARank(HostTensor input) {
    long[] shape = input.shape();
    return (int) (input.elements() / shape[0] / shape[shape.length - 1]);
  }

  /** Empty unless both sides are made of rows of the input, and some are the wrong ones. */
  private static Optional<List<Origin>> origins(double[] got, double[] wanted, HostTensor input) {
    long[] shape = input.shape();
    if (shape.length < 2 || shape[0] < 2 || input.elements() == 0) {
      return Optional.empty();
    }
    int width = (int) shape[shape.length - 1];
    if (width < 2 || got.length % width != 0) {
      return Optional.empty();
    }
    double[] values = Block.values(input, new long[0]);
    Map<Integer, Integer> rows = new HashMap<>();
    for (int row = 0; row < values.length / width; row++) {
      StopOrder.look();
      if (rows.put(key(values, row, width), row) != null) {
        return Optional.empty();
      }
    }
    int perRank = rowsOfARank(input);
    List<Origin> origins = new ArrayList<>();
    boolean wrong = false;
    for (int slice = 0; slice < got.length / width; slice++) {
      StopOrder.look();
      int is = find(got, slice, values, width, rows);
      int should = find(wanted, slice, values, width, rows);
      if (is < 0 || should < 0) {
        return Optional.empty();
      }
      Origin origin =
          new Origin(slice, is / perRank, is % perRank, should / perRank, should % perRank);
      origins.add(origin);
      wrong |= !origin.isRight();
    }
    return wrong ? Optional.of(origins) : Optional.empty();
  }

  private static int key(double[] values, int row, int width) {
    return Arrays.hashCode(Arrays.copyOfRange(values, row * width, (row + 1) * width));
  }

  private static int find(
      double[] values, int slice, double[] input, int width, Map<Integer, Integer> rows) {
    Integer row = rows.get(key(values, slice, width));
    return row != null && Block.close(values, slice * width, input, row * width, width) ? row : -1;
  }
}
