package io.ringmaster.worker.isolated;

import io.ringmaster.worker.device.Measured;
import io.ringmaster.worker.external.ExternalRunner;
import io.ringmaster.worker.isolated.Conversation.End;
import io.ringmaster.worker.job.AcceleratorHost;
import io.ringmaster.worker.job.Accelerators;
import io.ringmaster.worker.job.DeviceCheck;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobRunner;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.JobSpecJson;
import io.ringmaster.worker.job.ReportJson;
import io.ringmaster.worker.job.RunControl;
import io.ringmaster.worker.job.Verdict;
import io.ringmaster.worker.process.ProcessTree;
import io.ringmaster.worker.process.Signals;
import io.ringmaster.worker.trial.Algorithm;
import io.ringmaster.worker.trial.Bench;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Executes jobs for platform opencl in child processes, and finds out there which devices this host
 * has. A child that did its job and is alone is kept for the next one for a while: its start takes
 * longer than a small job. Any other is ended, with all that it has started. May be shared between
 * threads.
 */
public final class ChildRunner implements AcceleratorHost, AutoCloseable {

  private static final String REPAIR =
      "repair or remove the driver; `./ringmaster device-check` says whether it works";

  /** How long what was begun in time may go on. */
  private static final Duration SLACK = Duration.ofMinutes(2);

  private final Supplier<ChildProgram> program;
  private final Patience patience;
  private final int mostIdle;
  private final Duration slack;
  private final Deque<Child> idle = new ArrayDeque<>();
  private final Object probing = new Object();
  private volatile @Nullable Accelerators found;
  private boolean closed;

  /**
   * A runner that has no child yet.
   *
   * @param atOnce how many jobs there may be at a time; they share the memory
   */
  public ChildRunner(int atOnce) {
    // Most processes never need one, and to find out how it is started takes a while.
    this(() -> ChildProgram.ofThisProduct(atOnce), Patience.STANDARD, atOnce, SLACK);
  }

  ChildRunner(ChildProgram program, Patience patience, int mostIdle) {
    this(() -> program, patience, mostIdle, SLACK);
  }

  /**
   * The same.
   *
   * @param slack how long a measurement may go on after its time
   */
  ChildRunner(Supplier<ChildProgram> program, Patience patience, int mostIdle, Duration slack) {
    this.slack = slack;
    this.program = program;
    this.patience = patience;
    this.mostIdle = mostIdle;
  }

  /**
   * What runs every job, those for opencl in child processes.
   *
   * @param cards runs scripts on this host's cards, if there are some
   * @param atOnce how many jobs there may be at a time
   */
  public static JobRunner jobs(Optional<ExternalRunner> cards, int atOnce) {
    return new JobRunner(cards, new ChildRunner(atOnce));
  }

  /** Asks a child, once in the life of this runner; a driver that hangs is no device. */
  @Override
  public Accelerators accelerators() {
    Accelerators known = found;
    if (known != null) {
      return known;
    }
    synchronized (probing) {
      known = found;
      if (known == null) {
        known =
            ProcessTree.hindrance(new Signals())
                .map(
                    why ->
                        Accelerators.none(
                            "drivers are only used where their processes can be ended: " + why,
                            "use Linux 5.3 or later"))
                .orElseGet(this::probeWithSettings);
        found = known;
      }
      return known;
    }
  }

  private Accelerators probeWithSettings() {
    try {
      return probe();
    } catch (IllegalArgumentException e) {
      return Accelerators.none(String.valueOf(e.getMessage()), "correct that setting");
    }
  }

  private Accelerators probe() {
    Child child;
    try {
      child = take();
    } catch (IOException e) {
      return Accelerators.none(cantStart(e), REPAIR);
    }
    var conversation = new Conversation(child, RunControl.none(), patience, 1, patience.probe());
    var end = hold(child, conversation, Wire.Kind.PROBE, new byte[0]);
    if (end instanceof End.Result result) {
      try {
        var seen = Messages.read(result.frame(), Accelerators.class);
        giveBack(child);
        return seen;
      } catch (Wire.Garbled e) {
        end = new End.Babbled(String.valueOf(e.getMessage()));
      }
    }
    var left = child.end(patience);
    return Accelerators.none(
        switch (end) {
              case End.Late _ ->
                  "the OpenCL driver didn't say within "
                      + patience.probe().toSeconds()
                      + " s which devices there are; "
                      + conversation.lastHeard();
              case End.Cancelled _ -> "the look for devices was interrupted";
              case End.Result _, End.Failed _, End.NotReady _, End.Died _, End.Babbled _ ->
                  "looking for devices failed: " + broken(end, child, conversation);
            }
            + stillThere(left),
        REPAIR);
  }

  @Override
  public JobReport run(JobSpec spec, RunControl control) {
    String devices = accelerators().names(spec.devices().stream().flatMap(List::stream).toList());
    Child child;
    try {
      child = take();
    } catch (IOException e) {
      return JobRunner.ended(spec, Verdict.INFRA, cantStart(e));
    }
    var conversation =
        new Conversation(child, control, patience, spec.devices().size(), spec.limits().wall());
    var job =
        new Messages.Job(JobSpecJson.of(spec), control.timelineEvents(), control.mostOutputBytes());
    var end = hold(child, conversation, Wire.Kind.JOB, Messages.json(job));
    if (end instanceof End.Result result) {
      try {
        JobReport report = report(spec, result);
        return ending(report, conversation.isLate(), spec, child);
      } catch (Wire.Garbled e) {
        end = new End.Babbled(String.valueOf(e.getMessage()));
      }
    }
    var left = child.end(patience);
    if (!left.isEmpty()) {
      control.devicesBroken(
          spec.devices().stream().flatMap(List::stream).distinct().toList(),
          "processes of a run can't be ended: " + left);
    }
    String where = "the process that ran it on " + devices;
    return switch (end) {
      case End.Cancelled _ ->
          JobRunner.ended(
              spec,
              Verdict.CANCELLED,
              "cancelled before it finished; %s didn't stop when told to and was ended while %s%s"
                  .formatted(where, conversation.lastHeard(), stillThere(left)));
      case End.Late _ ->
          JobRunner.ended(
              spec,
              Verdict.TIMED_OUT,
              "%s; %s didn't stop by itself and was ended while %s%s"
                  .formatted(
                      JobRunner.overLimit(spec),
                      where,
                      conversation.lastHeard(),
                      stillThere(left)));
      case End.Result _, End.Failed _, End.NotReady _, End.Died _, End.Babbled _ ->
          JobRunner.ended(
              spec,
              Verdict.INFRA,
              where
                  + " failed while "
                  + conversation.lastHeard()
                  + ": "
                  + broken(end, child, conversation)
                  + stillThere(left));
    };
  }

  /**
   * Compares this host's devices with the simulator.
   *
   * @param progress told what is tried, a line each
   * @throws ChildFailure when the child doesn't come to an end
   */
  public DeviceCheck.Report check(boolean quick, Duration budget, Consumer<String> progress) {
    return ask(
        Wire.Kind.CHECK,
        new Messages.Check(quick, budget.toSeconds()),
        DeviceCheck.Report.class,
        // What was begun in time may end; measuring begins after the conformance set.
        budget.plus(slack),
        progress);
  }

  /**
   * Measures a collective on this host's devices.
   *
   * @throws ChildFailure when the child doesn't come to an end
   */
  public Bench.Result bench(
      Algorithm algorithm,
      int ranks,
      long bytes,
      Bench.Watch watch,
      int warmUps,
      int runs,
      Duration budget) {
    return ask(
        Wire.Kind.BENCH,
        new Messages.Measurement(
            algorithm.collective(),
            algorithm.title(),
            ranks,
            bytes,
            watch,
            warmUps,
            runs,
            budget.toSeconds()),
        Bench.Result.class,
        budget.plus(slack),
        _ -> {});
  }

  /**
   * Measures what a cost model of this host's devices is fitted to.
   *
   * @param quick few and small ones
   * @throws ChildFailure when the child doesn't come to an end
   */
  public List<Measured> calibration(boolean quick, Consumer<String> progress) {
    var rows =
        ask(
                Wire.Kind.CALIBRATE,
                new Messages.Check(quick, slack.toSeconds()),
                Messages.Rows.class,
                slack,
                progress)
            .rows();
    if (rows == null) {
      throw new ChildFailure("the process that measured the device sent no rows");
    }
    return rows;
  }

  private <T> T ask(
      Wire.Kind kind, Record request, Class<T> type, Duration limit, Consumer<String> progress) {
    Child child;
    try {
      child = take();
    } catch (IOException e) {
      throw new ChildFailure(cantStart(e));
    }
    var conversation = new Conversation(child, new Progress(progress), patience, 1, limit);
    var end = hold(child, conversation, kind, Messages.json(request));
    if (end instanceof End.Result result) {
      try {
        T answer = Messages.read(result.frame(), type);
        giveBack(child);
        return answer;
      } catch (Wire.Garbled e) {
        end = new End.Babbled(String.valueOf(e.getMessage()));
      }
    }
    var left = child.end(patience);
    throw new ChildFailure(
        "the process that uses the device "
            + switch (end) {
              case End.Late _ ->
                  "didn't come to an end within "
                      + limit.toSeconds()
                      + " s and was ended while "
                      + conversation.lastHeard();
              case End.Cancelled _ -> "was ended, as its command is";
              case End.Result _, End.Failed _, End.NotReady _, End.Died _, End.Babbled _ ->
                  "failed: " + broken(end, child, conversation);
            }
            + stillThere(left));
  }

  /** Hears lines of progress. */
  private record Progress(Consumer<String> lines) implements RunControl {
    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public long mostOutputBytes() {
      return 0;
    }

    @Override
    public void log(int runIndex, String text) {
      lines.accept(text);
    }
  }

  /** A task; whoever listens and fails doesn't leave a child behind. */
  private End hold(Child child, Conversation conversation, Wire.Kind kind, byte[] body) {
    try {
      return conversation.hold(kind, body);
    } catch (RuntimeException | Error e) {
      var _ = child.end(patience);
      throw e;
    }
  }

  private static JobReport report(JobSpec spec, End.Result result) throws Wire.Garbled {
    JobReport report;
    try {
      report = ReportJson.read(result.frame().text());
    } catch (IllegalArgumentException e) {
      throw new Wire.Garbled("its report can't be read", e);
    }
    if (report == null
        || report.verdict() == null
        || report.sentence() == null
        || report.diagnostics() == null
        || report.runs() == null) {
      throw new Wire.Garbled("its report is incomplete");
    }
    var devices = report.runs().stream().map(JobReport.Run::devices).toList();
    if (!devices.equals(spec.devices())
        || !report.runs().stream().allMatch(run -> spec.platform().equals(run.platform()))) {
      throw new Wire.Garbled("its report is that of another job");
    }
    return report;
  }

  /** A child is kept only when nothing went wrong in it. */
  private JobReport ending(JobReport report, boolean late, JobSpec spec, Child child) {
    switch (report.verdict()) {
      case CANCELLED, TIMED_OUT, RESOURCE, WORKER_LOST, INFRA -> {
        var _ = child.end(patience);
      }
      case PASSED,
          NOT_VERIFIED,
          WRONG_RESULT,
          ERROR,
          RACE,
          DEADLOCK,
          MISMATCH,
          OUT_OF_BOUNDS,
          REJECTED ->
          giveBack(child);
    }
    return late && report.verdict() == Verdict.CANCELLED
        ? JobRunner.tookTooLong(report, spec.limits().wall())
        : report;
  }

  private String cantStart(IOException e) {
    return "a process for the accelerator can't be started: " + e.getMessage();
  }

  /** What went wrong in a child; it has been ended. */
  private String broken(End end, Child child, Conversation conversation) {
    String why =
        switch (end) {
          case End.Failed failed -> failed.why();
          case End.NotReady _ -> "it wasn't ready after " + patience.start().toSeconds() + " s";
          case End.Died _ ->
              conversation.isTold()
                  ? "it ended without a result, " + child.death()
                  : "it ended before it was ready, " + child.death();
          case End.Babbled babbled -> babbled.what();
          case End.Result _, End.Cancelled _, End.Late _ ->
              throw new IllegalArgumentException(end + " isn't a failure");
        };
    String words = child.lastWords();
    return words.isEmpty() ? why : why + "; it last printed: " + words;
  }

  private static String stillThere(List<Long> left) {
    return left.isEmpty() ? "" : "; processes of it can't be ended: " + left;
  }

  /** A child that is ready or about to be. */
  private Child take() throws IOException {
    while (true) {
      Child child;
      synchronized (idle) {
        child = idle.pollLast();
      }
      if (child == null) {
        return Child.start(program.get());
      }
      if (child.isClean()) {
        return child;
      }
      var _ = child.end(patience);
    }
  }

  private void giveBack(Child child) {
    long since = child.rest();
    if (child.isClean() && keep(child)) {
      Thread.ofVirtual().name("child-idle").start(() -> endWhenIdle(child, since));
    } else {
      var _ = child.end(patience);
    }
  }

  private boolean keep(Child child) {
    synchronized (idle) {
      if (closed || idle.size() >= mostIdle) {
        return false;
      }
      idle.addLast(child);
      return true;
    }
  }

  private void endWhenIdle(Child child, long since) {
    try {
      TimeUnit.NANOSECONDS.sleep(patience.idle().toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    boolean unused;
    synchronized (idle) {
      unused = child.restsSince(since) && idle.remove(child);
    }
    if (unused) {
      var _ = child.end(patience);
    }
  }

  /** Ends the children that wait for work; those that work end with their jobs. */
  @Override
  public void close() {
    List<Child> all;
    synchronized (idle) {
      closed = true;
      all = List.copyOf(idle);
      idle.clear();
    }
    all.forEach(
        child -> {
          var _ = child.end(patience);
        });
  }
}
