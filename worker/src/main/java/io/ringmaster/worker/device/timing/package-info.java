/** A device that computes nothing: for runs that only ask how long something takes. */
@NullMarked
package io.ringmaster.worker.device.timing;

import org.jspecify.annotations.NullMarked;
