package io.ringmaster.worker.script;

import java.util.List;
import java.util.Set;

/** The sub-workers of a program as the runtime calls them: functions of the script. */
public interface HostFunctions {

  Set<String> names();

  /**
   * Calls one.
   *
   * @param arguments a {@link io.ringmaster.worker.tensor.HostTensor}, or a number, per parameter
   */
  void call(String name, List<Object> arguments);
}
