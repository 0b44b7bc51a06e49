package io.ringmaster.worker.fabric;

import io.ringmaster.worker.source.Span;

/**
 * Data moved by a one-sided operation. {@code from == to} is the self path: payload, but no wire
 * bytes.
 *
 * @param from global rank that held the bytes
 * @param to global rank that receives them
 * @param payloadBytes bytes the kernel asked for
 * @param movedBytes bytes the operation moves, padding included; what a link carries when from !=
 *     to
 */
public record Transfer(
    int rank,
    int from,
    int to,
    Operation operation,
    long payloadBytes,
    long movedBytes,
    Span span,
    long startNanos,
    long endNanos) {}
