package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Session;

/** The script's own environment variables: none at first, and none of the machine's. */
public final class Environment {

  private final DictValue variables = new DictValue();

  public static DictValue of(Session session) {
    return session.shared(Environment.class, s -> new Environment()).variables;
  }
}
