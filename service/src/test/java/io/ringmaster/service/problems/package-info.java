/** What messages suggest. */
@NullMarked
package io.ringmaster.service.problems;

import org.jspecify.annotations.NullMarked;
