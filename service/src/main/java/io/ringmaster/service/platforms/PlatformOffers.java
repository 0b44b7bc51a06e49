package io.ringmaster.service.platforms;

/** Says which platforms workers elsewhere offer; the fleet knows. */
@FunctionalInterface
public interface PlatformOffers {

  /** Whether a worker that lives offers this platform now. */
  boolean offers(String platform);
}
