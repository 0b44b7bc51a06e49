/** Windows, signals and one-sided transfers between the ranks of a domain, bounds included. */
@NullMarked
package io.ringmaster.worker.fabric;

import org.jspecify.annotations.NullMarked;
