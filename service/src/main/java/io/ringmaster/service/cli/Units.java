package io.ringmaster.service.cli;

import java.util.List;
import java.util.Locale;

/** Durations and per-rank numbers as people read them; machines get the JSON. */
final class Units {

  private Units() {}

  /** Three significant figures with a unit: {@code 1.25 us}. */
  static String nanos(long nanos) {
    if (nanos < 1_000) {
      return nanos + " ns";
    }
    if (nanos < 1_000_000) {
      return figure(nanos / 1e3) + " us";
    }
    if (nanos < 1_000_000_000) {
      return figure(nanos / 1e6) + " ms";
    }
    return figure(nanos / 1e9) + " s";
  }

  private static String figure(double value) {
    int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }

  /** One number when all ranks agree, else all of them: {@code 768} or {@code 0/256/256}. */
  static String perRank(List<Long> values) {
    if (values.isEmpty()) {
      return "-";
    }
    long first = values.getFirst();
    if (values.stream().allMatch(v -> v == first)) {
      return Long.toString(first);
    }
    if (values.size() > 8) {
      long least = values.stream().mapToLong(Long::longValue).min().orElse(0);
      long most = values.stream().mapToLong(Long::longValue).max().orElse(0);
      return least + ".." + most;
    }
    return String.join("/", values.stream().map(String::valueOf).toList());
  }

  static String real(double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      return String.format(Locale.ROOT, "%.0f", value);
    }
    return String.format(Locale.ROOT, "%.3g", value);
  }
}
