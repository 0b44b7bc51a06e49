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

  /** {@code 24 B}, {@code 64 KiB}, {@code 1.5 MiB}. */
  static String bytes(long bytes) {
    return amount(bytes, " B", " KiB", " MiB", " GiB");
  }

  /** The same for the axis of a plot: {@code 64K}. */
  static String shortBytes(long bytes) {
    return amount(bytes, "", "K", "M", "G");
  }

  private static String amount(long bytes, String... units) {
    int unit = 0;
    double value = bytes;
    while (value >= 1024 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    return (value == Math.rint(value) ? String.valueOf((long) value) : figure(value)) + units[unit];
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
