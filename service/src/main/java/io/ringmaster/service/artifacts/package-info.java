/** Files that runs leave: reports, tensors. */
@NullMarked
package io.ringmaster.service.artifacts;

import org.jspecify.annotations.NullMarked;
