package io.ringmaster.worker.script.check;

import io.ringmaster.worker.script.Check;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The comparisons of one script run, in the order in which they were made. */
public final class CheckBook {

  /** What the facts of a claim take. */
  private static final long CLAIM_BYTES = 256;

  private final LongConsumer memory;
  private final List<Claim> claims = new ArrayList<>();
  private final IdentityHashMap<Claim, String> cases = new IdentityHashMap<>();
  private String running = "";
  private final IdentityHashMap<Claim, Facts> facts = new IdentityHashMap<>();

  /**
   * A book without entries.
   *
   * @param memory told how many bytes each new entry takes
   */
  public CheckBook(LongConsumer memory) {
    this.memory = memory;
  }

  /** Enters a claim; entering it again changes nothing. */
  public void record(Claim claim) {
    for (Claim single : claim.singles()) {
      if (!facts.containsKey(single)) {
        memory.accept(CLAIM_BYTES);
        facts.put(single, single.facts());
        claims.add(single);
        cases.put(single, running);
      }
    }
  }

  /** What is recorded from now on belongs to a case of a test file; empty for none. */
  public void beginCase(String nodeId) {
    running = nodeId;
  }

  /** Where the next claim will stand. */
  public int mark() {
    return claims.size();
  }

  /** True when some claim recorded since a mark did not come out as wanted. */
  public boolean hasFailureSince(int mark) {
    return claims.subList(mark, claims.size()).stream().anyMatch(claim -> !claim.passed());
  }

  /** What failed since a mark was meant to fail. */
  public void excuseSince(int mark) {
    claims.subList(mark, claims.size()).stream()
        .filter(claim -> !claim.passed())
        .forEach(Claim::meantToFail);
  }

  /**
   * The checks as they stand now. Comparisons of single numbers made by one expression (in a loop)
   * are one check; other equal names are told apart by a number.
   */
  public List<Check> checks() {
    Map<String, List<Claim>> groups = new LinkedHashMap<>();
    for (Claim claim : claims) {
      boolean single = factsOf(claim).maxAbsDifference() == null && factsOf(claim).elements() == 1;
      String key =
          single && claim.kind().equals("comparison")
              ? caseOf(claim) + " " + claim.line() + " " + claim.name()
              : "#" + groups.size();
      groups.computeIfAbsent(key, k -> new ArrayList<>()).add(claim);
    }
    Map<String, Integer> seen = new HashMap<>();
    List<Check> checks = new ArrayList<>();
    for (List<Claim> group : groups.values()) {
      String name = group.getFirst().name();
      int count = seen.merge(caseOf(group.getFirst()) + " " + name, 1, Integer::sum);
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

  private String caseOf(Claim claim) {
    return cases.getOrDefault(claim, "");
  }

  private Facts factsOf(Claim claim) {
    return facts.computeIfAbsent(claim, Claim::facts);
  }

  private Check check(Claim claim, String name) {
    Facts of = factsOf(claim);
    return new Check(
        name,
        claim.kind(),
        claim.passed(),
        claim.verifies(),
        claim.line(),
        of.elements(),
        of.mismatches(),
        of.maxAbsDifference(),
        of.maxAt(),
        of.rtol(),
        of.atol(),
        explanation(claim, of),
        of.actual(),
        of.expected(),
        caseOf(claim));
  }

  private static String explanation(Claim claim, Facts of) {
    String untouched = claim.origin().untouched();
    if (claim.excused()) {
      return "it doesn't hold, and the script goes on all the same";
    }
    if (claim.passed() && claim.wantsDifference()) {
      return "it doesn't hold, as the script wants";
    }
    if (claim.passed()) {
      return untouched.isEmpty() ? "" : untouched + "; the host's own bytes agree there";
    }
    if (!claim.origin().spoiled().isEmpty()) {
      return claim.origin().spoiled();
    }
    if (!claim.wanted()) {
      return "the script wants a difference here, and there is none";
    }
    return Stream.of(of.explanation(), untouched)
        .filter(words -> !words.isEmpty())
        .collect(Collectors.joining("; "));
  }
}
