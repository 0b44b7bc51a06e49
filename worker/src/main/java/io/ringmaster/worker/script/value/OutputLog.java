package io.ringmaster.worker.script.value;

import java.util.ArrayDeque;
import java.util.Deque;

/** What a script printed; when it is too much, its middle is dropped and counted. */
public final class OutputLog {

  private final int half;
  private final StringBuilder head = new StringBuilder();
  private final Deque<String> tail = new ArrayDeque<>();
  private long tailLength;
  private long dropped;

  /** Keeps about {@code capacity} characters. */
  public OutputLog(int capacity) {
    this.half = Math.max(1, capacity / 2);
  }

  public void write(String text) {
    int room = half - head.length();
    if (tail.isEmpty() && text.length() <= room) {
      head.append(text);
      return;
    }
    if (tail.isEmpty() && room > 0) {
      head.append(text, 0, room);
      keep(text.substring(room));
    } else {
      keep(text);
    }
  }

  private void keep(String text) {
    String kept = text;
    if (kept.length() > half) {
      dropped += kept.length() - half;
      kept = kept.substring(kept.length() - half);
    }
    tail.addLast(kept);
    tailLength += kept.length();
    while (tailLength > half && tail.size() > 1) {
      int length = tail.removeFirst().length();
      tailLength -= length;
      dropped += length;
    }
  }

  /** The text so far. */
  public String text() {
    String end = String.join("", tail);
    return dropped == 0
        ? head + end
        : head + "\n... " + dropped + " characters of output dropped ...\n" + end;
  }
}
