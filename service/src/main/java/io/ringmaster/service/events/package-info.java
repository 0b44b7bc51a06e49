/** Streams of what happens to jobs. */
@NullMarked
package io.ringmaster.service.events;

import org.jspecify.annotations.NullMarked;
