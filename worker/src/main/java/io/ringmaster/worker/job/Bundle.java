package io.ringmaster.worker.job;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A run that can be repeated anywhere: the submission in full, and the report it gave. As JSON it
 * is one file.
 *
 * @param ringmaster version that made the report
 */
public record Bundle(String ringmaster, JobSpec spec, JobReport report) {

  /** Its name in a zip. */
  public static final String FILE = "bundle.json";

  /** Differences that are spelled out. */
  private static final int MOST_DIFFERENCES = 10;

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  /** What this version made of a submission. */
  public static Bundle of(JobSpec spec, JobReport report) {
    return new Bundle(Versions.product(), spec, report);
  }

  /** One JSON object, which {@link #read} reads. */
  public String json() {
    ObjectNode all = MAPPER.createObjectNode();
    all.put("ringmaster", ringmaster);
    all.setAll((ObjectNode) MAPPER.valueToTree(JobSpecJson.of(spec)));
    all.set("report", tree(report));
    return MAPPER.writeValueAsString(all);
  }

  /**
   * Reads what {@link #json} wrote.
   *
   * @throws IllegalArgumentException when the text is no bundle
   */
  public static Bundle read(String json) {
    try {
      JsonNode all = MAPPER.readTree(json);
      if (!all.hasNonNull("script") || !all.hasNonNull("limits") || !all.hasNonNull("report")) {
        throw new IllegalArgumentException("not a bundle: script, limits or report is missing");
      }
      return new Bundle(
          all.path("ringmaster").asString(""),
          MAPPER.treeToValue(all, JobSpecJson.class).spec(),
          ReportJson.read(all.path("report").toString()));
    } catch (JacksonException e) {
      throw new IllegalArgumentException(
          "not a bundle: it must be the JSON that `ringmaster run FILE --bundle BUNDLE` writes", e);
    }
  }

  /**
   * Where another report of the same submission differs from the kept one, as JSON pointers with
   * both values; wall times aren't compared. Empty when the two are the same.
   */
  public List<String> differences(JobReport again) {
    var found = new ArrayList<String>();
    compare("", tree(report), tree(again), found);
    return found;
  }

  private static JsonNode tree(JobReport report) {
    return MAPPER.readTree(ReportJson.write(report));
  }

  private static void compare(String path, JsonNode one, JsonNode other, List<String> found) {
    if (found.size() >= MOST_DIFFERENCES || one.equals(other)) {
      return;
    }
    if (one.isObject() && other.isObject()) {
      var names = new LinkedHashSet<>(one.propertyNames());
      names.addAll(other.propertyNames());
      for (String name : names) {
        if (!isWallTime(name) && !isRunId(path, name)) {
          compare(path + "/" + name, one.path(name), other.path(name), found);
        }
      }
    } else if (one.isArray() && other.isArray() && one.size() == other.size()) {
      for (int i = 0; i < one.size(); i++) {
        compare(path + "/" + i, one.path(i), other.path(i), found);
      }
    } else {
      found.add(path + ": " + brief(one) + " in the bundle, " + brief(other) + " now");
    }
  }

  /** Times of the machine that ran it; virtual ones are the same everywhere. */
  private static boolean isWallTime(String name) {
    return name.endsWith("Nanos") && !name.contains("irtual");
  }

  /** Runs are numbered by whoever runs them. */
  private static boolean isRunId(String path, String name) {
    return name.equals("id") && path.startsWith("/runs/");
  }

  private static String brief(JsonNode node) {
    String text = node.toString();
    return text.length() <= 80 ? text : text.substring(0, 77) + "...";
  }
}
