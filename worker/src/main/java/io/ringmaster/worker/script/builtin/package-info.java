/** Built-in functions and the methods of built-in types. */
@NullMarked
package io.ringmaster.worker.script.builtin;

import org.jspecify.annotations.NullMarked;
