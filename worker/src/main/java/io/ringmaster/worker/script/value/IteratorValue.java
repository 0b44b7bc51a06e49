package io.ringmaster.worker.script.value;

import java.util.Iterator;

/** A one-way stream of values: a generator expression, {@code zip(...)}, {@code map(...)}. */
public record IteratorValue(String typeName, Iterator<Value> items) implements Value {}
