package io.ringmaster.worker.script.check;

import java.util.BitSet;
import java.util.List;
import java.util.Map;

/** What trials have shown of the checks of a case. */
public final class Tried {

  private final CheckBook book;

  public Tried(CheckBook book) {
    this.book = book;
  }

  /** The checks of a case that aren't sure don't notice what is wrong with an output. */
  public void overlooks(String test, Output output, String what) {
    book.of(test)
        .filter(claim -> claim.counts() && !claim.isSure())
        .filter(claim -> claim.origin().reads().outputs().contains(output))
        .forEach(claim -> claim.provesNothing(what));
  }

  /** The checks of a case choose what they hold an output against by what is in it. */
  public void chooses(String test, Output output) {
    book.of(test)
        .filter(claim -> claim.counts() && claim.origin().reads().outputs().contains(output))
        .forEach(claim -> claim.provesNothing(somethingElse(output)));
  }

  public static String somethingElse(Output output) {
    return "it also holds when '"
        + output.name()
        + "' is something else that the script then takes for right";
  }

  /** None of a case's checks counts: they don't notice what a wrong kernel might do. */
  public void overlooks(String test, String what) {
    book.of(test).filter(Claim::counts).forEach(claim -> claim.provesNothing(what));
  }

  /** As {@link #overlooks(String, String)}, also where no comparison was seen. */
  public void overlooksAll(String test, String what, Output output) {
    overlooks(test, what);
    if (book.of(test).findAny().isEmpty()) {
      hidden(test, what, book.glimpsed(test).orElse(output.launch().line()));
    }
  }

  private void hidden(String test, String what, int line) {
    Claim hidden = ScriptClaims.unseen(line);
    hidden.provesNothing(what);
    book.recordFor(test, hidden);
  }

  /** Says of a case's checks that count and aren't sure what of them wasn't tried. */
  public void untried(String test, String what) {
    if (!book.isVerifying(test) && book.of(test).findAny().isEmpty()) {
      book.glimpsed(test).ifPresent(line -> hidden(test, what, line));
    }
    book.of(test)
        .filter(claim -> claim.counts() && !claim.isSure())
        .forEach(claim -> claim.isUntried(what));
  }

  /** The checks of a case that aren't sure don't see how far an output is off. */
  public void isCoarse(String test, Coarse found) {
    List<Claim> looking =
        book.of(test)
            .filter(Claim::counts)
            .filter(claim -> !claim.isSure() || claim.kind().equals("script"))
            .filter(claim -> claim.origin().reads().outputs().contains(found.output()))
            .toList();
    looking.forEach(claim -> claim.isUntried(found.words() + ": " + found.example()));
    int line = looking.isEmpty() ? found.output().launch().line() : looking.getFirst().line();
    book.coarse().add(new Coarse.Found(test, found, line));
  }

  /**
   * Nothing came of a comparison that failed: a script that is green all the same verifies none.
   */
  public void unheeded(String test, String what, int line) {
    overlooks(test, what);
    if (book.of(test).findAny().isEmpty()) {
      hidden(test, what, line);
    }
  }

  /**
   * A case turns red whatever is changed in some outputs, although no comparison was seen.
   *
   * @param untried what was left to try; empty for nothing
   */
  public void vouch(String test, List<Output> outputs, String untried) {
    Reads reads =
        outputs.stream()
            .map(output -> Reads.of(output, output.written()))
            .reduce(Reads.NONE, Reads::and);
    Claim noticing = ScriptClaims.noticing(reads);
    noticing.isUntried(untried);
    book.recordFor(test, noticing);
  }

  /**
   * A case turns red whatever is changed in elements that no check that was seen looks at.
   *
   * @param seen those of each output, by their order
   */
  public void vouchForRest(String test, Map<Output, BitSet> seen) {
    Reads reads =
        seen.entrySet().stream()
            .map(one -> one.getKey().reads(one.getValue()))
            .reduce(Reads.NONE, Reads::and);
    book.recordFor(test, ScriptClaims.noticing(reads));
  }
}
