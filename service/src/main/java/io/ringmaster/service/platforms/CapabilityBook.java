package io.ringmaster.service.platforms;

import io.ringmaster.worker.job.Capabilities;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** What the simulated platforms can do, found out once when somebody first asks. */
@Component
class CapabilityBook {

  private final Map<String, Optional<Capabilities>> known = new ConcurrentHashMap<>();
  private final PlatformCatalog catalog;

  CapabilityBook(PlatformCatalog catalog) {
    this.catalog = catalog;
  }

  /** Empty for what isn't a simulated platform. */
  Optional<Capabilities> of(String platform) {
    // Only names that there are: else anybody could fill the memory with others.
    return catalog.isSimulated(platform)
        ? known.computeIfAbsent(platform, Capabilities::of)
        : Optional.empty();
  }
}
