package io.ringmaster.worker.script.value;

/** A function bound to its first argument. */
public record MethodValue(Value self, FunctionValue function) implements Value {}
