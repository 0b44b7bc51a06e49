package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.script.value.Value;

/** How a statement ended. */
sealed interface Flow {

  Flow NEXT = new Next();
  Flow BREAK = new Break();
  Flow CONTINUE = new Continue();

  record Next() implements Flow {}

  record Break() implements Flow {}

  record Continue() implements Flow {}

  record Return(Value value) implements Flow {}
}
