package io.ringmaster.worker.fabric;

import java.util.Optional;

/**
 * A rank that hasn't finished when nothing can run any more.
 *
 * @param awaited what it waits for; empty when it waits for another rank's dispatch to finish
 * @param seen the cell's value
 */
public record BlockedRank(int rank, Optional<SignalWait> awaited, int seen, String reason) {}
