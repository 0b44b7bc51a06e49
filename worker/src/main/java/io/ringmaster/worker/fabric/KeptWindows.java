package io.ringmaster.worker.fabric;

import io.ringmaster.worker.tensor.HostAccess;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the windows of one run held at its end, for the next run of the same program. */
public final class KeptWindows {

  private final Map<String, byte[]> contents = new HashMap<>();

  /** Fills a new window with what the buffer of its name held; false if there is nothing. */
  boolean restore(Window window) {
    byte[] bytes = contents.get(window.info().buffer());
    if (bytes == null || bytes.length != size(window)) {
      return false;
    }
    long slot = Window.slotBytes(window.info().logicalBytes());
    for (int local = 0; local < window.size(); local++) {
      MemorySegment.copy(
          MemorySegment.ofArray(bytes), local * slot, window.settled(local), 0, slot);
    }
    return true;
  }

  /** Remembers what windows hold now. */
  void keep(List<Window> windows) {
    for (Window window : windows) {
      byte[] bytes = new byte[Math.toIntExact(size(window))];
      long slot = Window.slotBytes(window.info().logicalBytes());
      for (int local = 0; local < window.size(); local++) {
        HostAccess access = window.access();
        if (access != null) {
          access.reading(window.slice(local).segment(), 0, slot);
        }
        MemorySegment.copy(
            window.settled(local), 0, MemorySegment.ofArray(bytes), local * slot, slot);
      }
      contents.put(window.info().buffer(), bytes);
    }
  }

  private static long size(Window window) {
    return Window.slotBytes(window.info().logicalBytes()) * window.size();
  }
}
