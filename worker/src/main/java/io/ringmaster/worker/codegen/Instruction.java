package io.ringmaster.worker.codegen;

/**
 * One step of a function. It runs to its end or not at all: an instruction that returns {@link
 * #YIELD} has had no effect and is executed again later.
 */
@FunctionalInterface
interface Instruction {

  /** Another rank or event comes first; try this instruction again afterwards. */
  int YIELD = -1;

  /** The rank waits; this instruction is executed again once the wait is satisfied. */
  int BLOCK = -2;

  /** The machine's current frame changed. */
  int SWITCH = -3;

  /** The outermost function returned. */
  int DONE = -4;

  /** Executes at {@code pc}; returns the next pc or one of the codes above. */
  int run(Machine machine, Frame frame, int pc);
}
