/** What went wrong with a request, as RFC 9457 problems. */
@NullMarked
package io.ringmaster.service.problems;

import org.jspecify.annotations.NullMarked;
