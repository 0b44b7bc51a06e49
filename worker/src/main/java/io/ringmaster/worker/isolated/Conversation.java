package io.ringmaster.worker.isolated;

import io.ringmaster.worker.isolated.Messages.Event;
import io.ringmaster.worker.isolated.Messages.Left;
import io.ringmaster.worker.isolated.Wire.Frame;
import io.ringmaster.worker.isolated.Wire.Garbled;
import io.ringmaster.worker.job.JobRunner;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.RunControl;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.NpyReader;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** One task of a child: told, followed, and over when it says so or has to be ended. */
final class Conversation {

  private static final Duration LOOK_EVERY = Duration.ofMillis(20);
  private static final long COUNT_EVERY = Duration.ofMillis(500).toNanos();

  /** What a child may say of its runs, outputs apart: more is a fault. */
  private static final long MOST_SAID = 256L << 20;

  /** An array holds no more. */
  private static final long MOST_CONTENT = Integer.MAX_VALUE - 64;

  private static final long MOST_HEADER = 1 << 12;
  private static final long BYTES_OF_EVENT = 1 << 10;

  /** How a task came to its end. */
  sealed interface End {
    /** With this result. */
    record Result(Frame frame) implements End {}

    /** It broke what executed it. */
    record Failed(String why) implements End {}

    /** It was told to stop by whoever wanted it, and did or didn't. */
    record Cancelled() implements End {}

    /** It took longer than it may, and didn't stop by itself. */
    record Late() implements End {}

    /** It wasn't ready in time. */
    record NotReady() implements End {}

    /** It was gone. */
    record Died() implements End {}

    /** It said what nobody should say. */
    record Babbled(String what) implements End {}
  }

  private final Child child;
  private final RunControl control;
  private final Patience patience;
  private final Duration limit;
  private final int runs;
  private final long task;
  private long most;
  private long said;
  private int run;
  private boolean told;
  private boolean late;
  private String phase = "";
  private String doing = "";
  private String place = "";

  /** How long the child took to be ready; the run's time begins then. */
  private Duration start = Duration.ZERO;

  private ByteArrayOutputStream pieces = new ByteArrayOutputStream();

  /**
   * A task that isn't told yet.
   *
   * @param control hears what happens, in this thread
   * @param runs how many runs the task has, 1 for one without
   * @param limit how long each of them may take
   */
  Conversation(Child child, RunControl control, Patience patience, int runs, Duration limit) {
    this.child = child;
    this.control = control;
    this.patience = patience;
    this.runs = runs;
    this.limit = limit;
    this.most = limit.toNanos();
    this.task = child.newTask();
  }

  /** Has the task done. */
  End hold(Wire.Kind kind, byte[] body) {
    boolean interrupted = false;
    long began = System.nanoTime();
    long counted = began;
    long stopAt = Long.MAX_VALUE;
    try {
      while (true) {
        long now = System.nanoTime();
        if (child.isReady() && !told) {
          child.say(kind, task, body);
          told = true;
          start = Duration.ofNanos(now - began);
          began = now;
          for (int each = 0; each < runs; each++) {
            control.mayTake(each, limit.plus(start));
          }
        }
        Optional<Frame> frame = Optional.empty();
        try {
          frame = child.next(LOOK_EVERY);
        } catch (InterruptedException e) {
          interrupted = true; // whoever is interrupted has to stop
        }
        if (frame.isPresent()) {
          Optional<End> over = take(frame.get());
          if (over.isPresent()) {
            return over.get();
          }
          continue;
        }
        if (child.isOver()) {
          return new End.Died();
        }
        now = System.nanoTime();
        if (now - counted > COUNT_EVERY) {
          child.look();
          counted = now;
        }
        boolean cancelled = interrupted || control.isCancelled();
        if (stopAt == Long.MAX_VALUE && (cancelled || (told && now - began > allowed()))) {
          late = !cancelled;
          if (told) {
            child.say(Wire.Kind.CANCEL, task, new byte[0]);
          }
          stopAt = told ? now + patience.stop().toNanos() : now;
        }
        if (now - stopAt >= 0 && stopAt != Long.MAX_VALUE) {
          return late ? new End.Late() : new End.Cancelled();
        }
        if (!told && now - began > patience.start().toNanos()) {
          return new End.NotReady();
        }
      }
    } catch (Garbled e) {
      return new End.Babbled(String.valueOf(e.getMessage()));
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Whether it was told to stop because it took too long. */
  boolean isLate() {
    return late;
  }

  /** Whether the child was ready, and so was told its task. */
  boolean isTold() {
    return told;
  }

  /** The child keeps the limits itself; this is for one that doesn't. */
  private long allowed() {
    return most * runs + patience.stop().toNanos();
  }

  private Optional<End> take(Frame frame) throws Garbled {
    if (!child.isReady()) {
      child.greeted(frame);
      return Optional.empty();
    }
    if (frame.task() != task) {
      throw new Garbled("it answers another task than the one it was given");
    }
    switch (frame.kind()) {
      case RESULT -> {
        return Optional.of(new End.Result(frame));
      }
      case FAILED -> {
        return Optional.of(new End.Failed(frame.text()));
      }
      case DOING -> doing = frame.text();
      case PIECE -> piece(frame.body());
      case OUTPUT -> output(Messages.read(frame, Left.class));
      case OUTPUT_LEFT_OUT -> leftOut(frame.body().length, Messages.read(frame, Left.class));
      case TIMELINE -> timeline(Messages.read(frame, Event.class));
      case PHASE, LOG, MAY_TAKE, COMPILED, LAUNCHED, COMPARED, STOPPING ->
          event(frame.kind(), frame.body().length, Messages.read(frame, Event.class));
      case JOB, PROBE, CHECK, BENCH, CALIBRATE, CANCEL, HELLO ->
          throw new Garbled("it sends " + frame.kind() + ", which isn't for it to say now");
    }
    return Optional.empty();
  }

  private void event(Wire.Kind kind, int length, Event event) throws Garbled {
    count(length);
    requireRun(event.run());
    switch (kind) {
      case PHASE -> {
        phase = event.said();
        control.phase(event.run(), phase);
      }
      case LOG -> control.log(event.run(), event.said());
      case STOPPING -> {
        place = event.said();
        control.stopping(event.run(), place);
      }
      case MAY_TAKE -> mayTake(event);
      case COMPILED -> {
        if (!JobRunner.passes().contains(event.said())) {
          throw new Garbled("it names a pass of the compiler that there isn't");
        }
        control.compiled(event.run(), event.said(), event.number());
      }
      case LAUNCHED -> control.launched(event.run(), event.number());
      case COMPARED -> control.compared(event.run(), type(event.said()), event.real());
      default -> throw new IllegalArgumentException(kind + " is no event");
    }
  }

  private void count(int length) throws Garbled {
    said += length;
    if (said > MOST_SAID) {
      throw new Garbled("it sends more than " + (MOST_SAID >> 20) + " MiB of messages");
    }
  }

  private void leftOut(int length, Left left) throws Garbled {
    count(length);
    requireRun(left.run());
    if (left.name() == null || left.dtype() == null || left.digest() == null) {
      throw new Garbled("it leaves out an output without name, type or digest");
    }
    control.outputLeftOut(left.run(), left.name(), type(left.dtype()), left.digest());
  }

  /** A file of tests has more time; a child can't take as much as it likes. */
  private void mayTake(Event event) throws Garbled {
    Duration all = Duration.ofNanos(event.number());
    if (all.isNegative() || all.compareTo(limit.multipliedBy(JobSpec.Limits.CASES)) > 0) {
      throw new Garbled("it takes more time than a run may have");
    }
    most = Math.max(most, all.toNanos());
    control.mayTake(event.run(), all.plus(start));
  }

  private void requireRun(int number) throws Garbled {
    if (number < 0 || number >= runs) {
      throw new Garbled("it tells of run " + number + " of " + runs);
    }
    run = number;
  }

  private static DType type(String name) throws Garbled {
    try {
      return DType.valueOf(name);
    } catch (IllegalArgumentException e) {
      throw new Garbled("it names an element type that there isn't", e);
    }
  }

  private void piece(byte[] bytes) throws Garbled {
    long most =
        Math.max(
            Math.min(control.mostOutputBytes(), MOST_CONTENT) + MOST_HEADER,
            control.timelineEvents() * BYTES_OF_EVENT);
    if (pieces.size() + (long) bytes.length > Math.min(most, MOST_CONTENT)) {
      throw new Garbled("it sends an output that is larger than asked for");
    }
    pieces.writeBytes(bytes);
  }

  private byte[] content() {
    byte[] all = pieces.toByteArray();
    pieces = new ByteArrayOutputStream();
    return all;
  }

  private void output(Left left) throws Garbled {
    requireRun(left.run());
    if (left.name() == null || left.dtype() == null) {
      throw new Garbled("it sends an output without name or type");
    }
    DType dtype = type(left.dtype());
    try {
      HostTensor read = NpyReader.read(content());
      if (read.dtype().bytes() != dtype.bytes()) {
        throw new Garbled("it sends an output of another type than it says");
      }
      control.output(
          left.run(),
          left.name(),
          new HostTensor(read.buffer(), dtype, read.shape(), read.strides(), read.offset()));
    } catch (IllegalArgumentException e) {
      throw new Garbled("an output that it sends is no tensor", e);
    }
  }

  private void timeline(Event event) throws Garbled {
    requireRun(event.run());
    control.timeline(event.run(), new String(content(), StandardCharsets.UTF_8));
  }

  /** What it was doing when it was last heard of, to go after "while". */
  String lastHeard() {
    String work =
        switch (phase) {
          case "" -> child.isReady() ? "it was reading the submission" : "it was starting";
          case "script" -> "it was evaluating the script";
          case "compile" -> "it was compiling";
          case "run" -> "it was running a kernel";
          default -> "it was in the phase " + phase;
        };
    return work
        + (runs > 1 ? " of run " + (run + 1) : "")
        + (doing.isEmpty() ? "" : " and waited for the driver in " + doing)
        + (place.isEmpty() ? "" : "; " + place);
  }
}
