package io.ringmaster.worker.golden;

import io.ringmaster.worker.stop.StopOrder;
import java.util.Optional;

/** Recognises values that are all there, but by another reckoning of places. */
final class Layouts {

  /** Farther off than this many elements it is a whole slice, which others recognise. */
  private static final int FARTHEST = 7;

  /** Fewer elements agree by accident. */
  private static final int FEWEST = 6;

  private Layouts() {}

  /** Looks for rows taken for columns, and for an offset that is some elements off. */
  static Optional<String> explain(double[] got, double[] wanted, long[] shape) {
    Optional<String> turned = transposed(got, wanted, shape);
    return turned.isPresent() ? turned : shifted(got, wanted);
  }

  private static Optional<String> transposed(double[] got, double[] wanted, long[] shape) {
    int kept = 0;
    int[] extents = new int[2];
    for (long extent : shape) {
      if (extent > 1) {
        if (kept == 2) {
          return Optional.empty();
        }
        extents[kept++] = (int) extent;
      }
    }
    if (kept < 2 || got.length < FEWEST) {
      return Optional.empty();
    }
    int rows = extents[0];
    int columns = extents[1];
    for (int row = 0; row < rows; row++) {
      StopOrder.look();
      for (int column = 0; column < columns; column++) {
        if (!Block.close(got[column * rows + row], wanted[row * columns + column])) {
          return Optional.empty();
        }
      }
    }
    return Optional.of("rows and columns are swapped: the output is transposed");
  }

  private static Optional<String> shifted(double[] got, double[] wanted) {
    int length = got.length;
    // Values that come in again at the other end are slices in turn.
    for (int by = 1; by <= FARTHEST && length - by >= FEWEST; by++) {
      if (!isDistinct(wanted, by)) {
        continue;
      }
      if (Block.close(got, 0, wanted, by, length - by)
          && !Block.close(got, length - by, wanted, 0, by)) {
        return Optional.of(off(by, "element 0 holds what belongs into element " + by));
      }
      if (Block.close(got, by, wanted, 0, length - by)
          && !Block.close(got, 0, wanted, length - by, by)) {
        return Optional.of(off(by, "element " + by + " holds what belongs into element 0"));
      }
    }
    return Optional.empty();
  }

  private static String off(int by, String where) {
    return "everything is shifted by %s: %s, so an offset is off by %d"
        .formatted(MismatchExplainer.counted(by, "element"), where, by);
  }

  /** Values that repeat themselves agree with their own shift. */
  private static boolean isDistinct(double[] values, int by) {
    return !Block.close(values, 0, values, by, values.length - by);
  }
}
