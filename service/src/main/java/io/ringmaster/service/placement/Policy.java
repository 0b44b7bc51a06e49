package io.ringmaster.service.placement;

import java.time.Duration;

/**
 * How placement weighs one run against another.
 *
 * @param reservations for how many waiting runs of a pool devices are kept, none overlapping
 * @param grace how much longer than its limit a run may hold its devices
 */
public record Policy(int reservations, Duration grace) {}
