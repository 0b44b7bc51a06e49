/** Runs the rank programs: order, virtual clock, deadlock, limits and cancellation. */
@NullMarked
package io.ringmaster.worker.engine;

import org.jspecify.annotations.NullMarked;
