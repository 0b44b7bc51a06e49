/** A worker process: leases jobs from a service, runs them and reports. */
@NullMarked
package io.ringmaster.worker.agent;

import org.jspecify.annotations.NullMarked;
