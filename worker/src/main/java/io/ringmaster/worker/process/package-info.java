/** Processes of this host: who belongs to whom, what they print, and how to end all of them. */
@NullMarked
package io.ringmaster.worker.process;

import org.jspecify.annotations.NullMarked;
