package io.ringmaster.worker.isolated;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ringmaster.worker.isolated.Messages.Event;
import io.ringmaster.worker.isolated.Wire.Frame;
import io.ringmaster.worker.isolated.Wire.Kind;
import io.ringmaster.worker.job.Accelerators;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobRunner;
import io.ringmaster.worker.job.ReportJson;
import io.ringmaster.worker.job.Verdict;
import io.ringmaster.worker.job.Versions;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** A real child process that does its task in another way than it should: see the names. */
public final class Misbehaving {

  private Misbehaving() {}

  public static void main(String[] args) throws Exception {
    String how = args[0];
    var out = System.out;
    switch (how) {
      case "neverReady" -> TimeUnit.HOURS.sleep(1);
      case "endsAtOnce" -> System.exit(4);
      case "babblesAtOnce" -> forEver("no mark in here\n", out);
      default -> {}
    }
    if (how.equals("deafToSigterm")) {
      Runtime.getRuntime().addShutdownHook(new Thread(Misbehaving::sleep));
    }
    var pipes = Descriptors.takeOver();
    OutputStream to = pipes.to();
    to.write(Child.greeting(Objects.requireNonNull(System.getenv(ChildProgram.MARK))));
    String version = how.equals("otherVersion") ? "0.0.1" : Versions.product();
    Wire.write(to, Kind.HELLO, 0, version.getBytes(UTF_8));
    while (true) {
      var next = Wire.read(pipes.from());
      if (next.isEmpty()) {
        return;
      }
      Frame task = next.get();
      if (task.kind() == Kind.PROBE && !how.startsWith("probe")) {
        var one = new Accelerators(List.of("one device"), List.of("one"), "", "");
        Wire.write(to, Kind.RESULT, task.task(), ReportJson.print(one).getBytes(UTF_8));
      } else if (task.kind() != Kind.CANCEL) {
        Wire.write(to, Kind.PHASE, task.task(), Messages.json(Event.of(0, "run")));
        answer(how, task, to);
      }
    }
  }

  @SuppressWarnings("restricted") // Reading where nothing is.
  private static void answer(String how, Frame task, OutputStream to) throws Exception {
    switch (how) {
      case "hangs", "deafToSigterm", "probeHangs" -> sleep();
      case "exits0" -> System.exit(0);
      case "exits3" -> {
        System.err.println("the driver gives up");
        System.exit(3);
      }
      case "probeCrashes", "crashes" ->
          System.err.println(
              MemorySegment.ofAddress(8).reinterpret(8).get(ValueLayout.JAVA_LONG, 0));
      case "hangsUp" -> {
        to.close();
        sleep();
      }
      case "garbage" -> to.write("0123456789abcdef".repeat(100).getBytes(UTF_8));
      case "halfAMessage" -> {
        to.write(new byte[] {0x52, 0x4D, 0x43});
        to.close();
        System.exit(0);
      }
      case "unreadable" -> Wire.write(to, Kind.LOG, task.task(), "[1]".getBytes(UTF_8));
      case "probeUnreadable" -> Wire.write(to, Kind.RESULT, task.task(), "[1]".getBytes(UTF_8));
      case "tooLarge" -> {
        byte[] frame = {0x52, 0x4D, 0x43, 0x31, (byte) Kind.RESULT.number()};
        to.write(frame);
        to.write(new byte[8]);
        to.write(new byte[] {0x7F, -1, -1, -1});
        to.flush();
      }
      case "otherTask" -> Wire.write(to, Kind.RESULT, task.task() + 1, report(task, "opencl"));
      case "otherJob" -> Wire.write(to, Kind.RESULT, task.task(), report(task, "a2a3sim"));
      case "noReport" -> Wire.write(to, Kind.RESULT, task.task(), "{}".getBytes(UTF_8));
      case "otherRun" -> Wire.write(to, Kind.PHASE, task.task(), Messages.json(Event.of(1, "run")));
      case "moreTime" ->
          Wire.write(
              to,
              Kind.MAY_TAKE,
              task.task(),
              Messages.json(new Event(0, "", TimeUnit.DAYS.toNanos(1), 0)));
      case "logsForEver" -> {
        byte[] log = Messages.json(Event.of(0, "and on and on ".repeat(10_000)));
        while (true) {
          Wire.write(to, Kind.LOG, task.task(), log);
        }
      }
      case "printsForEver" -> forEver("and on and on ".repeat(1000), System.err);
      case "unaskedOutput" -> {
        while (true) {
          Wire.write(to, Kind.PIECE, task.task(), new byte[1 << 20]);
        }
      }
      case "leavesOthersBehind" -> {
        new ProcessBuilder("sh", "-c", "setsid sh -c 'trap \"\" TERM; sleep 600' & sleep 600")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
        TimeUnit.MILLISECONDS.sleep(300);
        Wire.write(to, Kind.RESULT, task.task(), report(task, "opencl"));
      }
      case "noisy" -> {
        System.out.println("a driver's banner");
        new ProcessBuilder("echo", "a compiler's warning").inheritIO().start().waitFor();
        Wire.write(to, Kind.RESULT, task.task(), report(task, "opencl"));
      }
      case "speaksUnasked" -> {
        Wire.write(to, Kind.RESULT, task.task(), report(task, "opencl"));
        Wire.write(to, Kind.RESULT, task.task(), report(task, "opencl"));
      }
      default -> throw new IllegalArgumentException(how);
    }
  }

  /** A report that says that all is well. */
  private static byte[] report(Frame task, String platform) throws IOException {
    var spec = Objects.requireNonNull(Messages.read(task, Messages.Job.class).spec());
    JobReport good = JobRunner.ended(spec.spec().on(platform), Verdict.PASSED, "says it");
    return ReportJson.write(good).getBytes(UTF_8);
  }

  private static void forEver(String text, OutputStream to) throws IOException {
    while (true) {
      to.write(text.getBytes(UTF_8));
    }
  }

  private static void sleep() {
    try {
      TimeUnit.HOURS.sleep(1);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
