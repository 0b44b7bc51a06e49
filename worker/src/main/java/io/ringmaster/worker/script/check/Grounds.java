package io.ringmaster.worker.script.check;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Tells what the checks of a run prove: which bytes of which outputs are held against something
 * that doesn't come from the same program, directly or by way of bytes that are.
 */
final class Grounds {

  private final CheckBook book;
  private final String test;

  /** What was noted as looked at, to be forgotten before the next case. */
  private final List<Output> noted = new ArrayList<>();

  /**
   * The checks of one case: those of other cases vouch for nothing here, as the case may be run
   * without them.
   *
   * @param test node id; empty for what stands around the cases, which is always run
   */
  Grounds(CheckBook book, String test) {
    this.book = book;
    this.test = test;
  }

  private List<Claim> own() {
    return book.of(test).toList();
  }

  /** Those around the cases first. */
  private List<Claim> all() {
    return test.isEmpty() ? own() : Stream.concat(book.of(""), book.of(test)).toList();
  }

  /** Looks at each claim whose sides both come from kernels, until nothing more is grounded. */
  void decide() {
    List<Claim> open = new ArrayList<>();
    for (Claim claim : all()) {
      if (book.caseOf(claim).equals(test) && claim.isDoubtful() && needsGround(claim)) {
        open.add(claim);
      } else {
        verify(claim);
      }
    }
    while (open.removeIf(this::isGrounded)) {
      // Each that is grounded may ground others.
    }
    open.forEach(claim -> claim.provesNothing(why(claim)));
    noted.forEach(Output::startAgain);
  }

  /** What only agrees with what the script had put into an output itself doesn't count. */
  void settle() {
    for (Claim claim : own()) {
      if (claim.passed() && claim.verifies() && claim.origin().leftAlone()) {
        claim.provesNothing(
            "'"
                + claim.origin().reads().outputs().getFirst().name()
                + "' holds the same as before the launch, so a kernel that does nothing passes it");
      } else if (claim.passed() && claim.verifies()) {
        settleValues(claim);
      }
    }
    settleAlterations();
  }

  private void settleValues(Claim claim) {
    long nans = book.factsOf(claim).withoutValue();
    long all = book.factsOf(claim).elements();
    if (!claim.wide().isEmpty()) {
      claim.isUseless(claim.wide());
    } else if (nans > 0 && nans >= all) {
      claim.isUseless("the golden is NaN everywhere, so no value is compared");
    } else if (nans > 0) {
      claim.isPartlyNan(nans, all);
    }
  }

  /**
   * What the script itself had changed after the launch says nothing of the kernel. Nor do the
   * other checks of the same output, as long as none of them has looked at what was changed later:
   * it may have been wrong there.
   */
  private void settleAlterations() {
    Map<Claim, Alteration> altered = new LinkedHashMap<>();
    Reads clean = Reads.NONE;
    for (Claim claim : all()) {
      if (claim.passed() && claim.altered().isPresent()) {
        altered.put(claim, claim.altered().get());
      } else if (claim.passed() && claim.verifies()) {
        clean = clean.and(claim.origin().reads());
      }
    }
    altered.forEach((claim, by) -> claim.isUseless(by.words()));
    for (Alteration by : altered.values()) {
      if (by.reads().without(clean).isEmpty()) {
        continue;
      }
      for (Claim claim : own()) {
        if (claim.passed()
            && claim.verifies()
            && claim.origin().reads().outputs().stream().anyMatch(by.reads().outputs()::contains)) {
          claim.isUseless(by.words());
        }
      }
    }
  }

  /** Notes which bytes the checks that count have looked at. */
  void verifyAll() {
    own().forEach(this::verify);
  }

  private void verify(Claim claim) {
    if (!claim.passed() || !claim.verifies()) {
      return;
    }
    if (claim.isOfTwoPrograms() && isMadeOf(claim.left(), claim.right())) {
      verify(claim.left(), claim.right());
    } else if (claim.isOfTwoPrograms() && isMadeOf(claim.right(), claim.left())) {
      verify(claim.right(), claim.left());
    } else {
      verify(claim.origin().reads(), Reads.NONE);
    }
  }

  /** True when launches that wrote one side have read the other: it only says what to expect. */
  private static boolean isMadeOf(Reads made, Reads of) {
    return made.outputs().stream()
        .allMatch(
            output ->
                of.outputs().stream()
                    .allMatch(input -> output.launch().inputs().outputs().contains(input)));
  }

  /**
   * What an output was made of by the kernel is looked at with it.
   *
   * @param given what only says what is expected
   */
  private void verify(Reads reads, Reads given) {
    Deque<Reads> left = new ArrayDeque<>(List.of(reads));
    while (!left.isEmpty()) {
      Reads next = left.pop();
      for (int i = 0; i < next.outputs().size(); i++) {
        Output output = next.outputs().get(i);
        if (output.verify(next.ranges(i))) {
          noted.add(output);
          left.push(output.launch().inputs().without(given));
        }
      }
    }
  }

  /** Some bytes of outputs, with all that kernels made them of. */
  static Reads withInputs(Reads reads) {
    Reads all = Reads.NONE;
    Deque<Reads> left = new ArrayDeque<>(List.of(reads));
    while (!left.isEmpty()) {
      Reads next = left.pop().without(all);
      all = all.and(next);
      next.outputs().forEach(output -> left.push(output.launch().inputs()));
    }
    return all;
  }

  private boolean needsGround(Claim claim) {
    if (!claim.isOfKernelsOnly()
        || claim.isOfTwoPrograms()
        || claim.left().isEmpty()
        || claim.right().isEmpty()) {
      return false;
    }
    if (claim.isOfDifference()) {
      return true;
    }
    int own = book.moves(claim).map(Print.Moves::oneSided).orElse(0);
    int all = book.moves(claim).map(Print.Moves::count).orElse(0);
    if (own > 0 && own < all) {
      claim.isPartly(all - own, all);
    }
    return own == 0 || 2L * own < all;
  }

  /** True when one side is known to be right, and the other is something else. */
  private boolean isGrounded(Claim claim) {
    boolean grounded =
        isGrounded(claim.left(), claim.right()) || isGrounded(claim.right(), claim.left());
    if (grounded) {
      verify(claim);
    }
    return grounded;
  }

  private static boolean isGrounded(Reads right, Reads other) {
    return isVerified(right) && !other.without(right).isEmpty();
  }

  private static boolean isVerified(Reads reads) {
    for (int i = 0; i < reads.outputs().size(); i++) {
      long[] verified = reads.outputs().get(i).verified();
      if (Reads.difference(reads.ranges(i), verified).length > 0) {
        return false;
      }
    }
    return true;
  }

  private static String why(Claim claim) {
    if (!claim.onlyPart().isEmpty()) {
      return claim.onlyPart();
    }
    Output one = claim.left().outputs().getFirst();
    Output other = claim.right().outputs().getFirst();
    if (one == other) {
      return "both sides come from what the same kernel wrote into '"
          + one.name()
          + "', so a wrong kernel may pass it";
    }
    if (one.launch() == other.launch()) {
      return "both sides come from the same launch, '"
          + one.name()
          + "' and '"
          + other.name()
          + "' of "
          + one.launch().name()
          + ", and no other check says that one of them is right";
    }
    int first = one.launch().line();
    int second = other.launch().line();
    return "both sides come from launches of the same program, "
        + one.launch().name()
        + (first == second
            ? " (line " + first + ")"
            : " (lines " + Math.min(first, second) + " and " + Math.max(first, second) + ")")
        + ", and no other check says that one of them is right";
  }
}
