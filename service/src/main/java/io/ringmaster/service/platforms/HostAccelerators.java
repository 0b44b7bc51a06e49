package io.ringmaster.service.platforms;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.worker.job.AcceleratorHost;
import io.ringmaster.worker.job.Accelerators;
import org.springframework.stereotype.Component;

/**
 * The accelerators that the workers inside this process may use, in child processes of it. A driver
 * is foreign code on the service's machine, so it does so only when it is told to; a worker process
 * of its own offers them without that.
 */
@Component
class HostAccelerators {

  private final boolean wanted;
  private final AcceleratorHost host;

  HostAccelerators(RingmasterProperties properties, AcceleratorHost host) {
    this.host = host;
    this.wanted = properties.workers().opencl() && properties.workers().embedded() > 0;
  }

  /** What there is, or why there is nothing. */
  Accelerators now() {
    return wanted
        ? host.accelerators()
        : Accelerators.none(
            "no worker offers it",
            "start `ringmaster worker --platforms opencl` on a host that has one, or set"
                + " ringmaster.workers.opencl=true for the workers of this process");
  }
}
