package io.ringmaster.worker.golden;

import io.ringmaster.worker.tensor.HostBuffer;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The elements of a tensor that some dispatch promised to write and no kernel wrote.
 *
 * @param elements how many there are
 * @param stale true when an earlier run wrote some of them
 * @param prefilled true when what lies there isn't plain padding: values that differ, or a value
 *     other than zero that kernels wrote elsewhere
 * @param sentence what is missing: {@code never written: rows 2, 3}
 */
public record NeverWritten(long elements, boolean stale, boolean prefilled, String sentence) {

  private static final int LISTED = 8;

  /** Looks for such elements; empty when there is none. */
  public static Optional<NeverWritten> in(HostTensor tensor) {
    if (tensor.elements() == 0 || !suspicious(tensor)) {
      return Optional.empty();
    }
    long[] missing = new long[(int) Math.max(1, rows(tensor))];
    long[] lastMissing = new long[missing.length];
    long[] firstMissing = new long[missing.length];
    long perRow = tensor.elements() / missing.length;
    HostBuffer buffer = tensor.buffer();
    int bytes = tensor.dtype().bytes();
    boolean[] stale = {false};
    Filling filling = new Filling(Elements.of(buffer, tensor.dtype()));
    StridedLoop.over(
        tensor.shape(),
        (position, offsets) -> {
          long from = offsets[0] * bytes;
          if (buffer.promised().intersects(from, from + bytes)
              && !buffer.written().containsAll(from, from + bytes)) {
            filling.missing(offsets[0]);
            stale[0] |= buffer.stale().intersects(from, from + bytes);
            int row = (int) (position / perRow);
            if (missing[row]++ == 0) {
              firstMissing[row] = position % perRow;
            }
            lastMissing[row] = position % perRow;
          }
        },
        tensor);
    if (filling.isOneValue()) {
      StridedLoop.over(
          tensor.shape(),
          (position, offsets) -> {
            long from = offsets[0] * bytes;
            if (buffer.written().containsAll(from, from + bytes)) {
              filling.written(offsets[0]);
            }
          },
          tensor);
    }
    long total = 0;
    for (long count : missing) {
      total += count;
    }
    if (total == 0) {
      return Optional.empty();
    }
    String what =
        total == tensor.elements()
            ? "every element"
            : describe(tensor, missing, firstMissing, lastMissing, perRow);
    return Optional.of(
        new NeverWritten(total, stale[0], filling.isMeant(), "never written: " + what));
  }

  /** What the host put where no kernel wrote. */
  private static final class Filling {
    private final Elements elements;
    private double first = Double.NaN;
    private boolean begun;
    private boolean differs;
    private boolean written;

    Filling(Elements elements) {
      this.elements = elements;
    }

    void missing(long at) {
      double value = elements.getDouble(at);
      if (!begun) {
        first = value;
        begun = true;
      }
      differs |= value != first;
    }

    /** A value other than zero: it may be a mark, or what should come out. */
    boolean isOneValue() {
      return begun && !differs && first != 0;
    }

    void written(long at) {
      written |= elements.getDouble(at) == first;
    }

    boolean isMeant() {
      return differs || written;
    }
  }

  /** False when the covered bytes can be ruled out without looking at each element. */
  private static boolean suspicious(HostTensor tensor) {
    long low = tensor.offset();
    long high = tensor.offset();
    for (int axis = 0; axis < tensor.rank(); axis++) {
      long reach = (tensor.shape()[axis] - 1) * tensor.strides()[axis];
      low += Math.min(0, reach);
      high += Math.max(0, reach);
    }
    int bytes = tensor.dtype().bytes();
    HostBuffer buffer = tensor.buffer();
    return buffer.promised().intersects(low * bytes, (high + 1) * bytes)
        && !buffer.written().containsAll(low * bytes, (high + 1) * bytes);
  }

  private static long rows(HostTensor tensor) {
    return tensor.rank() < 2 ? 1 : tensor.shape()[0];
  }

  private static String describe(
      HostTensor tensor, long[] missing, long[] first, long[] last, long perRow) {
    if (tensor.rank() < 2) {
      return "elements " + first[0] + ".." + last[0];
    }
    List<String> whole = new ArrayList<>();
    List<String> partial = new ArrayList<>();
    for (int row = 0; row < missing.length; row++) {
      if (missing[row] == perRow) {
        whole.add(Integer.toString(row));
      } else if (missing[row] > 0) {
        partial.add("row " + row + " elements " + first[row] + ".." + last[row]);
      }
    }
    List<String> parts = new ArrayList<>();
    if (!whole.isEmpty()) {
      parts.add((whole.size() == 1 ? "row " : "rows ") + shortened(whole));
    }
    if (!partial.isEmpty()) {
      parts.add(shortened(partial));
    }
    return String.join("; ", parts);
  }

  private static String shortened(List<String> items) {
    return items.size() <= LISTED
        ? String.join(", ", items)
        : String.join(", ", items.subList(0, LISTED)) + " and " + (items.size() - LISTED) + " more";
  }
}
