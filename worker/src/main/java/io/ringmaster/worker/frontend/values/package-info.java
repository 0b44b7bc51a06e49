/** What the front end computes with: constants, DSL values, symbolic extents, and refusals. */
@NullMarked
package io.ringmaster.worker.frontend.values;

import org.jspecify.annotations.NullMarked;
