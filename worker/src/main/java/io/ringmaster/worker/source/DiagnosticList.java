package io.ringmaster.worker.source;

import java.util.ArrayList;
import java.util.List;

/** How much of what is wrong with a source is said: the first errors, and how many more follow. */
public final class DiagnosticList {

  /** More than anybody reads. */
  public static final int MOST_SHOWN = 100;

  /** So many that whoever looks for more may stop: a source may be wrong at every character. */
  public static final int MOST_KEPT = 10_000;

  private DiagnosticList() {}

  /**
   * What is said of a source in one sentence: the first error that isn't likely to follow from
   * another one, else the first error, or what else there is first.
   *
   * @param all at least one
   */
  public static String headline(List<Diagnostic> all) {
    List<Diagnostic> errors =
        all.stream().filter(one -> one.severity() == Diagnostic.Severity.ERROR).toList();
    return errors.stream()
        .filter(one -> !one.mayFollow())
        .findFirst()
        .or(() -> errors.stream().findFirst())
        .orElse(all.getFirst())
        .message();
  }

  /** The first of a list; a note counts the rest, at the place where it begins. */
  public static List<Diagnostic> shown(List<Diagnostic> all) {
    if (all.size() <= MOST_SHOWN) {
      return all;
    }
    List<Diagnostic> shown = new ArrayList<>(all.subList(0, MOST_SHOWN));
    int more = all.size() - MOST_SHOWN;
    shown.add(
        new Diagnostic(
            Diagnostic.Severity.NOTE,
            (all.size() < MOST_KEPT ? "and " : "and at least ") + more + " more",
            "correct the first ones and submit again",
            all.get(MOST_SHOWN).span()));
    return List.copyOf(shown);
  }
}
