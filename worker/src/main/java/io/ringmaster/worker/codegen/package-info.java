/** From lowered IR to an executable rank program that can pause at every wait. */
@NullMarked
package io.ringmaster.worker.codegen;

import org.jspecify.annotations.NullMarked;
