package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Level;
import java.util.List;

/** The rules that need whole functions: checked once every statement has been read. */
final class ProgramRules {

  private ProgramRules() {}

  static void check(List<Function> functions, ProgramSignatures signatures, Messages messages) {
    for (Function function : functions) {
      DimRules.check(function, messages);
      UseDiscipline.check(function, signatures, messages);
      Storage storage = new Storage(function, signatures);
      StorageRules.check(function, storage, messages);
      if (function.level() == Level.HOST) {
        HostRules.check(function, storage, messages);
      }
    }
  }
}
