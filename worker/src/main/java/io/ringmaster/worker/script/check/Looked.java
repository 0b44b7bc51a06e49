package io.ringmaster.worker.script.check;

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

  /** Elements of an output, as it was handed over, that the checks of a case look at. */
  public long[] looksAt(String test, Output output) {
    Reads reads =
        book.of(test)
            .filter(Claim::counts)
            .map(claim -> claim.origin().reads())
            .reduce(Reads.NONE, Reads::and);
    return output.elements(reads);
  }

  /** What of some bytes no check of a case looks at that counts. */
  public Reads unchecked(String test, Reads reads) {
    return reads.without(lookedAt(test, Claim::counts));
  }

  private Reads lookedAt(String test, Predicate<Claim> kind) {
    return Grounds.withInputs(
        book.of(test)
            .filter(kind)
            .map(claim -> claim.origin().reads())
            .reduce(Reads.NONE, Reads::and));
  }
}
