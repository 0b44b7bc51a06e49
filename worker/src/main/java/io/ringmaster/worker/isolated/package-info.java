/**
 * Runs what touches an accelerator in a process of its own, so that a driver that hangs or crashes
 * can be ended and takes nothing along.
 */
@NullMarked
package io.ringmaster.worker.isolated;

import org.jspecify.annotations.NullMarked;
