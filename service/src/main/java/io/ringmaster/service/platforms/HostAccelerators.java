package io.ringmaster.service.platforms;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.worker.job.Accelerators;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * The accelerators that the workers inside this process may use. A driver is foreign code in the
 * process that loads it, so the service does so only when it is told to; a worker process of its
 * own offers them without that.
 */
@Component
class HostAccelerators {

  private final boolean wanted;

  HostAccelerators(RingmasterProperties properties) {
    this.wanted = properties.workers().opencl() && properties.workers().embedded() > 0;
  }

  /** What there is, or why there is nothing. */
  Accelerators now() {
    return wanted
        ? Accelerators.ofThisHost()
        : new Accelerators(
            List.of(),
            "no worker offers it",
            "start `ringmaster worker --platforms opencl` on a host that has one, or set"
                + " ringmaster.workers.opencl=true for the workers of this process");
  }
}
