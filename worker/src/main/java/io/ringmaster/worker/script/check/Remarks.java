package io.ringmaster.worker.script.check;

import io.ringmaster.worker.script.Remark;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the author of a script should know of the checks that hold, once it is decided which of them
 * count.
 */
public final class Remarks {

  private final CheckBook book;
  private final Set<String> green;
  private final List<Launch> launches;

  /**
   * Looks at what is green. What a red case leaves open isn't worth a word: it isn't right.
   *
   * @param green node ids of the cases that hold, empty for what stands around them
   */
  public Remarks(CheckBook book, List<Launch> launches, Set<String> green) {
    this.book = book;
    this.green = Set.copyOf(green);
    launches.forEach(launch -> launch.outputs().forEach(Output::startAgain));
    book.tests().stream()
        .filter(this.green::contains)
        .forEach(test -> new Grounds(book, test).verifyAll());
    // A case may look at what another one, which is red, has launched for both.
    this.launches =
        launches.stream()
            .filter(launch -> this.green.contains(launch.test()) || !launch.isUnseen())
            .toList();
  }

  /** All remarks; none where no check counts. */
  public List<Remark> all() {
    List<Claim> counting = counting();
    if (counting.isEmpty()) {
      return List.of();
    }
    Set<String> cases = counting.stream().map(book::caseOf).collect(Collectors.toSet());
    List<Remark> remarks = new ArrayList<>(Coverage.of(launches, cases));
    counting.stream()
        .filter(claim -> claim.origin().prefilled())
        .forEach(claim -> remarks.add(prefilled(claim)));
    remarks.addAll(
        Coarse.remarks(
            book.coarse().stream().filter(found -> cases.contains(found.test())).toList()));
    remarks.addAll(AlikeInputs.remarks(launches));
    return remarks;
  }

  private List<Claim> counting() {
    return book.claims().stream()
        .filter(claim -> claim.counts() && green.contains(book.caseOf(claim)))
        .toList();
  }

  /**
   * Ranks of the launch with most of them that checks have looked at, by the case that looked;
   * under the empty name that of the whole script.
   */
  public Map<String, Integer> ranks() {
    Map<String, Integer> ranks = new HashMap<>();
    for (Claim claim : counting()) {
      for (Output output : claim.origin().reads().outputs()) {
        ranks.merge(book.caseOf(claim), output.launch().ranks(), Math::max);
        ranks.merge("", output.launch().ranks(), Math::max);
      }
    }
    return ranks;
  }

  private Remark prefilled(Claim claim) {
    return new Remark(
        Remark.Kind.PREFILLED_OUTPUT,
        claim.name()
            + " agrees where no kernel wrote, because the script had put the right values there ("
            + claim.origin().untouched()
            + ")",
        claim.name() + " agrees where no kernel wrote",
        "give the kernel an output of zeros, or compare only what it has to write",
        claim.line(),
        book.caseOf(claim),
        List.of(book.caseOf(claim)));
  }
}
