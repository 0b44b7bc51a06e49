package io.ringmaster.worker.script.check;

import io.ringmaster.worker.script.check.Claim.Term;
import java.util.List;

/** The parts of a joined claim, held against each other. */
final class Terms {

  private Terms() {}

  /** True when the same bytes are held against goldens that differ. */
  static boolean areChoice(List<Term> parts) {
    for (int i = 1; i < parts.size(); i++) {
      Claim one = parts.get(i).claim();
      Claim other = parts.get(i - 1).claim();
      if (one.hasOtherGolden(other)
          && !one.origin().reads().within(other.origin().reads()).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** One rank's rows being right says nothing of another's that aren't. */
  static void doubtSome(List<Term> parts) {
    Reads ofTrue = Reads.NONE;
    Reads ofFalse = Reads.NONE;
    for (Term part : parts) {
      Reads reads = part.claim().origin().reads();
      ofTrue = part.holds() ? ofTrue.and(reads) : ofTrue;
      ofFalse = part.holds() ? ofFalse : ofFalse.and(reads);
    }
    for (Term part : parts) {
      Reads others = part.holds() ? ofFalse : ofTrue;
      if (!others.without(part.claim().origin().reads()).isEmpty()) {
        part.claim().provesNothing("it is one of several, and another of them fails");
      }
    }
  }
}
