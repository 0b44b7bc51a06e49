package io.ringmaster.worker.fabric;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Who still needs bytes of a region as they are now. */
final class Loans {

  private final Region lender;
  private final Set<Borrower> borrowers = Collections.newSetFromMap(new IdentityHashMap<>());
  private long from = Long.MAX_VALUE;
  private long to = Long.MIN_VALUE;

  Loans(Region lender) {
    this.lender = lender;
  }

  void add(Borrower borrower, long first, long end) {
    borrowers.add(borrower);
    from = Math.min(from, first);
    to = Math.max(to, end);
  }

  /** Forgets a borrower that needs nothing any more. */
  void remove(Borrower borrower) {
    borrowers.remove(borrower);
    if (borrowers.isEmpty()) {
      from = Long.MAX_VALUE;
      to = Long.MIN_VALUE;
    }
  }

  /** Lets everyone copy what they need of {@code [first, end)}, which is about to change. */
  void callIn(long first, long end) {
    if (first >= to || end <= from) {
      return;
    }
    from = Long.MAX_VALUE;
    to = Long.MIN_VALUE;
    List<Borrower> done = new ArrayList<>();
    for (Borrower borrower : borrowers) {
      borrower.copyFrom(lender, first, end);
      long low = borrower.firstNeeded(lender);
      long high = borrower.endNeeded(lender);
      if (low < high) {
        from = Math.min(from, low);
        to = Math.max(to, high);
      } else {
        done.add(borrower);
      }
    }
    done.forEach(borrowers::remove);
  }
}
