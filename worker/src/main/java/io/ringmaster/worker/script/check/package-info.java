/** What a script compared, and whether it held. */
@NullMarked
package io.ringmaster.worker.script.check;

import org.jspecify.annotations.NullMarked;
