package io.ringmaster.service.web;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How long a client wants to wait, from {@code ?wait=} or {@code Prefer: wait=}.
 *
 * @param preferred whether it came as a preference, which the reply then has to acknowledge
 */
public record Wait(Duration time, boolean preferred) {

  private static final int MOST_SECONDS = 60;
  private static final Pattern PREFERENCE =
      Pattern.compile("(?:^|[,;\\s])wait\\s*=\\s*\"?([0-9]{1,9})\"?(?:$|[,;\\s])");

  /** The parameter wins over the header; a preference beyond the limit is honoured up to it. */
  public static Wait of(@Nullable Integer parameter, @Nullable String prefer) {
    if (parameter != null) {
      return new Wait(Duration.ofSeconds(parameter), false);
    }
    var match = PREFERENCE.matcher(prefer == null ? "" : prefer);
    return match.find()
        ? new Wait(
            Duration.ofSeconds(Math.min(Integer.parseInt(match.group(1)), MOST_SECONDS)), true)
        : new Wait(Duration.ZERO, false);
  }

  /** The {@code Preference-Applied} header. */
  public Optional<String> applied() {
    return preferred ? Optional.of("wait=" + time.toSeconds()) : Optional.empty();
  }
}
