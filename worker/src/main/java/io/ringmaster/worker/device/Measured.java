package io.ringmaster.worker.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One measurement that a calibration can be fitted to: an operation on {@code bytes} took {@code
 * nanos}.
 *
 * @param bytes of a barrier its ranks
 */
public record Measured(Kind kind, long bytes, double nanos) {

  /** How the bytes were moved. */
  public enum Kind {
    /** A read from a peer by the core, through a stage tile. */
    SYNC,
    /** A read from a peer by the DMA engine. */
    ASYNC,
    /** Memory to tile. */
    LOAD,
    /** Tile to memory. */
    STORE,
    /** A tile operation. */
    VECTOR,
    /** Everybody notifies everybody else, and waits for all of them. */
    BARRIER;

    String words() {
      return switch (this) {
        case SYNC -> "synchronous";
        case ASYNC -> "asynchronous";
        case LOAD, STORE, VECTOR, BARRIER -> name().toLowerCase(Locale.ROOT);
      };
    }
  }

  /** What the model says instead. */
  public long modelled(CostModel model) {
    return switch (kind) {
      case SYNC -> model.remoteCopy(bytes, model.remoteChunkBytes());
      case ASYNC -> model.asyncCopy(bytes);
      case LOAD -> model.load(bytes);
      case STORE -> model.store(bytes);
      case VECTOR -> model.vector(bytes);
      case BARRIER -> model.barrier(bytes);
    };
  }

  /** The line that {@link #parse} reads. */
  public String text() {
    return String.format(
        Locale.ROOT, "%s,%d,%.0f", kind.name().toLowerCase(Locale.ROOT), bytes, nanos);
  }

  /** How far the model is off, as a part of the measurement. */
  public double error(CostModel model) {
    return modelled(model) / nanos - 1;
  }

  /**
   * Reads lines of {@code kind,bytes,nanos}; {@code #} starts a remark.
   *
   * @param file its name, for messages
   * @throws IllegalArgumentException with line and reason
   */
  public static List<Measured> parse(String file, String text) {
    List<Measured> rows = new ArrayList<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      rows.add(row(file + " line " + number, line));
    }
    return rows;
  }

  private static Measured row(String place, String line) {
    String[] cells = line.strip().split("\\s*,\\s*", -1);
    if (cells.length != 3) {
      throw new IllegalArgumentException(
          place + ": '" + line + "' isn't kind,bytes,nanos, such as sync,4096,725.6");
    }
    try {
      Kind kind = Kind.valueOf(cells[0].toUpperCase(Locale.ROOT));
      long bytes = Long.parseLong(cells[1]);
      double nanos = Double.parseDouble(cells[2]);
      if (bytes > 0 && nanos > 0 && nanos < 1e15) {
        return new Measured(kind, bytes, nanos);
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(place + ": " + explain(cells), e);
    }
    throw new IllegalArgumentException(place + ": " + explain(cells));
  }

  private static String explain(String[] cells) {
    return "'"
        + String.join(",", cells)
        + "': kind is sync, async, load, store, vector or barrier, bytes a whole number above 0, nanos a number above 0";
  }
}
