package io.ringmaster.worker.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * Takes all that a run prints, from the first character to the last, and keeps the beginning and
 * the end of it. Whoever prints is never kept waiting; what isn't text comes as question marks.
 */
public final class Output {

  private static final int CHUNK = 8192;

  private final int most;
  private final Consumer<String> listener;
  private final StringBuilder head = new StringBuilder();
  private final Deque<String> tail = new ArrayDeque<>();
  private int tailLength;
  private long all;
  private String failure = "";
  private final Thread reader;

  /**
   * Begins to take.
   *
   * @param most characters of the beginning that are kept, and as many of the end
   * @param listener told the beginning as it comes, and the rest in the end
   */
  public Output(InputStream from, int most, Consumer<String> listener) {
    this.most = most;
    this.listener = listener;
    this.reader = Thread.ofPlatform().name("output").daemon().start(() -> take(from));
  }

  private void take(InputStream from) {
    var decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    var chunk = new char[CHUNK];
    try (Reader text = new InputStreamReader(from, decoder)) {
      for (int n = text.read(chunk); n >= 0; n = text.read(chunk)) {
        keep(new String(chunk, 0, n));
      }
    } catch (IOException e) {
      lost(e);
    }
  }

  private synchronized void lost(IOException e) {
    failure = "\n... what came then couldn't be read: " + e.getMessage() + "\n";
  }

  private void keep(String text) {
    String beginning;
    synchronized (this) {
      all += text.length();
      beginning = text.substring(0, Math.min(text.length(), most - head.length()));
      head.append(beginning);
      String rest = text.substring(beginning.length());
      if (!rest.isEmpty()) {
        tail.addLast(rest);
        tailLength += rest.length();
      }
      while (tailLength - most > 0 && tailLength - tail.getFirst().length() >= most) {
        tailLength -= tail.removeFirst().length();
      }
    }
    if (!beginning.isEmpty()) {
      listener.accept(beginning);
    }
  }

  /**
   * What was printed; the middle of a long text is left out, and its place says how much that is.
   *
   * @param patience how long to wait for the last of it once nobody is left who could print
   */
  public String text(Duration patience) {
    boolean whole = isDone(patience);
    String end;
    synchronized (this) {
      var last = new StringBuilder();
      tail.forEach(last::append);
      last.delete(0, Math.max(0, last.length() - most));
      long left = all - head.length() - last.length();
      end =
          (left == 0 ? "" : "\n... " + left + " characters are left out here ...\n")
              + last
              + failure
              + (whole ? "" : "\n... a process that wasn't found still holds this output open\n");
    }
    if (!end.isEmpty()) {
      listener.accept(end);
    }
    return head + end;
  }

  /** Whoever has to stop still waits for this: it is short, and the text would be lost. */
  private boolean isDone(Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    boolean interrupted = false;
    while (true) {
      try {
        boolean done = reader.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        return done;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
  }
}
