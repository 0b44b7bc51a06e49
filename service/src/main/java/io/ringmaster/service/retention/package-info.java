/** Removing what has been kept long enough. */
@NullMarked
package io.ringmaster.service.retention;

import org.jspecify.annotations.NullMarked;
