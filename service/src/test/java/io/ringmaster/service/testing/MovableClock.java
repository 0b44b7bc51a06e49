package io.ringmaster.service.testing;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.context.annotation.Primary;
import org.springframework.stereotype.Component;

/** The time of the machine, and so much more or less. */
@Component
@Primary
public final class MovableClock implements InstantSource {

  private final AtomicReference<Duration> offset = new AtomicReference<>(Duration.ZERO);

  public void moveBy(Duration time) {
    var _ = offset.accumulateAndGet(time, Duration::plus);
  }

  @Override
  public Instant instant() {
    return Instant.now().plus(offset.get());
  }
}
