/** Approved results, and how others differ from them. */
@NullMarked
package io.ringmaster.service.baselines;

import org.jspecify.annotations.NullMarked;
