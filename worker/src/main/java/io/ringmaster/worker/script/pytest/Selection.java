package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Nearest;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

/** Chooses the cases that a command line asks for. */
final class Selection {

  private final PytestOptions options;
  private final String file;

  Selection(PytestOptions options, String file) {
    this.options = options;
    this.file = file;
  }

  /**
   * The chosen ones, in the order of the file.
   *
   * @throws io.ringmaster.worker.source.DiagnosticException for an expression that can't be read,
   *     or a node id that no case has
   */
  List<TestItem> of(List<TestItem> items) {
    List<TestItem> chosen = byNodeId(items);
    if (options.keyword().isPresent()) {
      var condition = parsed("-k", options.keyword().get());
      chosen = kept(chosen, item -> condition.holds(name -> hasName(item, name)));
    }
    if (options.mark().isPresent()) {
      var condition = parsed("-m", options.mark().get());
      chosen = kept(chosen, item -> condition.holds(name -> item.mark(name).isPresent()));
    }
    return kept(chosen, item -> options.deselected().stream().noneMatch(id -> matches(item, id)));
  }

  private static List<TestItem> kept(List<TestItem> items, Predicate<TestItem> condition) {
    return items.stream().filter(condition).toList();
  }

  private static NameExpression.Condition parsed(String option, String text) {
    try {
      return NameExpression.parse(text);
    } catch (NameExpression.Malformed e) {
      throw Errors.refuse(
          "Wrong expression passed to '" + option + "': " + text + ": " + e.getMessage(),
          "join parts of names with and, or, not and parentheses",
          Span.NONE);
    }
  }

  private List<TestItem> byNodeId(List<TestItem> items) {
    Set<TestItem> chosen = new LinkedHashSet<>();
    boolean any = false;
    for (String given : options.nodeIds()) {
      any = true;
      List<TestItem> found = kept(items, item -> matches(item, given));
      if (found.isEmpty() && !(items.isEmpty() && isWholeFile(given))) {
        throw unknown(given, items);
      }
      chosen.addAll(found);
    }
    return any ? kept(items, chosen::contains) : new ArrayList<>(items);
  }

  private RuntimeException unknown(String given, List<TestItem> items) {
    List<String> known = new ArrayList<>(items.stream().map(TestItem::nodeId).toList());
    return Errors.refuse(
        "not found: " + given + " (no match in " + file + ")",
        Nearest.hint(file + tail(given), known),
        Span.NONE);
  }

  /** The node id behind the path, with its colons. */
  private static String tail(String nodeId) {
    int colons = nodeId.indexOf("::");
    return colons < 0 ? "" : nodeId.substring(colons);
  }

  private boolean isWholeFile(String given) {
    String path = given.endsWith("/") ? given.substring(0, given.length() - 1) : given;
    return tail(path).isEmpty() && (!path.endsWith(".py") || Collector.baseName(path).equals(file));
  }

  private boolean matches(TestItem item, String given) {
    String tail = tail(given);
    if (tail.isEmpty()) {
      return isWholeFile(given);
    }
    String path = given.substring(0, given.length() - tail.length());
    if (!path.isEmpty() && !Collector.baseName(path).equals(file)) {
      return false;
    }
    String own = tail(item.nodeId());
    return own.equals(tail)
        || own.startsWith(tail + "::")
        || (own.startsWith(tail + "[") && !tail.endsWith("]"));
  }

  /** The names that {@code -k} looks through: file, classes, case, marks. */
  private boolean hasName(TestItem item, String part) {
    String wanted = part.toLowerCase(Locale.ROOT);
    Set<String> names = new LinkedHashSet<>();
    names.add(file);
    item.classes().forEach(type -> names.add(type.name()));
    names.add(item.name());
    item.marks().forEach(mark -> names.add(mark.name()));
    return names.stream().anyMatch(name -> name.toLowerCase(Locale.ROOT).contains(wanted));
  }
}
