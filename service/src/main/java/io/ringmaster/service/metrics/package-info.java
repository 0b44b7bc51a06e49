/** What Prometheus sees. */
@NullMarked
package io.ringmaster.service.metrics;

import org.jspecify.annotations.NullMarked;
