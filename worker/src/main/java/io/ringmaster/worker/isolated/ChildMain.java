package io.ringmaster.worker.isolated;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.device.opencl.OpenCl;
import io.ringmaster.worker.isolated.Messages.Event;
import io.ringmaster.worker.isolated.Messages.Left;
import io.ringmaster.worker.isolated.Wire.Frame;
import io.ringmaster.worker.isolated.Wire.Kind;
import io.ringmaster.worker.job.Accelerators;
import io.ringmaster.worker.job.CalibrationRows;
import io.ringmaster.worker.job.DeviceCheck;
import io.ringmaster.worker.job.JobRunner;
import io.ringmaster.worker.job.ReportJson;
import io.ringmaster.worker.job.Versions;
import io.ringmaster.worker.trial.Algorithm;
import io.ringmaster.worker.trial.Bench;
import io.ringmaster.worker.trial.Trial;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The child: does tasks one after the other, as it is told through stdin, until that ends. It has
 * no state beside what {@link JobRunner} keeps, which no job can tell.
 */
public final class ChildMain {

  private static final long LOOK_EVERY_MILLIS = 200;

  /** Exit codes that tell where it ended. */
  private static final int NO_TASKS = 70;

  private static final int BROKEN = 71;

  private final InputStream from;
  private final OutputStream to;
  private final JobRunner runner = new JobRunner();
  private final BlockingQueue<Frame> asked = new LinkedBlockingQueue<>();
  private volatile long current;
  private volatile boolean cancelled;

  /** The function that was told of last; guarded, as the next, by the stream to the parent. */
  private String told = "";

  private boolean working;

  private ChildMain(InputStream from, OutputStream to) {
    this.from = from;
    this.to = to;
  }

  /** Started by {@link ChildProgram} only. */
  public static void main(String[] args) throws IOException, InterruptedException {
    String mark = System.getenv(ChildProgram.MARK);
    if (mark == null) {
      System.err.println("This process is started by Ringmaster itself, for accelerators.");
      System.exit(NO_TASKS);
      return;
    }
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, failure) -> {
          System.err.println(thread.getName() + ": " + failure);
          Runtime.getRuntime().halt(BROKEN);
        });
    var pipes = Descriptors.takeOver();
    pipes.to().write(Child.greeting(mark));
    var child = new ChildMain(pipes.from(), pipes.to());
    child.say(Kind.HELLO, 0, Versions.product().getBytes(StandardCharsets.UTF_8));
    Thread.ofPlatform().name("listen").daemon().start(child::listen);
    Thread.ofPlatform().name("tell").daemon().start(child::tell);
    child.work();
  }

  /** Hears what is wanted; without a parent there is nobody to work for. */
  private void listen() {
    try {
      for (var frame = Wire.read(from); frame.isPresent(); frame = Wire.read(from)) {
        hear(frame.get());
      }
      leave(0);
    } catch (IOException e) {
      System.err.println("its parent can't be heard: " + e.getMessage());
      leave(NO_TASKS);
    }
  }

  private synchronized void hear(Frame frame) {
    if (frame.kind() == Kind.CANCEL) {
      cancelled |= frame.task() == current;
    } else {
      current = frame.task();
      cancelled = false;
      asked.add(frame);
    }
  }

  /** Ends this process and what a driver may have started from it. */
  private static void leave(int code) {
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
    Runtime.getRuntime().halt(code);
  }

  /** Tells which function of the driver doesn't return. */
  private void tell() {
    Optional<String> before = Optional.empty();
    try {
      while (true) {
        TimeUnit.MILLISECONDS.sleep(LOOK_EVERY_MILLIS);
        var now = OpenCl.doing();
        tell(now.isPresent() && now.equals(before) ? now.get() : "");
        before = now;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void tell(String stuck) {
    synchronized (to) {
      if (working && !stuck.equals(told)) {
        told = stuck;
        say(Kind.DOING, current, stuck.getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private void work() throws InterruptedException {
    while (true) {
      Frame task = asked.take();
      synchronized (to) {
        told = "";
        working = true;
      }
      try {
        over(Kind.RESULT, task, result(task));
      } catch (IOException | RuntimeException | StackOverflowError | OutOfMemoryError e) {
        over(Kind.FAILED, task, brief(e));
      }
    }
  }

  /** Says the last word of a task. */
  private void over(Kind kind, Frame task, String text) {
    synchronized (to) {
      working = false;
      say(kind, task.task(), text.getBytes(StandardCharsets.UTF_8));
    }
  }

  private String result(Frame task) throws IOException {
    return switch (task.kind()) {
      case PROBE -> ReportJson.print(Accelerators.ofThisProcess());
      case JOB -> job(task);
      case CHECK -> check(task);
      case BENCH -> bench(task);
      case CALIBRATE -> {
        var wanted = Messages.read(task, Messages.Check.class);
        yield ReportJson.print(
            new Messages.Rows(CalibrationRows.measured(wanted.quick(), text -> says(task, text))));
      }
      default -> throw new IllegalArgumentException("there is no task " + task.kind());
    };
  }

  private String job(Frame task) throws IOException {
    var job = Messages.read(task, Messages.Job.class);
    var spec = Objects.requireNonNull(job.spec(), "a task has its submission").spec();
    return ReportJson.write(runner.run(spec, new Teller(this, task.task(), job)));
  }

  private String check(Frame task) throws IOException {
    var wanted = Messages.read(task, Messages.Check.class);
    return ReportJson.print(
        new DeviceCheck(
                wanted.quick(), Duration.ofSeconds(wanted.seconds()), text -> says(task, text))
            .run());
  }

  private void says(Frame task, String text) {
    say(Kind.LOG, task.task(), Event.of(0, text));
  }

  private static String bench(Frame task) throws IOException {
    var wanted = Messages.read(task, Messages.Measurement.class);
    var algorithm =
        Algorithm.named(
                Objects.requireNonNull(wanted.collective()),
                Objects.requireNonNull(wanted.algorithm()))
            .orElseThrow();
    var trial =
        new Trial(algorithm, wanted.ranks(), wanted.bytes(), HardwareProfile.opencl(), true);
    return ReportJson.print(
        Bench.measure(
            trial,
            Objects.requireNonNull(wanted.watch()),
            wanted.warmUps(),
            wanted.runs(),
            Duration.ofSeconds(wanted.seconds())));
  }

  private static String brief(Throwable e) {
    String text = e.toString();
    return text.substring(0, Math.min(text.length(), 2000));
  }

  boolean isCancelled() {
    return cancelled;
  }

  void say(Kind kind, long task, Event event) {
    say(kind, task, Messages.json(event));
  }

  void say(Kind kind, long task, Left left) {
    say(kind, task, Messages.json(left));
  }

  /** Says something; whose parent has gone has nobody to say it to. */
  void say(Kind kind, long task, byte[] body) {
    synchronized (to) {
      try {
        Wire.write(to, kind, task, body);
      } catch (IOException e) {
        leave(NO_TASKS);
      }
    }
  }
}
