/** Jobs and their runs: submitting, reading, cancelling, removing. */
@NullMarked
package io.ringmaster.service.jobs;

import org.jspecify.annotations.NullMarked;
