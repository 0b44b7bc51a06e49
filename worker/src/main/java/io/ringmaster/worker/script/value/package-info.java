/** The values a script computes with. */
@NullMarked
package io.ringmaster.worker.script.value;

import org.jspecify.annotations.NullMarked;
