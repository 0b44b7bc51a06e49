package io.ringmaster.worker.script;

import io.ringmaster.worker.tensor.HostTensor;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Runs scripts in which a kernel is to copy {@code x}, the numbers 1 to 8, into {@code y}. */
final class Copies {

  private Copies() {}

  private static final String INPUTS =
      """
      x = torch.arange(8, dtype=torch.float32).reshape(2, 4) + 1
      y = torch.zeros(2, 4)
      run(Copy, x, y)
      """;

  static ScriptResult run(String text) {
    return run(text, Scripts::copy);
  }

  static ScriptResult run(String text, Scripts.Kernel kernel) {
    return Scripts.run(
        Scripts.PRELUDE + INPUTS + text.replace("\\n", "\n"), ScriptLimits.DEFAULT, kernel);
  }

  /** A kernel that gives every element of the second tensor 1 too much. */
  static void wrong(List<HostTensor> arguments) {
    Scripts.copy(arguments);
    var y = arguments.get(1).buffer().segment();
    for (int i = 0; i < 8; i++) {
      float value = y.getAtIndex(ValueLayout.JAVA_FLOAT, i);
      y.setAtIndex(ValueLayout.JAVA_FLOAT, i, value + 1);
    }
  }
}
