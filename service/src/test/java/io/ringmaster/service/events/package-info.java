/** What holds for streams of events beyond one job. */
@NullMarked
package io.ringmaster.service.events;

import org.jspecify.annotations.NullMarked;
