/** One collective by one algorithm, as a program that can be timed and measured. */
@NullMarked
package io.ringmaster.worker.trial;

import org.jspecify.annotations.NullMarked;
