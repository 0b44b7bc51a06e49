@NullMarked
package io.ringmaster.worker.trial;

import org.jspecify.annotations.NullMarked;
