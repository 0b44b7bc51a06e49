/** Evaluates a driver script: module level, factories, {@code main()} and pytest-style tests. */
@NullMarked
package io.ringmaster.worker.script;

import org.jspecify.annotations.NullMarked;
