/**
 * From text to a syntax tree with positions, and the diagnostics that point into it.
 *
 * <p>{@link io.ringmaster.worker.source.SourceDecoder} makes text of bytes, {@link
 * io.ringmaster.worker.source.PythonParser} a tree of text, {@link
 * io.ringmaster.worker.source.Excerpt} shows the line that a diagnostic points to, and {@link
 * io.ringmaster.worker.source.AstPrinter} text of a tree.
 */
@NullMarked
package io.ringmaster.worker.source;

import org.jspecify.annotations.NullMarked;
