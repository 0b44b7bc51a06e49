package io.ringmaster.worker.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The cells of one rank's slice of a window that were ever touched. */
final class CellTable {

  /** Cells next to each other are kept together; barriers use a row of them. */
  private static final int PAGE = 32;

  private static final @Nullable CreditCell[] NONE = {};

  private final Map<Long, @Nullable CreditCell[]> pages = new TreeMap<>();
  private @Nullable CreditCell[] lastPage = NONE;
  private long lastNumber = -1;

  @Nullable CreditCell get(long cell) {
    @Nullable CreditCell[] page = page(cell);
    return page.length == 0 ? null : page[(int) (cell % PAGE)];
  }

  void put(CreditCell account) {
    long cell = account.cell();
    if (page(cell).length == 0) {
      lastPage = new @Nullable CreditCell[PAGE];
      lastNumber = cell / PAGE;
      pages.put(lastNumber, lastPage);
    }
    lastPage[(int) (cell % PAGE)] = account;
  }

  private @Nullable CreditCell[] page(long cell) {
    long number = cell / PAGE;
    if (number != lastNumber) {
      lastPage = pages.getOrDefault(number, NONE);
      lastNumber = number;
    }
    return lastPage;
  }

  /** In ascending order. */
  List<CreditCell> all() {
    List<CreditCell> all = new ArrayList<>();
    for (@Nullable CreditCell[] page : pages.values()) {
      for (CreditCell account : page) {
        if (account != null) {
          all.add(account);
        }
      }
    }
    return all;
  }
}
