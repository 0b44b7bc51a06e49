package io.ringmaster.service.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Who computes for long leaves the processors to those whom somebody waits for. */
class BackgroundThreadsTest {

  private static final Path STAT = Path.of("/proc/thread-self/stat");

  /** The kernel's name for what it does with a thread: 0 is normal, 19 the least. */
  private static int niceness() {
    try {
      var stat = Files.readString(STAT);
      return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[16]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void theyAskForLessThanOthersAndOnlyForThemselves() throws InterruptedException {
    var seen = new AtomicReference<>(0);
    var thread =
        BackgroundThreads.factory("test-1")
            .newThread(() -> seen.set(Files.exists(STAT) ? niceness() : 5));
    thread.start();
    thread.join();
    assertThat(seen.get()).isEqualTo(5);
    assertThat(thread.getPriority()).isEqualTo(Thread.MIN_PRIORITY);
    assertThat(thread.isDaemon()).isTrue();
    assertThat(Files.exists(STAT) ? niceness() : 0).isZero();
  }
}
