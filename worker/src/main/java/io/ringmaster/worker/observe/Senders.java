package io.ringmaster.worker.observe;

import io.ringmaster.worker.observe.CreditCell.Told;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** The ranks that changed a cell after the first, with what each told first. */
final class Senders {

  /** What one of them told. */
  interface Visit {
    void sender(int rank, Told told);
  }

  /** So many are looked through one by one. */
  private static final int FEW = 16;

  private final List<Told> told = new ArrayList<>(1);
  private int[] ranks = new int[1];

  /** All of them, once they are more than a few. */
  private final BitSet known = new BitSet(0);

  /** Adds one that isn't there yet. */
  void add(int rank, Told what) {
    if (told.size() == ranks.length) {
      ranks = Arrays.copyOf(ranks, 2 * ranks.length);
    }
    ranks[told.size()] = rank;
    told.add(what);
    if (told.size() == FEW) {
      for (int i = 0; i < FEW; i++) {
        known.set(ranks[i]);
      }
    } else if (told.size() > FEW) {
      known.set(rank);
    }
  }

  boolean contains(int rank) {
    if (told.size() >= FEW) {
      return known.get(rank);
    }
    for (int i = 0; i < told.size(); i++) {
      if (ranks[i] == rank) {
        return true;
      }
    }
    return false;
  }

  /** Visits them in the order in which they came. */
  void forEach(Visit visit) {
    for (int i = 0; i < told.size(); i++) {
      visit.sender(ranks[i], told.get(i));
    }
  }
}
