/** The order to stop: one way to give it, one way to look at it; knows no other room. */
@NullMarked
package io.ringmaster.worker.stop;

import org.jspecify.annotations.NullMarked;
