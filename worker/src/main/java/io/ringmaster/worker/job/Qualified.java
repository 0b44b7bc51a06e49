package io.ringmaster.worker.job;

import io.ringmaster.worker.script.Remark;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * What a green sentence says of the things that its checks leave open: {@code 1 check holds (192 of
 * 256 elements of 'y' never compared)}. The verdict stays, but nobody who reads only the headline
 * takes it for more than it is.
 */
final class Qualified {

  private static final String OPEN = " (";
  private static final String CLOSE = ")";

  private Qualified() {}

  /** A decision, with the first of these remarks and how many there are beside it when PASSED. */
  static VerdictRules.Decision by(VerdictRules.Decision decision, List<Remark> remarks) {
    if (decision.verdict() != Verdict.PASSED || remarks.isEmpty()) {
      return decision;
    }
    int more = remarks.size() - 1;
    return new VerdictRules.Decision(
        Verdict.PASSED,
        decision.sentence()
            + OPEN
            + remarks.getFirst().brief()
            + (more == 0 ? "" : " and " + more + (more == 1 ? " more note" : " more notes"))
            + CLOSE);
  }

  /** The same for the file: the first case that each is about stands before it. */
  static List<Remark> inCases(List<Remark> remarks) {
    return remarks.stream().map(Qualified::inCase).toList();
  }

  private static Remark inCase(Remark remark) {
    String first = remark.tests().isEmpty() ? "" : remark.tests().getFirst();
    return first.isEmpty()
        ? remark
        : new Remark(
            remark.kind(),
            remark.message(),
            first.substring(first.indexOf("::") + 2) + ": " + remark.brief(),
            remark.hint(),
            remark.line(),
            remark.test(),
            remark.tests());
  }

  /** The part of a green sentence that qualifies it, without its parentheses; empty for none. */
  static String of(Verdict verdict, String sentence) {
    int open = sentence.indexOf(OPEN);
    return verdict == Verdict.PASSED && open >= 0 && sentence.endsWith(CLOSE)
        ? sentence.substring(open + OPEN.length(), sentence.length() - CLOSE.length())
        : "";
  }

  /** Puts the run first that speaks for its job: the worst, and of green ones the qualified. */
  static <T> Comparator<T> order(Function<T, Verdict> verdict, Function<T, String> sentence) {
    return Comparator.comparing(verdict)
        .thenComparing(run -> of(verdict.apply(run), sentence.apply(run)).isEmpty());
  }
}
