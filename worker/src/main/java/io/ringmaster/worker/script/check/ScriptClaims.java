package io.ringmaster.worker.script.check;

import java.util.List;
import java.util.stream.Collectors;

/** Claims of a whole script, where no single comparison was seen. */
final class ScriptClaims {

  private ScriptClaims() {}

  /** Something that the script itself compares, and nobody else sees. */
  static Claim unseen(int line) {
    return Claim.of(
        "script",
        "a comparison that only the script sees",
        line,
        true,
        Origin.KERNEL,
        () -> Facts.ofNumbers(true, ""));
  }

  /** The script turns red whatever is changed in these bytes of outputs. */
  static Claim noticing(Reads reads) {
    List<Output> outputs = reads.outputs();
    int line = outputs.stream().mapToInt(output -> output.launch().line()).max().orElse(0);
    String names =
        outputs.stream()
            .map(output -> "'" + output.name() + "'")
            .distinct()
            .collect(Collectors.joining(" or "));
    return Claim.of(
            "script",
            "the script fails when " + names + " is wrong",
            line,
            true,
            Origin.kernel(reads),
            () -> Facts.ofNumbers(true, ""))
        .sound(true);
  }
}
