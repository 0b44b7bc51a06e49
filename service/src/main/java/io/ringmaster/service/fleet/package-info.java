/** The worker processes elsewhere: who they are, and how they get runs and hand in results. */
@NullMarked
package io.ringmaster.service.fleet;

import org.jspecify.annotations.NullMarked;
