package io.ringmaster.service.cli;

import io.ringmaster.api.client.ApiException;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Asks a service again that is too busy (429) or away for a moment (503), no sooner than it says,
 * for as long as the user allows. Whoever is refused like this hasn't been heard, or says the same
 * under the same key, so that asking again does nothing twice.
 */
final class Retries {

  private static final int TOO_MANY = 429;
  private static final int UNAVAILABLE = 503;

  /** Pauses when the service names none: doubled from the first to the longest. */
  private static final Duration FIRST = Duration.ofSeconds(1);

  private static final Duration LONGEST = Duration.ofSeconds(30);

  private final Duration most;
  private final Consumer<String> notices;
  private final InstantSource clock;
  private final RandomGenerator random = RandomGenerator.getDefault();

  /**
   * Made for one command.
   *
   * @param most how long one question is asked again, from its first refusal on; zero for never
   * @param notices where to say that somebody waits, and why
   */
  Retries(Duration most, Consumer<String> notices, InstantSource clock) {
    this.most = most;
    this.notices = notices;
    this.clock = clock;
  }

  /** A question to the service. */
  interface Call<T> {
    T make() throws ApiException;
  }

  /**
   * The answer.
   *
   * @throws ApiException what the service said last, when it isn't to be asked again
   */
  <T> T ask(Call<T> call) throws ApiException {
    long begin = 0;
    for (int refusals = 0; ; refusals++) {
      try {
        return call.make();
      } catch (ApiException e) {
        if (e.getCode() != TOO_MANY && e.getCode() != UNAVAILABLE) {
          throw e;
        }
        long now = System.nanoTime();
        begin = refusals == 0 ? now : begin;
        Duration pause = pause(e, refusals);
        if (Duration.ofNanos(now - begin).plus(pause).compareTo(most) > 0) {
          throw e;
        }
        notices.accept(
            "the service answers %d; asking again in %.1f s"
                .formatted(e.getCode(), seconds(pause)));
        sleep(pause, e);
      }
    }
  }

  /** At least what the service says, and up to half as much again: so not all come back at once. */
  private Duration pause(ApiException refusal, int refusals) {
    Duration least =
        said(refusal)
            .orElseGet(
                () -> {
                  Duration doubled = FIRST.multipliedBy(1L << Math.min(refusals, 10));
                  return doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
                });
    return least.plusNanos(random.nextLong(Math.max(1, least.toNanos() / 2)));
  }

  /** What {@code Retry-After} says: seconds, or a date. */
  private Optional<Duration> said(ApiException refusal) {
    HttpHeaders headers = refusal.getResponseHeaders();
    if (headers == null) {
      return Optional.empty();
    }
    return headers.firstValue("retry-after").map(String::strip).flatMap(this::duration);
  }

  private Optional<Duration> duration(String text) {
    if (!text.isEmpty() && text.length() <= 9 && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return Optional.of(Duration.ofSeconds(Long.parseLong(text)));
    }
    try {
      var date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      var left = Duration.between(clock.instant(), date);
      return Optional.of(left.isNegative() ? Duration.ZERO : left);
    } catch (DateTimeParseException notADate) {
      return Optional.empty();
    }
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1e3;
  }

  private static void sleep(Duration pause, ApiException refusal) throws ApiException {
    try {
      TimeUnit.NANOSECONDS.sleep(pause.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw refusal;
    }
  }

  /** What to tell the user about a refusal that wasn't asked away. */
  String advice(ApiException refusal) {
    if (refusal.getCode() != TOO_MANY && refusal.getCode() != UNAVAILABLE) {
      return "";
    }
    return said(refusal)
        .map(
            time ->
                "\n  it says to ask again in %d s; --retry-for is %d s"
                    .formatted(time.toSeconds(), most.toSeconds()))
        .orElseGet(() -> "\n  asked again for --retry-for %d s".formatted(most.toSeconds()));
  }
}
