package io.ringmaster.service.metrics;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.core.io.ClassPathResource;
import org.yaml.snakeyaml.Yaml;

/** The list of all metrics: what there is, and what it means. */
final class MetricCatalogue {

  private static final ClassPathResource FILE = new ClassPathResource("metrics/catalogue.yaml");

  private final List<Metric> metrics;

  private MetricCatalogue(List<Metric> metrics) {
    this.metrics = metrics;
  }

  /**
   * One entry.
   *
   * @param name as Prometheus shows it
   * @param type counter, gauge or histogram
   */
  record Metric(
      String name, String type, String unit, List<String> labels, String meaning, String formula) {}

  @SuppressWarnings("unchecked") // the file's shape is fixed, and read by a test
  static MetricCatalogue load() {
    try (var in = FILE.getInputStream()) {
      List<Map<String, Object>> entries = new Yaml().load(in);
      return new MetricCatalogue(
          entries.stream()
              .map(
                  entry ->
                      new Metric(
                          text(entry, "name"),
                          text(entry, "type"),
                          text(entry, "unit"),
                          List.copyOf((List<String>) Objects.requireNonNull(entry.get("labels"))),
                          text(entry, "meaning"),
                          text(entry, "formula")))
              .toList());
    } catch (IOException e) {
      throw new UncheckedIOException("The metric catalogue is not in this build.", e);
    }
  }

  private static String text(Map<String, Object> entry, String key) {
    return String.valueOf(entry.get(key));
  }

  List<Metric> metrics() {
    return metrics;
  }

  Metric get(String name) {
    return metrics.stream()
        .filter(metric -> metric.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(name + " is not in the catalogue."));
  }
}
