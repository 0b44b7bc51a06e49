package io.ringmaster.worker.script.value;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** What a script printed; when it is too much, its middle is dropped and counted. */
public final class OutputLog {

  private final int half;
  private final List<Capture> captures = new ArrayList<>();
  private final StringBuilder head = new StringBuilder();
  private final Deque<String> tail = new ArrayDeque<>();
  private long tailLength;
  private long dropped;

  /** Keeps about {@code capacity} characters. */
  public OutputLog(int capacity) {
    this.half = Math.max(1, capacity / 2);
  }

  /** What is written from now on, by the stream that it goes to, until it is let go. */
  public static final class Capture {
    private final StringBuilder out = new StringBuilder();
    private final StringBuilder err = new StringBuilder();
    private boolean paused;

    /** What went to the one stream since it was asked last. */
    public String takeOut() {
      return take(out);
    }

    public String takeErr() {
      return take(err);
    }

    /** While paused, nothing is kept. */
    public void pause(boolean now) {
      paused = now;
    }

    private static String take(StringBuilder from) {
      String text = from.toString();
      from.setLength(0);
      return text;
    }

    private void add(StringBuilder to, String text, int most) {
      if (!paused) {
        to.append(text, 0, Math.max(0, Math.min(text.length(), most - to.length())));
      }
    }
  }

  /** Begins to keep what is written. */
  public Capture capture() {
    Capture made = new Capture();
    captures.add(made);
    return made;
  }

  public void release(Capture capture) {
    captures.remove(capture);
  }

  public void write(String text) {
    captures.forEach(one -> one.add(one.out, text, 2 * half));
    append(text);
  }

  /** Text that goes to the stream of errors; the log has it in between. */
  public void writeError(String text) {
    captures.forEach(one -> one.add(one.err, text, 2 * half));
    append(text);
  }

  private void append(String text) {
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
