/** The simulated device. */
@NullMarked
package io.ringmaster.worker.device.sim;

import org.jspecify.annotations.NullMarked;
