package io.ringmaster.worker.script.check;

import io.ringmaster.worker.script.Check;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Makes of the claims of a run the checks that its report shows. */
record CheckList(CheckBook book) {

  /**
   * The checks as they stand now. Comparisons of single numbers made by one expression (in a loop)
   * are one check; other equal names are told apart by a number.
   */
  List<Check> checks() {
    Map<String, List<Claim>> groups = new LinkedHashMap<>();
    for (Claim claim : book.claims()) {
      boolean single =
          book.factsOf(claim).maxAbsDifference() == null && book.factsOf(claim).elements() == 1;
      String key =
          single && claim.kind().equals("comparison")
              ? book.caseOf(claim) + " " + claim.line() + " " + claim.name()
              : "#" + groups.size();
      groups.computeIfAbsent(key, k -> new ArrayList<>()).add(claim);
    }
    Map<String, Integer> seen = new HashMap<>();
    List<Check> checks = new ArrayList<>();
    for (List<Claim> group : groups.values()) {
      String name = group.getFirst().name();
      int count = seen.merge(book.caseOf(group.getFirst()) + " " + name, 1, Integer::sum);
      String unique = count == 1 ? name : name + " #" + count;
      checks.add(group.size() == 1 ? check(group.getFirst(), unique) : together(group, unique));
    }
    return checks;
  }

  /** One check for many comparisons of numbers; the first that failed speaks for all. */
  private Check together(List<Claim> group, String name) {
    long failed = group.stream().filter(claim -> !claim.passed()).count();
    Claim first =
        group.stream().filter(claim -> !claim.passed()).findFirst().orElse(group.getFirst());
    boolean verifies = group.stream().anyMatch(Claim::verifies);
    if (failed == 0 && verifies) {
      first = group.stream().filter(Claim::verifies).findFirst().orElse(first);
    }
    Check one = check(first, name);
    return new Check(
        name,
        one.kind(),
        failed == 0,
        verifies,
        one.line(),
        group.size(),
        failed,
        null,
        List.of(),
        null,
        null,
        one.explanation(),
        Optional.empty(),
        Optional.empty(),
        one.test());
  }

  private Check check(Claim claim, String name) {
    Facts of = book.factsOf(claim);
    return new Check(
        name,
        claim.kind(),
        claim.passed(),
        claim.verifies(),
        claim.line(),
        of.elements(),
        mismatches(claim, of),
        of.maxAbsDifference(),
        of.maxAt(),
        of.rtol(),
        of.atol(),
        explanation(claim, of),
        of.actual(),
        of.expected(),
        book.caseOf(claim));
  }

  /** How many elements speak against it: none for one that came out as the script wants. */
  private static long mismatches(Claim claim, Facts of) {
    if (!claim.passed()) {
      return Math.max(1, of.mismatches());
    }
    return claim.wantsDifference() || claim.excused() ? of.mismatches() : 0;
  }

  private static String explanation(Claim claim, Facts of) {
    String untouched = claim.origin().untouched();
    if (claim.excused()) {
      return "it doesn't hold, and the script goes on all the same";
    }
    if (claim.passed() && !claim.whyBlind(of).isEmpty()) {
      return claim.whyBlind(of);
    }
    if (claim.passed() && claim.wantsDifference()) {
      return Claim.WANTED_DIFFERENCE;
    }
    if (claim.passed()) {
      return untouched.isEmpty()
          ? claim.onlyPart()
          : untouched + "; the host's own bytes agree there";
    }
    if (!claim.ruined().isEmpty()) {
      return claim.ruined();
    }
    if (claim.wantsDifference() || (!claim.wanted() && of.explanation().isEmpty())) {
      return "the script wants a difference here, and there is none";
    }
    return Stream.of(of.explanation(), untouched)
        .filter(words -> !words.isEmpty())
        .collect(Collectors.joining("; "));
  }
}
