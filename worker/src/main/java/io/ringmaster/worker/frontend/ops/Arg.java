package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.values.Value;
import io.ringmaster.worker.source.Span;

/** An argument of a call: what it stands for and where it was written. */
public record Arg(Value value, Span span) {}
