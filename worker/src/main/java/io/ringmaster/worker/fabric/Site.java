package io.ringmaster.worker.fabric;

import io.ringmaster.worker.source.Span;

/**
 * An operation in the kernel's text, for messages.
 *
 * @param operation its name as a kernel spells it
 * @param tensor what it touches, as the kernel names it
 */
public record Site(String operation, String tensor, Span span) {}
