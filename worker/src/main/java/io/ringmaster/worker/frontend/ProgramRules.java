package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Level;
import java.util.List;
import java.util.Set;

/** The rules that need whole functions: checked once every statement has been read. */
final class ProgramRules {

  private ProgramRules() {}

  /**
   * Checks functions.
   *
   * @param sound those of whose tensors it is known whose storage they are
   */
  static void check(
      List<Function> functions,
      Set<String> sound,
      ProgramSignatures signatures,
      Messages messages) {
    for (Function function : functions) {
      DimRules.check(function, messages);
      UseDiscipline.check(function, signatures, messages);
      Storage storage = new Storage(function, signatures);
      if (sound.contains(function.name())) {
        StorageRules.check(function, storage, messages);
      }
      if (function.level() == Level.HOST) {
        HostRules.check(function, storage, messages);
      } else {
        LikelyMistakes.check(function, storage, messages);
      }
    }
  }
}
