package io.ringmaster.worker.external;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Text with names in braces, such as {@code {devices}}, in place of which values are put. */
final class Template {

  static final String ARGUMENTS = "{arguments}";

  private static final Pattern NAME = Pattern.compile("\\{([A-Za-z]+)}");

  private Template() {}

  /** The names in a text, in their order. */
  static List<String> names(String text) {
    return NAME.matcher(text).results().map(found -> found.group(1)).toList();
  }

  /** A text with the values; each of its names has one. */
  static String fill(String text, Map<String, String> values) {
    return NAME.matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(value(values, found.group(1))));
  }

  private static String value(Map<String, String> values, String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("{" + name + "} stands for nothing here");
    }
    return value;
  }

  /** A command with the values; the word {@code {arguments}} becomes as many words as there are. */
  static List<String> fill(
      List<String> command, Map<String, String> values, List<String> arguments) {
    List<String> words = new ArrayList<>();
    for (String word : command) {
      if (word.equals(ARGUMENTS)) {
        words.addAll(arguments);
      } else {
        words.add(fill(word, values));
      }
    }
    return words;
  }
}
