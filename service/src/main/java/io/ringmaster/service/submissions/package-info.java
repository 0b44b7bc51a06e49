/** Reads submissions, as JSON or as forms, and says everything that is wrong with them at once. */
@NullMarked
package io.ringmaster.service.submissions;

import org.jspecify.annotations.NullMarked;
