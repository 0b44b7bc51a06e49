package io.ringmaster.worker.script.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Tells which of the elements that a kernel left without a number the checks of a run account for:
 * NaN is above no bound and below none, so many a comparison holds where it shouldn't.
 */
public final class Nans {

  private final CheckBook book;

  public Nans(CheckBook book) {
    this.book = book;
  }

  /**
   * What is left of some elements of an output when those are taken out that a check holds against
   * a golden which is NaN there, too.
   *
   * @param nans elements of the output, as it was handed over, that are NaN
   */
  public BitSet unaccounted(Output output, BitSet nans) {
    BitSet left = (BitSet) nans.clone();
    for (Claim claim : book.claims()) {
      if (claim.passed() && claim.origin().reads().outputs().contains(output)) {
        BitSet looked = looked(claim, output);
        looked.and(nans);
        if (book.factsOf(claim).withoutValue() >= looked.cardinality()) {
          left.andNot(looked);
        }
      }
    }
    return left;
  }

  /**
   * What an output would hold if there were numbers where it is NaN: zeros, and those that checks
   * of a case hold it against there.
   *
   * @param values what it holds
   */
  public List<double[]> numbers(String test, Output output, double[] values, BitSet elements) {
    List<double[]> all = new ArrayList<>();
    double[] zeros = values.clone();
    elements.stream().forEach(at -> zeros[at] = 0);
    all.add(zeros);
    for (Claim claim : claims(test, output, elements)) {
      int[] places = looked(claim, output).stream().toArray();
      claim
          .goldenValues()
          .filter(golden -> golden.length == places.length)
          .ifPresent(
              golden -> {
                double[] numbers = zeros.clone();
                for (int i = 0; i < places.length; i++) {
                  if (elements.get(places[i]) && !Double.isNaN(golden[i])) {
                    numbers[places[i]] = golden[i];
                  }
                }
                all.add(numbers);
              });
    }
    return all;
  }

  /** True when a check of a case that counts looks at any of some elements. */
  public boolean isLookedAt(String test, Output output, BitSet elements) {
    return claims(test, output, elements).stream().anyMatch(Claim::verifies);
  }

  /**
   * True when some check holds although fewer of its golden's values are infinite than of the
   * kernel's: something else was put in their place first. Nor is it the golden's own where the
   * kernel was given numbers only.
   */
  public boolean isReplaced(String test, Output output, BitSet elements) {
    for (Claim claim : claims(test, output, elements)) {
      BitSet looked = looked(claim, output);
      int all = looked.cardinality();
      looked.and(elements);
      boolean lacks =
          claim
              .goldenValues()
              .filter(golden -> golden.length == all)
              .filter(
                  golden ->
                      Arrays.stream(golden).filter(Double::isInfinite).count()
                          < looked.cardinality())
              .isPresent();
      if (lacks) {
        return true;
      }
    }
    return false;
  }

  /**
   * The checks of a case look at elements that are NaN, or infinite, and hold all the same. Where a
   * golden is known that has numbers there, that is wrong.
   *
   * @param what {@code NaN}
   */
  public void overlooked(String test, Output output, BitSet elements, long all, String what) {
    String some =
        elements.cardinality() + " of the " + all + " elements of '" + output.name() + "' are ";
    boolean wrong = false;
    for (Claim claim : claims(test, output, elements)) {
      if (claim.hasMoreNans(book.factsOf(claim))) {
        claim.isWrong(some + "NaN where what they are held against is a number");
        wrong = true;
      }
    }
    if (!wrong) {
      new Tried(book)
          .overlooksAll(
              test,
              some
                  + what
                  + ", first element "
                  + elements.nextSetBit(0)
                  + ", and it holds all the same; torch.allclose wouldn't, or only where the golden is "
                  + what
                  + ", too"
                  + (what.equals("NaN") ? " (equal_nan=True)" : ""),
              output);
    }
  }

  private List<Claim> claims(String test, Output output, BitSet elements) {
    return book.claims().stream()
        .filter(claim -> book.caseOf(claim).equals(test) && claim.passed())
        .filter(claim -> claim.origin().reads().outputs().contains(output))
        .filter(claim -> looked(claim, output).intersects(elements))
        .toList();
  }

  private static BitSet looked(Claim claim, Output output) {
    return output.places(claim.origin().reads());
  }
}
