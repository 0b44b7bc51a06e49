/** From text to a syntax tree with positions, and the diagnostics that point into it. */
@NullMarked
package io.ringmaster.worker.source;

import org.jspecify.annotations.NullMarked;
