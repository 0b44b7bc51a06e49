package io.ringmaster.worker.script.check;

import io.ringmaster.worker.script.Check;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** The comparisons of one script run, in the order in which they were made. */
public final class CheckBook {

  private final List<Claim> claims = new ArrayList<>();
  private final IdentityHashMap<Claim, Facts> facts = new IdentityHashMap<>();

  /** Enters a claim; entering it again changes nothing. */
  public void record(Claim claim) {
    for (Claim single : claim.singles()) {
      if (!facts.containsKey(single)) {
        facts.put(single, single.facts());
        claims.add(single);
      }
    }
  }

  /** True when some recorded claim did not come out as wanted. */
  public boolean hasFailure() {
    return claims.stream().anyMatch(claim -> !claim.passed());
  }

  /** The checks as they stand now; equal names are told apart by a number. */
  public List<Check> checks() {
    Map<String, Integer> seen = new HashMap<>();
    List<Check> checks = new ArrayList<>();
    for (Claim claim : claims) {
      int count = seen.merge(claim.name(), 1, Integer::sum);
      checks.add(check(claim, count == 1 ? claim.name() : claim.name() + " #" + count));
    }
    return checks;
  }

  private Check check(Claim claim, String name) {
    Facts of = facts.computeIfAbsent(claim, Claim::facts);
    return new Check(
        name,
        claim.kind(),
        claim.passed(),
        claim.origin().fromKernel(),
        claim.line(),
        of.elements(),
        of.mismatches(),
        of.maxAbsDifference(),
        of.maxAt(),
        of.rtol(),
        of.atol(),
        explanation(claim, of),
        of.actual(),
        of.expected());
  }

  private static String explanation(Claim claim, Facts of) {
    if (claim.passed()) {
      return "";
    }
    if (!claim.origin().neverWritten().isEmpty()) {
      return claim.origin().neverWritten();
    }
    if (!claim.wanted()) {
      return "the script wants a difference here, and there is none";
    }
    return of.explanation();
  }
}
