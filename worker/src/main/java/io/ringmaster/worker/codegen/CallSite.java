package io.ringmaster.worker.codegen;

/**
 * Where a call's results go in the caller's frame.
 *
 * @param slots register per result; negative for a result nobody takes
 * @param scalar whether the register is a scalar's
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record CallSite(int[] slots, boolean[] scalar) {}
