package io.ringmaster.worker.fabric;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A piece of memory that a kernel addresses through {@link TensorView}s. */
public abstract sealed class Region permits HostRegion, LocalRegion, WindowSlice {

  private @Nullable Loans loans;

  /**
   * The region's own memory, at least {@link #bytes()} long. Not all of it need hold the region's
   * bytes: {@link Box#here()} and {@link #settle} say where they are.
   */
  public abstract MemorySegment segment();

  /** Bytes a kernel may touch; alignment padding behind them isn't counted. */
  public abstract long bytes();

  /** What the own memory doesn't hold yet; null when it holds everything. */
  @Nullable Deferred deferred() {
    return null;
  }

  /** Puts the bytes {@code [from, to)} into the own memory, where they aren't there yet. */
  public final void settle(long from, long to) {
    Deferred open = deferred();
    if (open != null) {
      open.settle(from, to);
    }
  }

  /** Has to be called before own bytes change: whoever still needs them copies them now. */
  public final void changing(long from, long to) {
    Loans given = loans;
    if (given != null) {
      given.callIn(from, to);
    }
  }

  /** Notes that somebody relies on the bytes {@code [from, to)} of the own memory. */
  public final void lend(Borrower borrower, long from, long to) {
    Loans given = loans;
    if (given == null) {
      given = new Loans(this);
      loans = given;
    }
    given.add(borrower, from, to);
  }

  /** Notes that a borrower needs nothing of this region any more. */
  public final void returned(Borrower borrower) {
    Loans given = loans;
    if (given != null) {
      given.remove(borrower);
    }
  }

  /** Remembers that a kernel wrote {@code [from, to)}; windows keep no record. */
  void recordWrite(long from, long to) {}
}
