/** Which queued run starts next, and on which devices. */
@NullMarked
package io.ringmaster.service.placement;

import org.jspecify.annotations.NullMarked;
