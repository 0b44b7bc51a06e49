package io.ringmaster.worker.device;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reads and writes calibrations: files of {@code group.parameter = number} lines in which every
 * group has a {@code group.source} line that says where its numbers come from.
 */
public final class CostModels {

  private static final List<String> NUMBERS =
      List.of(
          "load.nanos",
          "load.rate",
          "store.nanos",
          "store.rate",
          "remote.nanos",
          "remote.chunkBytes",
          "async.nanos",
          "async.rate",
          "link.rate",
          "port.rate",
          "notify.sendNanos",
          "notify.nanos",
          "wait.nanos",
          "vector.nanos",
          "vector.rate",
          "matrix.rate",
          "scalar.nanos",
          "dispatch.nanos");

  /** Read once: every job asks for it. */
  private static final CostModel A2A3 = parse("a2a3.properties", resource("a2a3.properties"));

  private CostModels() {}

  /** The calibration of the 910B family. */
  public static CostModel a2a3() {
    return A2A3;
  }

  /** The 910B numbers under the 950 family's name: nothing better is published. */
  public static CostModel a5() {
    return A2A3.named("a5-2", "910B numbers: no figures for the 950 family are published");
  }

  /** For simulations without a chip in mind. */
  public static CostModel generic() {
    return A2A3.named("sim-2", "910B numbers without the 910B limits");
  }

  /** The published measurements that the 910B calibration was fitted to. */
  public static List<Measured> published() {
    return Measured.parse("tget-a2a3.csv", resource("tget-a2a3.csv"));
  }

  static String resource(String name) {
    try (InputStream in = CostModels.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the build lacks " + name);
      }
      Reader reader = new InputStreamReader(in, StandardCharsets.UTF_8);
      return reader.readAllAsString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads a calibration.
   *
   * @param file its name, for messages
   * @throws IllegalArgumentException for an unknown or missing key, or a number out of range, with
   *     a sentence for people
   */
  public static CostModel parse(String file, String text) {
    Properties lines = new Properties();
    try {
      lines.load(new StringReader(text));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> notes = new TreeMap<>();
    for (String number : NUMBERS) {
      String group = group(number);
      notes.put(group, required(file, lines, group + ".source"));
    }
    String remark = lines.getProperty("all.source");
    if (remark != null) {
      notes.put("all", remark);
    }
    TreeSet<String> unknown = new TreeSet<>(lines.stringPropertyNames());
    unknown.removeIf(
        key ->
            NUMBERS.contains(key)
                || key.equals("name")
                || (key.endsWith(".source") && notes.containsKey(group(key))));
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException(
          file
              + ": unknown key '"
              + unknown.first()
              + "'; the keys are name, all.source, "
              + String.join(", ", NUMBERS)
              + " and GROUP.source");
    }
    double[] n = NUMBERS.stream().mapToDouble(key -> number(file, lines, key)).toArray();
    return model(required(file, lines, "name"), n, notes);
  }

  private static CostModel model(String name, double[] n, Map<String, String> notes) {
    return new CostModel(
        name,
        n[0],
        n[1],
        n[2],
        n[3],
        n[4],
        (long) n[5],
        n[6],
        n[7],
        n[8],
        n[9],
        (long) n[10],
        (long) n[11],
        (long) n[12],
        n[13],
        n[14],
        n[15],
        (long) n[16],
        (long) n[17],
        notes);
  }

  /**
   * A model with some numbers changed.
   *
   * @param numbers by their keys, such as load.nanos
   * @param sources where they come from, by group
   */
  static CostModel changed(
      CostModel base, String name, Map<String, Double> numbers, Map<String, String> sources) {
    if (!NUMBERS.containsAll(numbers.keySet())) {
      throw new IllegalArgumentException(numbers.keySet() + " aren't all among " + NUMBERS);
    }
    double[] n = numbers(base);
    for (int i = 0; i < n.length; i++) {
      n[i] = numbers.getOrDefault(NUMBERS.get(i), n[i]);
    }
    Map<String, String> notes = new TreeMap<>(base.provenance());
    notes.putAll(sources);
    return model(name, n, notes);
  }

  /** The text of a calibration, which {@link #parse} reads back. */
  public static String print(CostModel model) {
    double[] n = numbers(model);
    StringBuilder text = new StringBuilder("name = " + model.name() + "\n");
    model.provenance().entrySet().stream()
        .filter(note -> note.getKey().equals("all"))
        .forEach(note -> text.append("all.source = ").append(note.getValue()).append('\n'));
    String group = "";
    for (int i = 0; i < n.length; i++) {
      String key = NUMBERS.get(i);
      if (!group(key).equals(group)) {
        group = group(key);
        String source = model.provenance().getOrDefault(group, "assumption");
        text.append('\n').append(group).append(".source = ").append(source).append('\n');
      }
      text.append(key).append(" = ").append(printed(n[i])).append('\n');
    }
    return text.toString();
  }

  /** In the order of their keys. */
  private static double[] numbers(CostModel model) {
    return new double[] {
      model.loadNanos(),
      model.loadRate(),
      model.storeNanos(),
      model.storeRate(),
      model.remoteNanos(),
      model.remoteChunkBytes(),
      model.asyncNanos(),
      model.asyncRate(),
      model.linkRate(),
      model.portRate(),
      model.notifySendNanos(),
      model.notifyNanos(),
      model.waitNanos(),
      model.vectorNanos(),
      model.vectorRate(),
      model.matrixRate(),
      model.scalarAccessNanos(),
      model.dispatchNanos()
    };
  }

  private static String printed(double value) {
    return value == Math.rint(value)
        ? Long.toString((long) value)
        : String.format(Locale.ROOT, "%.4g", value);
  }

  private static String group(String key) {
    return key.substring(0, key.indexOf('.'));
  }

  private static String required(String file, Properties lines, String key) {
    String value = lines.getProperty(key, "").strip();
    if (value.isEmpty()) {
      throw new IllegalArgumentException(
          file
              + ": '"
              + key
              + "' is missing"
              + (key.endsWith(".source")
                  ? "; say where the numbers come from, or write: assumption"
                  : ""));
    }
    return value;
  }

  private static double number(String file, Properties lines, String key) {
    String text = required(file, lines, key);
    double value;
    try {
      value = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(file + ": " + key + " = '" + text + "' isn't a number", e);
    }
    boolean divisor = key.endsWith("ate");
    if (!(value >= 0 && value <= 1e12) || (divisor && value < 1e-6)) {
      throw new IllegalArgumentException(
          file + ": " + key + " = " + text + " isn't in " + (divisor ? "1e-6" : "0") + "..1e12");
    }
    return value;
  }
}
