package io.ringmaster.worker.codegen;

import io.ringmaster.worker.source.Span;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A call from HOST to a chip function.
 *
 * @param arguments one per parameter: a tensor view, a context or a raw scalar ({@link Long})
 * @param device the value of {@code device=}
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record DispatchCall(
    CompiledFunction function,
    @Nullable Object[] arguments,
    OptionalLong device,
    java.util.Map<String, Long> dims,
    Span span) {}
