/** What a device can do: its memory and its tile operations. */
@NullMarked
package io.ringmaster.worker.device;

import org.jspecify.annotations.NullMarked;
