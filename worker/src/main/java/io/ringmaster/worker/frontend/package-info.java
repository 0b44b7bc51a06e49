/** From syntax trees of DSL functions to IR; every language rule and its message lives here. */
@NullMarked
package io.ringmaster.worker.frontend;

import org.jspecify.annotations.NullMarked;
