package io.ringmaster.service.config;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.util.Locale;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads that compute for long and must not keep others waiting. Java's own priorities reach the
 * operating system on some systems only; on Linux the virtual machine ignores them unless it is
 * started with a flag that also raises others, so there each thread asks for itself.
 */
public final class BackgroundThreads {

  private static final Logger LOG = LoggerFactory.getLogger(BackgroundThreads.class);

  /** A third of the weight of a normal thread, while both want to run. */
  private static final int NICENESS = 5;

  private BackgroundThreads() {}

  /** Makes daemon threads of low priority. */
  @SuppressWarnings("ThreadPriorityCheck") // nothing is right or wrong because of it
  public static ThreadFactory factory(String name) {
    return task ->
        Thread.ofPlatform()
            .name(name)
            .daemon()
            .priority(Thread.MIN_PRIORITY)
            .unstarted(
                () -> {
                  yieldToOthers();
                  task.run();
                });
  }

  @SuppressWarnings(
      "restricted") // one call of the C library, with the signature it has had for ever
  private static void yieldToOthers() {
    // Elsewhere the call would lower the whole process.
    if (!System.getProperty("os.name").toLowerCase(Locale.ROOT).equals("linux")) {
      return;
    }
    try {
      var linker = Linker.nativeLinker();
      var setPriority =
          linker.downcallHandle(
              linker.defaultLookup().findOrThrow("setpriority"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT));
      // PRIO_PROCESS and 0: on Linux that is the calling thread.
      int result = (int) setPriority.invokeExact(0, 0, NICENESS);
      if (result != 0) {
        LOG.info("{} keeps its normal priority", Thread.currentThread().getName());
      }
    } catch (Throwable e) { // what invokeExact declares; without it all works, only less evenly
      LOG.info("{} keeps its normal priority", Thread.currentThread().getName(), e);
    }
  }
}
