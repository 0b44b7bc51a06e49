package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes tensors the way torch prints them. */
final class TensorPrinter {

  private static final int MOST = 1000;
  private static final int EDGE = 3;
  private static final int LINE = 80;

  private final HostTensor tensor;
  private final Elements elements;
  private final boolean shortened;
  private boolean whole;
  private boolean scientific;
  private int width;

  private TensorPrinter(HostTensor tensor) {
    this.tensor = tensor;
    this.elements = Elements.of(tensor.buffer(), tensor.dtype());
    this.shortened = tensor.elements() > MOST;
  }

  static String repr(HostTensor tensor) {
    return new TensorPrinter(tensor).text();
  }

  /** How many elements are written out. */
  static long printed(HostTensor tensor) {
    double count = 1;
    for (long extent : tensor.shape()) {
      count *= tensor.elements() > MOST ? Math.min(extent, 2 * EDGE) : extent;
    }
    return (long) count;
  }

  private String text() {
    chooseFormat();
    DType type = tensor.dtype();
    boolean usual = type == DType.FP32 || type == DType.INT64 || type == DType.BOOL;
    if (tensor.elements() == 0) {
      String size = tensor.rank() == 1 ? "" : ", size=" + sizeText();
      String dtype = type == DType.FP32 ? "" : ", dtype=torch." + Dtypes.nameOf(type);
      return "tensor([]" + size + dtype + ")";
    }
    String text = "tensor(" + block(tensor, 0, "tensor(".length());
    return (usual ? text : withSuffix(text, "dtype=torch." + Dtypes.nameOf(type))) + ")";
  }

  /** On the last line if there is room, else on one of its own. */
  private static String withSuffix(String text, String suffix) {
    int lastLine = text.length() - text.lastIndexOf('\n') + 1;
    boolean fits = lastLine + suffix.length() + 2 <= LINE;
    return text + (fits ? ", " : ",\n" + " ".repeat("tensor(".length())) + suffix;
  }

  private String sizeText() {
    List<String> extents = new ArrayList<>();
    for (long extent : tensor.shape()) {
      extents.add(Long.toString(extent));
    }
    return "(" + String.join(", ", extents) + ")";
  }

  /** Decides between whole, fixed and scientific writing, and how wide elements are. */
  private void chooseFormat() {
    if (tensor.dtype().isFloat()) {
      double[] range = {Double.POSITIVE_INFINITY, 0};
      boolean[] all = {true};
      printed(
          tensor,
          index -> {
            double value = Math.abs(elements.getDouble(index));
            if (Double.isFinite(value)) {
              all[0] &= value == Math.rint(value);
              range[0] = value == 0 ? range[0] : Math.min(range[0], value);
              range[1] = Math.max(range[1], value);
            }
          });
      whole = all[0];
      boolean wide = range[1] > 0 && (range[1] / range[0] > 1000 || range[1] > 1e8);
      scientific = wide || (range[1] > 0 && range[0] < 1e-4);
    }
    int[] widest = {0};
    printed(tensor, index -> widest[0] = Math.max(widest[0], measured(index)));
    width = widest[0];
  }

  /** What an element adds to the width: as in torch, infinities, NaN and zeros add nothing. */
  private int measured(long index) {
    double value = elements.getDouble(index);
    boolean counts = !tensor.dtype().isFloat() || (Double.isFinite(value) && value != 0);
    return counts ? plain(index).length() : 0;
  }

  /** Visits the elements that are printed: all, or the edges of a long tensor. */
  private void printed(HostTensor part, java.util.function.LongConsumer visitor) {
    if (part.rank() == 0) {
      visitor.accept(part.offset());
      return;
    }
    long extent = part.shape()[0];
    boolean cut = shortened && extent > 2 * EDGE;
    StopOrder.look();
    for (long i = 0; i < extent; i++) {
      i = cut && i == EDGE ? extent - EDGE : i;
      printed(part.row(i), visitor);
    }
  }

  private String plain(long index) {
    if (tensor.dtype() == DType.BOOL) {
      return elements.getLong(index) != 0 ? "True" : "False";
    }
    if (!tensor.dtype().isFloat()) {
      return Long.toString(elements.getLong(index));
    }
    double value = elements.getDouble(index);
    if (Double.isNaN(value)) {
      return "nan";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "inf" : "-inf";
    }
    if (scientific) {
      return String.format(Locale.ROOT, "%.4e", value);
    }
    return whole
        ? String.format(Locale.ROOT, "%.0f.", value)
        : String.format(Locale.ROOT, "%.4f", value);
  }

  private String padded(long index) {
    String text = plain(index);
    return tensor.rank() == 0 ? text : " ".repeat(Math.max(0, width - text.length())) + text;
  }

  private String block(HostTensor part, int depth, int indent) {
    if (part.rank() == 0) {
      return padded(part.offset());
    }
    long extent = part.shape()[0];
    boolean cut = shortened && extent > 2 * EDGE;
    StopOrder.look();
    List<String> items = new ArrayList<>();
    for (long i = 0; i < extent; i++) {
      if (cut && i == EDGE) {
        items.add(part.rank() == 1 ? " ..." : "...");
        i = extent - EDGE;
      }
      items.add(block(part.row(i), depth + 1, indent + 1));
    }
    if (part.rank() > 1) {
      String gap = "," + "\n".repeat(part.rank() - 1) + " ".repeat(indent + 1);
      return "[" + String.join(gap, items) + "]";
    }
    int perLine = Math.max(1, (LINE - indent) / (width + 2));
    List<String> lines = new ArrayList<>();
    for (int from = 0; from < items.size(); from += perLine) {
      lines.add(String.join(", ", items.subList(from, Math.min(items.size(), from + perLine))));
    }
    return "[" + String.join(",\n" + " ".repeat(indent + 1), lines) + "]";
  }
}
