/** Listeners on fabric events: traffic, barriers, races, the signal audit and the trace. */
@NullMarked
package io.ringmaster.worker.observe;

import org.jspecify.annotations.NullMarked;
