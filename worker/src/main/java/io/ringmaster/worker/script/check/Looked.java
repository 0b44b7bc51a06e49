package io.ringmaster.worker.script.check;

import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** Tells what the checks of a run look at, and how surely. */
public final class Looked {

  private final CheckBook book;

  public Looked(CheckBook book) {
    this.book = book;
  }

  /** Cases of which no check is sure to notice a wrong element of all that they look at. */
  public List<String> testsToTry(List<Launch> launches) {
    if (launches.isEmpty()) {
      return List.of();
    }
    return book.cases(launches).stream()
        .filter(test -> !book.isSure(test) || !toTry(test).isEmpty())
        .toList();
  }

  /**
   * True when a later launch reads an output and is looked at as well: what that would have made of
   * a change can't be told without running it.
   */
  public static boolean goesOn(Output output, List<Launch> launches, Predicate<Output> isLookedAt) {
    return launches.subList(launches.indexOf(output.launch()) + 1, launches.size()).stream()
        .filter(later -> later.inputs().outputs().contains(output))
        .anyMatch(later -> later.outputs().stream().anyMatch(isLookedAt));
  }

  /** What only checks of a case look at which aren't sure to notice all. */
  public Reads toTry(String test) {
    Reads sure = lookedAt(test, CheckBook::isSure);
    return book.of(test)
        .filter(claim -> claim.counts() && !claim.isSure())
        .map(claim -> claim.origin().reads().without(sure))
        .reduce(Reads.NONE, Reads::and);
  }

  /** True when no check of a case holds a kernel's values against themselves. */
  public boolean mayVouch(String test) {
    return book.of(test)
        .noneMatch(
            claim ->
                claim.isOfKernelsOnly()
                    || claim.excused()
                    || claim.origin().leftAlone()
                    || claim.isUseless()
                    || claim.altered().isPresent());
  }

  /** True when a check of a case holds, and yet says nothing of what it looks at. */
  public boolean pretends(String test) {
    return book.of(test).anyMatch(Claim::pretends);
  }

  /**
   * The elements of an output, in order, that a kernel wrote and no check of a case looks at that
   * counts; none where they can't be told from others.
   */
  public BitSet rest(String test, Output output) {
    Reads rest = unchecked(test, Reads.of(output, output.written()));
    return rest.isEmpty() || !output.isDense() ? new BitSet() : output.places(rest);
  }

  /** Elements of an output, as it was handed over, that the checks of a case look at. */
  public long[] looksAt(String test, Output output) {
    return output.elements(all(test));
  }

  /** What the checks of a case that look at an output and aren't sure say that they let through. */
  public Coarse.Allowed allowed(String test, Output output) {
    return book.of(test)
        .filter(claim -> claim.counts() && !claim.isSure())
        .filter(claim -> claim.origin().reads().outputs().contains(output))
        .map(Claim::allowed)
        .filter(Coarse.Allowed::isKnown)
        .min(Comparator.comparingDouble(allowed -> allowed.atol() + allowed.rtol()))
        .orElse(Coarse.Allowed.UNKNOWN);
  }

  /** What of some bytes no check of a case looks at that counts. */
  public Reads unchecked(String test, Reads reads) {
    return reads.without(lookedAt(test, Claim::counts));
  }

  /** What checks of a case look at that count and may not see that one of so many parts lacks. */
  public Reads loosely(String test, int parts) {
    Predicate<Claim> tight = claim -> CheckBook.isSure(claim) && claim.facts().showsPartOf(parts);
    return lookedAt(test, claim -> claim.counts() && !tight.test(claim))
        .without(lookedAt(test, tight));
  }

  /**
   * What an output would hold if it held what the checks of a case that count hold it against.
   *
   * @param values what it holds
   */
  public double[] right(String test, Output output, double[] values) {
    double[] right = values.clone();
    book.of(test)
        .filter(Claim::counts)
        .filter(claim -> claim.origin().reads().outputs().contains(output))
        .forEach(
            claim ->
                // Of the many numbers that a loop compares, none has a golden by itself.
                claim
                    .plainGolden()
                    .ifPresent(
                        golden -> put(golden, output.numbers(claim.origin().reads()), right)));
    return right;
  }

  private static void put(double[] golden, int[] places, double[] values) {
    if (golden.length == places.length) {
      for (int i = 0; i < places.length; i++) {
        values[places[i]] = golden[i];
      }
    }
  }

  /** True when it only shows in what becomes of a script that a case compares something. */
  public boolean isByScript(String test) {
    return book.of(test).filter(Claim::counts).anyMatch(claim -> claim.kind().equals("script"));
  }

  /** What the checks of a case look at that count. */
  public Reads all(String test) {
    return book.of(test)
        .filter(Claim::counts)
        .map(claim -> claim.origin().reads())
        .reduce(Reads.NONE, Reads::and);
  }

  private Reads lookedAt(String test, Predicate<Claim> kind) {
    return Grounds.withInputs(
        book.of(test)
            .filter(kind)
            .map(claim -> claim.origin().reads())
            .reduce(Reads.NONE, Reads::and));
  }
}
