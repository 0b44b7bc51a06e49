package io.ringmaster.service.fleet;

import io.ringmaster.service.problems.Quoting;
import io.ringmaster.service.problems.RequestError.Kind;
import io.ringmaster.service.problems.RequestErrors;
import java.util.regex.Pattern;

/** What a pool may be called, in the bodies of requests. */
final class PoolNames {

  private static final Pattern POOL = Pattern.compile("[A-Za-z0-9._-]{1,60}");

  private PoolNames() {}

  /** Notes what is wrong with the body's {@code pool}, if anything is. */
  static void check(String pool, RequestErrors errors) {
    if (!POOL.matcher(pool).matches()) {
      errors.body(
          "/pool",
          Kind.BAD_VALUE,
          "A pool's name has 1 to 60 letters, digits, '.', '_' or '-', got %s."
              .formatted(Quoting.quote(pool)));
    }
  }
}
