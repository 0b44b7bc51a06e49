/** The metrics as Prometheus sees them. */
@NullMarked
package io.ringmaster.service.metrics;

import org.jspecify.annotations.NullMarked;
