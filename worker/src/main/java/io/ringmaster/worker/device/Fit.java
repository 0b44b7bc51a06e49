package io.ringmaster.worker.device;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A calibration fitted to measured transfers. Only what the rows can tell is fitted, by least
 * squares of the relative error: the cost of reaching a peer per chunk (synchronous rows), start-up
 * and rate of the DMA engine (asynchronous rows). All else stays as it was.
 *
 * @param worst the largest error of a row, as a part of its measurement
 */
public record Fit(CostModel model, double worst) {

  /**
   * Fits a model.
   *
   * @param name name of the result
   * @throws IllegalArgumentException when the rows can't tell anything
   */
  public static Fit of(CostModel base, String name, List<Measured> rows) {
    List<Measured> sync = rows.stream().filter(r -> r.kind() == Measured.Kind.SYNC).toList();
    List<Measured> async = rows.stream().filter(r -> r.kind() == Measured.Kind.ASYNC).toList();
    if (rows.isEmpty() || async.stream().map(Measured::bytes).distinct().count() == 1) {
      throw new IllegalArgumentException(
          rows.isEmpty()
              ? "there is no measured row"
              : "asynchronous rows of one size can't tell start-up from rate; measure two sizes");
    }
    Map<String, String> notes = new HashMap<>();
    double remote = base.remoteNanos();
    if (!sync.isEmpty()) {
      remote = remote(base, sync);
      notes.put("remote", "fitted to " + sync.size() + " measured synchronous rows");
    }
    double[] line = {base.asyncNanos(), base.asyncRate()};
    if (!async.isEmpty()) {
      line = line(async);
      notes.put("async", "fitted to " + async.size() + " measured asynchronous rows");
    }
    CostModel model = base.refitted(name, remote, line[0], line[1], notes);
    double worst = rows.stream().mapToDouble(r -> Math.abs(r.error(model))).max().orElse(0);
    return new Fit(model, worst);
  }

  /**
   * Solves for the cost c in {@code t = chunks * (c + load + store) + bytes * (1/load + 1/store)}.
   */
  private static double remote(CostModel base, List<Measured> rows) {
    double above = 0;
    double below = 0;
    for (Measured row : rows) {
      double chunks = Math.ceilDiv(row.bytes(), base.remoteChunkBytes());
      double known =
          chunks * (base.loadNanos() + base.storeNanos())
              + row.bytes() / base.loadRate()
              + row.bytes() / base.storeRate();
      double weight = chunks / (row.nanos() * row.nanos());
      above += weight * (row.nanos() - known);
      below += weight * chunks;
    }
    return Math.max(0, above / below);
  }

  /** Start-up and rate of {@code t = start + bytes / rate}. */
  private static double[] line(List<Measured> rows) {
    double w = 0;
    double wx = 0;
    double wy = 0;
    double wxx = 0;
    double wxy = 0;
    for (Measured row : rows) {
      double weight = 1 / (row.nanos() * row.nanos());
      w += weight;
      wx += weight * row.bytes();
      wy += weight * row.nanos();
      wxx += weight * row.bytes() * row.bytes();
      wxy += weight * row.bytes() * row.nanos();
    }
    double slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
    if (!(slope > 0)) {
      throw new IllegalArgumentException(
          "the asynchronous rows don't take longer for more bytes; check the units");
    }
    return new double[] {Math.max(0, (wy - slope * wx) / w), 1 / slope};
  }

  /** One line a row: measured, modelled, error. */
  public List<String> table(List<Measured> rows) {
    List<String> lines = new ArrayList<>();
    for (Measured row : rows) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%s %d bytes: measured %.1f us, model %.1f us, %+.1f %%",
              row.kind().name().toLowerCase(Locale.ROOT),
              row.bytes(),
              row.nanos() / 1e3,
              row.modelled(model) / 1e3,
              100 * row.error(model)));
    }
    return lines;
  }
}
