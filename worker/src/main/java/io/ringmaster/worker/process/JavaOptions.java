package io.ringmaster.worker.process;

import java.util.List;

/** Options that each Java virtual machine of this product is started with. */
public final class JavaOptions {

  /**
   * What no process may be without. The optimising compiler of JDK 25 may lose an object that it
   * has split up where two paths meet, so that an argument is null now and then; without {@code
   * ReduceAllocationMerges}, as in JDK 21 and 22, it doesn't split those up. (JDK-8347718 was one
   * cause, mended in 24; element-wise operations of the script's tensors met another one in
   * 25.0.3.)
   */
  public static final List<String> NEEDED =
      List.of(
          "--enable-native-access=ALL-UNNAMED",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:-ReduceAllocationMerges");

  private JavaOptions() {}
}
