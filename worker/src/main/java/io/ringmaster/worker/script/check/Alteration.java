package io.ringmaster.worker.script.check;

/**
 * What a script itself did to an output after a kernel had written it. A comparison made afterwards
 * holds what the script made of it against the golden, not what the kernel left.
 *
 * @param reads the bytes, all of them written by a kernel before
 * @param difference true when something was taken from it: held against nothing but zero, it is a
 *     comparison as good as any
 * @param text the statement
 */
public record Alteration(Reads reads, boolean difference, String text, int line) {

  /** The same where it isn't held against zero as it is. */
  Alteration asRepair() {
    return difference ? new Alteration(reads, false, text, line) : this;
  }

  /** Why a comparison of what was altered doesn't count. */
  String words() {
    Output first = reads.outputs().getFirst();
    return "the script itself had changed '"
        + first.name()
        + "' ("
        + text
        + ", line "
        + line
        + ") after "
        + first.launch().name()
        + " had written it";
  }
}
