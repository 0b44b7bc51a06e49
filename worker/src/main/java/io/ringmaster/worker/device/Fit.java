package io.ringmaster.worker.device;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * A calibration fitted to measurements. Only what the rows can tell is fitted, by least squares of
 * the relative error: start-up and rate of loads, stores, tile operations and the DMA engine, the
 * cost of reaching a peer per chunk (synchronous rows), notify, wait and dispatch (barriers). All
 * else stays as it was.
 *
 * @param worst the largest error of a row, as a part of its measurement
 */
public record Fit(CostModel model, double worst) {

  /** What is fitted as a start-up and a rate. */
  private static final Map<Measured.Kind, String> LINES =
      Map.of(
          Measured.Kind.LOAD, "load",
          Measured.Kind.STORE, "store",
          Measured.Kind.VECTOR, "vector",
          Measured.Kind.ASYNC, "async");

  /**
   * Fits a model.
   *
   * @param name name of the result
   * @throws IllegalArgumentException when the rows can't tell anything
   */
  public static Fit of(CostModel base, String name, List<Measured> rows) {
    if (rows.isEmpty()) {
      throw new IllegalArgumentException("there is no measured row");
    }
    Map<String, Double> numbers = new HashMap<>();
    Map<String, String> notes = new HashMap<>();
    LINES.forEach(
        (kind, group) -> {
          List<Measured> some = of(kind, rows);
          if (!some.isEmpty()) {
            double[] line = line(kind, some, Measured::bytes);
            numbers.put(group + ".nanos", Math.max(0, line[0]));
            numbers.put(group + ".rate", 1 / line[1]);
            notes.put(group, note(kind, some));
          }
        });
    List<Measured> barriers = of(Measured.Kind.BARRIER, rows);
    if (!barriers.isEmpty()) {
      // Whose part in a further peer is the notify's and whose the wait's, a barrier doesn't tell.
      double[] line = line(Measured.Kind.BARRIER, barriers, row -> row.bytes() - 1);
      double send = Math.rint(line[1] / 2);
      numbers.put("notify.sendNanos", send);
      numbers.put("notify.nanos", send);
      numbers.put("wait.nanos", Math.rint(line[1] - send));
      numbers.put("dispatch.nanos", Math.rint(Math.max(0, line[0] - send)));
      notes.put("notify", note(Measured.Kind.BARRIER, barriers) + ", half of what a peer adds");
      notes.put("wait", note(Measured.Kind.BARRIER, barriers) + ", half of what a peer adds");
      notes.put("dispatch", note(Measured.Kind.BARRIER, barriers) + ", what no peer adds");
    }
    CostModel model = CostModels.changed(base, name, numbers, notes);
    List<Measured> sync = of(Measured.Kind.SYNC, rows);
    if (!sync.isEmpty() && base.remoteChunkBytes() > 0) {
      model =
          CostModels.changed(
              model,
              name,
              Map.of("remote.nanos", remote(model, sync)),
              Map.of("remote", note(Measured.Kind.SYNC, sync)));
    }
    CostModel fitted = model;
    double worst = rows.stream().mapToDouble(r -> Math.abs(r.error(fitted))).max().orElse(0);
    return new Fit(fitted, worst);
  }

  /**
   * Fits the model of a device whose transfers between ranks are copies of its own: put and get
   * aren't cut into chunks, and links and ports are as fast as a copy is.
   */
  public static Fit ofDevice(CostModel base, String name, List<Measured> rows, String device) {
    double[] copies = line(Measured.Kind.ASYNC, of(Measured.Kind.ASYNC, rows), Measured::bytes);
    String likeCopies = "as fast as a copy on this device";
    CostModel open =
        CostModels.changed(
            base.named(name, "measured on " + device + "; what isn't fitted is the base's"),
            name,
            Map.of(
                "remote.nanos",
                0.0,
                "remote.chunkBytes",
                0.0,
                "link.rate",
                1 / copies[1],
                "port.rate",
                1 / copies[1]),
            Map.of(
                "remote", "put and get are copies on this device, see async",
                "link", likeCopies,
                "port", likeCopies));
    return of(open, name, rows);
  }

  private static List<Measured> of(Measured.Kind kind, List<Measured> rows) {
    return rows.stream().filter(row -> row.kind() == kind).toList();
  }

  private static String note(Measured.Kind kind, List<Measured> rows) {
    return "fitted to " + rows.size() + " measured " + kind.words() + " rows";
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

  /** Start a and slope b of {@code t = a + b * x}. */
  private static double[] line(
      Measured.Kind kind, List<Measured> rows, ToDoubleFunction<Measured> size) {
    if (rows.stream().map(Measured::bytes).distinct().count() < 2) {
      throw new IllegalArgumentException(
          kind.words() + " rows of one size can't tell start-up from rate; measure two sizes");
    }
    double w = 0;
    double wx = 0;
    double wy = 0;
    double wxx = 0;
    double wxy = 0;
    for (Measured row : rows) {
      double weight = 1 / (row.nanos() * row.nanos());
      double x = size.applyAsDouble(row);
      w += weight;
      wx += weight * x;
      wy += weight * row.nanos();
      wxx += weight * x * x;
      wxy += weight * x * row.nanos();
    }
    double slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
    if (!(slope > 0)) {
      throw new IllegalArgumentException(
          "the " + kind.words() + " rows don't take longer for more bytes; check the units");
    }
    return new double[] {(wy - slope * wx) / w, slope};
  }

  /** One line a row: measured, modelled, error. */
  public List<String> table(List<Measured> rows) {
    List<String> lines = new ArrayList<>();
    for (Measured row : rows) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%s %d %s: measured %.1f us, model %.1f us, %+.1f %%",
              row.kind().name().toLowerCase(Locale.ROOT),
              row.bytes(),
              row.kind() == Measured.Kind.BARRIER ? "ranks" : "bytes",
              row.nanos() / 1e3,
              row.modelled(model) / 1e3,
              100 * row.error(model)));
    }
    return lines;
  }
}
