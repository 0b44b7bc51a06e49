package io.ringmaster.worker.isolated;

import io.ringmaster.worker.isolated.Wire.Frame;
import io.ringmaster.worker.isolated.Wire.Garbled;
import io.ringmaster.worker.job.Versions;
import io.ringmaster.worker.process.Output;
import io.ringmaster.worker.process.ProcFiles;
import io.ringmaster.worker.process.ProcessTree;
import io.ringmaster.worker.process.Signals;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A child process, from its start to the end of everything that it has started. Used by one thread
 * at a time; nothing here waits for the child longer than it is told to.
 */
final class Child {

  /** What is kept of what it prints: so many characters of the beginning and of the end. */
  private static final int MOST_PRINTED = 16_384;

  /** Whoever prints more than that for one task has lost its way. */
  private static final long MOST_NOISE = 64L << 20;

  /** What may come on its pipe before it says that it speaks: words of the JVM. */
  private static final int MOST_BEFORE_MARK = 1 << 16;

  private static final int MOST_WORDS = 700;
  private static final String CRASHED_IN = "Problematic frame:";
  private static final Duration LAST_WORDS = Duration.ofMillis(500);

  private final Process process;
  private final ProcessTree tree;
  private final Output printed;
  private final Counting noise;
  private final BlockingQueue<Said> heard = new ArrayBlockingQueue<>(4);
  private final BlockingQueue<Frame> toSay = new LinkedBlockingQueue<>();
  private final AtomicReference<@Nullable Garbled> garbled = new AtomicReference<>();
  private final AtomicLong tasks = new AtomicLong(ThreadLocalRandom.current().nextLong() >>> 1);
  private final Thread reader;
  private final Thread writer;
  private volatile boolean ready;
  private volatile long idleSince;

  /** A message, or nothing for the end of all messages. */
  private record Said(Optional<Frame> frame) {}

  /** Counts what is printed. */
  private static final class Counting extends java.io.FilterInputStream {
    private final AtomicLong bytes = new AtomicLong();

    Counting(InputStream in) {
      super(in);
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
      int count = super.read(into, from, length);
      bytes.addAndGet(Math.max(0, count));
      return count;
    }
  }

  private Child(Process process, String mark) {
    this.process = process;
    this.tree = new ProcessTree(new Signals(), (ChildProgram.MARK + "=" + mark)::equals);
    tree.leader(process.pid());
    this.noise = new Counting(process.getErrorStream());
    this.printed = new Output(noise, MOST_PRINTED / 2, _ -> {});
    this.reader = Thread.ofPlatform().name("child-reader").daemon().start(() -> hear(mark));
    this.writer = Thread.ofPlatform().name("child-writer").daemon().start(this::say);
  }

  /**
   * Starts one.
   *
   * @throws IOException when that can't be done
   */
  static Child start(ChildProgram program) throws IOException {
    String mark = UUID.randomUUID().toString();
    return new Child(program.start(mark), mark);
  }

  private void hear(String mark) {
    try (InputStream from = process.getInputStream()) {
      skipTo(greeting(mark), from);
      while (true) {
        var frame = Wire.read(from);
        heard.put(new Said(frame));
        if (frame.isEmpty()) {
          return;
        }
      }
    } catch (Garbled e) {
      garbled.set(e);
      end(heard);
    } catch (IOException e) {
      end(heard); // the pipe is gone with the process
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void end(BlockingQueue<Said> heard) {
    try {
      heard.put(new Said(Optional.empty()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What a child says first, that its messages can be told from words of the JVM before them. */
  static byte[] greeting(String mark) {
    return ('\u0002' + mark).getBytes(StandardCharsets.US_ASCII);
  }

  private static void skipTo(byte[] mark, InputStream from) throws IOException {
    int found = 0;
    for (int n = 0; found < mark.length; n++) {
      int next = from.read();
      if (next < 0) {
        throw new IOException("it ended before it said anything");
      }
      if (n > MOST_BEFORE_MARK) {
        throw new Garbled("it prints without end and never says that it is ready");
      }
      // The first character is nowhere else in it, so there is nothing to go back to.
      found = next == mark[found] ? found + 1 : next == mark[0] ? 1 : 0;
    }
  }

  private void say() {
    try (OutputStream to = process.getOutputStream()) {
      while (true) {
        Frame frame = toSay.take();
        Wire.write(to, frame.kind(), frame.task(), frame.body());
      }
    } catch (IOException e) {
      // It doesn't listen any more: its end, or its silence, says the rest.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The number of a new task. */
  long newTask() {
    noise.bytes.set(0);
    return tasks.incrementAndGet();
  }

  /** Says something, whether it listens or not. */
  void say(Wire.Kind kind, long task, byte[] body) {
    toSay.add(new Frame(kind, task, body));
  }

  /**
   * What it says next.
   *
   * @return empty when it has said nothing for so long, or ended
   * @throws Garbled when it says what nobody should say
   */
  Optional<Frame> next(Duration patience) throws Garbled, InterruptedException {
    Said said = heard.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
    if (noise.bytes.get() > MOST_NOISE) {
      throw new Garbled("it printed more than " + (MOST_NOISE >> 20) + " MiB");
    }
    if (said == null) {
      return Optional.empty();
    }
    if (said.frame().isEmpty()) {
      heard.add(said); // it stays the last word, for whoever asks again
      Garbled why = garbled.get();
      if (why != null) {
        throw why;
      }
      if (!process.waitFor(LAST_WORDS.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new Garbled("it hung up and lives on");
      }
    }
    return said.frame();
  }

  /** Whether it has said that it is ready; the rest of what it says belongs to a task. */
  boolean isReady() {
    return ready;
  }

  /** Takes its first message. */
  void greeted(Frame hello) throws Garbled {
    if (hello.kind() != Wire.Kind.HELLO || !hello.text().equals(Versions.product())) {
      throw new Garbled("it is another version than this process (" + Versions.product() + ")");
    }
    ready = true;
  }

  /** Whether it has ended, and everything that it said has been heard. */
  boolean isOver() {
    Said next = heard.peek();
    return !process.isAlive()
        && (next == null ? !reader.isAlive() : next.frame().isEmpty())
        && garbled.get() == null;
  }

  /** Whether its first process lives. */
  boolean isAlive() {
    return process.isAlive();
  }

  /** Looks who belongs to it, so that nobody who moves away later is missed. */
  void look() {
    var _ = tree.look();
  }

  /** Whether it lives alone, says nothing unasked and could take a task. */
  boolean isClean() {
    return process.isAlive()
        && heard.isEmpty()
        && tree.look().stream().allMatch(entry -> entry.pid() == process.pid());
  }

  /** It has no task from now on; when that was, by which one such time is told from another. */
  long rest() {
    idleSince = System.nanoTime();
    return idleSince;
  }

  /** Whether it has had no task since then. */
  boolean restsSince(long then) {
    return idleSince == then;
  }

  /** How its first process ended, in words. */
  String death() {
    int code = process.exitValue();
    int signal = code - 128;
    String name =
        switch (signal) {
          case 4 -> " (SIGILL)";
          case 6 -> " (SIGABRT)";
          case 7 -> " (SIGBUS)";
          case 8 -> " (SIGFPE)";
          case 9 -> " (SIGKILL; the kernel sends it, too, when memory is short)";
          case 11 -> " (SIGSEGV)";
          case 15 -> " (SIGTERM)";
          default -> "";
        };
    return signal > 0 && signal < 65 ? "by signal " + signal + name : "with exit code " + code;
  }

  /** The last that it printed, on one line; empty when that is nothing. */
  String lastWords() {
    var lines =
        printed
            .text(LAST_WORDS)
            .lines()
            .map(line -> line.strip().replaceAll("^#\\s*", ""))
            .filter(line -> !line.isEmpty() && !line.contains("Picked up J"))
            .toList();
    int frame = lines.indexOf(CRASHED_IN);
    if (frame >= 0 && frame + 1 < lines.size()) {
      // The JVM says a lot when native code crashes; this is what helps.
      return lines.stream().filter(line -> line.startsWith("SIG")).findFirst().orElse("a crash")
          + " in "
          + lines.get(frame + 1);
    }
    String all = String.join(" | ", lines);
    int from = Math.max(0, all.length() - MOST_WORDS);
    return from == 0 ? all : "... " + all.substring(from);
  }

  /**
   * Ends it and all that it has started, whatever they do about it.
   *
   * @return those that live all the same
   */
  List<Long> end(Patience patience) {
    writer.interrupt();
    boolean interrupted = false;
    if (!process.isAlive()) {
      tree.leaderHasEnded();
    }
    while (true) {
      try {
        var left = tree.end(patience.polite(), patience.kill());
        boolean ended = process.waitFor(patience.kill().toNanos(), TimeUnit.NANOSECONDS);
        reader.interrupt();
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        return left.isEmpty() && !ended
            ? List.of(process.pid())
            : left.stream().map(ProcFiles.Entry::pid).toList();
      } catch (InterruptedException e) {
        // Whoever has to stop must still end what it began.
        interrupted = true;
      }
    }
  }
}
