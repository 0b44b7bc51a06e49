/**
 * Runs a user's script as foreign processes on a host with the vendor's cards, and ends all of
 * them.
 */
@NullMarked
package io.ringmaster.worker.external;

import org.jspecify.annotations.NullMarked;
