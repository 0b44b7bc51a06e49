/** The one door through which a kernel is run: a job specification in, a job report out. */
@NullMarked
package io.ringmaster.worker.job;

import org.jspecify.annotations.NullMarked;
