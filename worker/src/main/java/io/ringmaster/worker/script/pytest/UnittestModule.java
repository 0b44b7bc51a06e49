package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Value;
import java.util.Map;

/**
 * The part of {@code unittest} that isn't written in Python: its cases run as pytest runs them, so
 * what they expect to be raised is what {@code pytest.raises} expects.
 */
public final class UnittestModule {

  /** The member that marks the classes of {@code unittest.TestCase}. */
  private static final String CASE = "_unittest_";

  public static final ModuleValue MODULE =
      new ModuleValue(
          "unittest",
          Map.of("_raises", NativeFunction.of("_raises", "expected, *, match=", Raises::named)));

  private UnittestModule() {}

  /** Whether a class derives from {@code unittest.TestCase}. */
  static boolean isCase(ClassValue type) {
    return type.member(CASE).filter(Value.TRUE::equals).isPresent();
  }
}
