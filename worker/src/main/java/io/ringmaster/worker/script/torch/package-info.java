/** The part of torch that drivers and goldens use. */
@NullMarked
package io.ringmaster.worker.script.torch;

import org.jspecify.annotations.NullMarked;
