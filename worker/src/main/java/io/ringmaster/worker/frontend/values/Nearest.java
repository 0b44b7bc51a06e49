package io.ringmaster.worker.frontend.values;

import io.ringmaster.worker.source.NearName;
import java.util.Collection;

/** Says which known name a misspelt one was probably meant to be. */
public final class Nearest {

  private Nearest() {}

  /** {@code did you mean 'x'?}, or {@code otherwise} when nothing is close. */
  public static String hint(String wanted, Collection<String> known, String otherwise) {
    return NearName.of(wanted, known).map(name -> "did you mean '" + name + "'?").orElse(otherwise);
  }
}
