package io.ringmaster.service.metrics;

import io.ringmaster.service.testing.Api;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** A parsed exposition in Prometheus' text format. */
record Scrape(Map<String, String> types, Map<String, String> helps, List<Sample> samples) {

  private static final Pattern SAMPLE = Pattern.compile("(\\w+)(?:\\{(.*)})? (\\S+)");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

  record Sample(String name, Map<String, String> labels, double value) {}

  static Scrape of(Api api) {
    var scrape = new Scrape(new LinkedHashMap<>(), new HashMap<>(), new ArrayList<>());
    api.get("/actuator/prometheus").expect(200).text().lines().forEach(scrape::line);
    return scrape;
  }

  private void line(String line) {
    var words = line.split(" ", 4);
    if (line.startsWith("# TYPE ")) {
      types.put(words[2], words[3]);
    } else if (line.startsWith("# HELP ")) {
      helps.put(words[2], words[3]);
    } else if (!line.startsWith("#")) {
      var match = SAMPLE.matcher(line);
      if (match.matches()) {
        var labels = new LinkedHashMap<String, String>();
        LABEL
            .matcher(match.group(2) == null ? "" : match.group(2))
            .results()
            .forEach(label -> labels.put(label.group(1), label.group(2)));
        var value = match.group(3).replace("+Inf", "Infinity");
        samples.add(new Sample(match.group(1), labels, Double.parseDouble(value)));
      }
    }
  }

  List<Sample> named(String name) {
    return samples.stream().filter(sample -> sample.name().equals(name)).toList();
  }

  /** The sum over all series that have these labels, given as name, value, name, value... */
  double sum(String name, String... labels) {
    return named(name).stream()
        .filter(sample -> has(sample, labels))
        .mapToDouble(Sample::value)
        .sum();
  }

  private static boolean has(Sample sample, String... labels) {
    for (int i = 0; i < labels.length; i += 2) {
      if (!labels[i + 1].equals(sample.labels().get(labels[i]))) {
        return false;
      }
    }
    return true;
  }
}
