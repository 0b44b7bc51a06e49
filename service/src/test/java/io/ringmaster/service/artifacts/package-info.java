/** What holds for the files of runs. */
@NullMarked
package io.ringmaster.service.artifacts;

import org.jspecify.annotations.NullMarked;
