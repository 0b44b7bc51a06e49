package io.ringmaster.worker.script.value;

import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Span;
import java.util.Optional;

/**
 * The circumstances of a call from the script.
 *
 * @param site the call as written; empty when no call expression stands for it
 */
public record Call(Interp interp, Span span, Optional<Expr.Call> site) {}
