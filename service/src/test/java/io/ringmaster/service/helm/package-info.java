/** The chart. */
@NullMarked
package io.ringmaster.service.helm;

import org.jspecify.annotations.NullMarked;
