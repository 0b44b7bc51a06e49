/** The planner by itself. */
@NullMarked
package io.ringmaster.service.placement;

import org.jspecify.annotations.NullMarked;
