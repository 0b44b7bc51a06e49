package io.ringmaster.worker.job;

import io.ringmaster.worker.script.Remark;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a green sentence says of the things that its checks leave open: {@code 1 check holds (192 of
 * 256 elements of 'y' never compared; verified at P=2 only)}. The verdict stays, but nobody who
 * reads only the headline takes it for more than it is.
 */
final class Qualified {

  private static final String OPEN = " (";
  private static final String CLOSE = ")";
  private static final String AND = "; ";

  /** One rank has nobody to exchange anything with. */
  private static final String ALONE = "verified at P=1 only: nothing was exchanged";

  /** Of two ranks, a neighbour and everybody else are the same. */
  private static final String PAIR = "verified at P=2 only";

  private Qualified() {}

  /**
   * A decision, with the first of these remarks and how many there are beside it when PASSED.
   *
   * @param ranks of the launch with most of them that checks looked at; 0 where that isn't known
   */
  static VerdictRules.Decision by(VerdictRules.Decision decision, List<Remark> remarks, int ranks) {
    String open = joined(first(remarks), ranks == 1 ? ALONE : ranks == 2 ? PAIR : "");
    return decision.verdict() != Verdict.PASSED || open.isEmpty()
        ? decision
        : new VerdictRules.Decision(Verdict.PASSED, decision.sentence() + OPEN + open + CLOSE);
  }

  private static String first(List<Remark> remarks) {
    if (remarks.isEmpty()) {
      return "";
    }
    int more = remarks.size() - 1;
    return remarks.getFirst().brief()
        + (more == 0 ? "" : " and " + more + (more == 1 ? " more note" : " more notes"));
  }

  private static String joined(String... parts) {
    return Stream.of(parts).filter(part -> !part.isEmpty()).collect(Collectors.joining(AND));
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

  /**
   * What a job says whose runs have all passed.
   *
   * @param sentences of its runs, in order
   */
  static String together(List<String> sentences) {
    if (sentences.size() == 1) {
      return sentences.getFirst();
    }
    String first = "";
    for (int i = 0; i < sentences.size() && first.isEmpty(); i++) {
      String open = notes(of(Verdict.PASSED, sentences.get(i)));
      first = open.isEmpty() ? "" : "run " + (i + 1) + ": " + open;
    }
    List<String> few = sentences.stream().map(Qualified::few).toList();
    String most = few.contains("") ? "" : few.contains(PAIR) ? PAIR : few.getFirst();
    String open = joined(first, most);
    return "all " + sentences.size() + " runs passed" + (open.isEmpty() ? "" : OPEN + open + CLOSE);
  }

  /** Says on how few ranks a run was verified; empty for enough, and where that isn't known. */
  private static String few(String sentence) {
    String open = of(Verdict.PASSED, sentence);
    return Stream.of(ALONE, PAIR).filter(open::endsWith).findFirst().orElse("");
  }

  private static String notes(String open) {
    for (String few : List.of(ALONE, PAIR)) {
      if (open.endsWith(few)) {
        String before = open.substring(0, open.length() - few.length());
        return before.endsWith(AND) ? before.substring(0, before.length() - AND.length()) : before;
      }
    }
    return open;
  }

  /** The part of a green sentence that qualifies it, without its parentheses; empty for none. */
  static String of(Verdict verdict, String sentence) {
    int open = sentence.indexOf(OPEN);
    return verdict == Verdict.PASSED && open >= 0 && sentence.endsWith(CLOSE)
        ? sentence.substring(open + OPEN.length(), sentence.length() - CLOSE.length())
        : "";
  }
}
