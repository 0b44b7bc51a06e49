package io.ringmaster.worker.job;

import io.ringmaster.worker.engine.RunOutcome;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.stop.StopOrder;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * What a run is doing and where in its script it is, for whoever has to say why it took too long.
 * Any thread may ask.
 */
final class Whereabouts {

  /** What takes the time. */
  enum Work {
    SCRIPT,
    READING,
    COMPILING,
    RUNNING
  }

  private volatile Supplier<Span> here = () -> Span.NONE;
  private volatile boolean again;
  private volatile Work work = Work.SCRIPT;
  private final AtomicInteger launches = new AtomicInteger();

  /**
   * A reading of the script begins.
   *
   * @param place where it is, whenever it is asked
   * @param trial whether it only shows if the script's checks can fail
   */
  void reads(Supplier<Span> place, boolean trial) {
    here = place;
    again = trial;
    work = Work.SCRIPT;
  }

  /** Does some work. What is told to stop is at that work until the script goes on elsewhere. */
  <T> T during(Work what, Supplier<T> task) {
    Work before = work;
    work = what;
    try {
      T result = task.get();
      work = before;
      return result;
    } catch (StopOrder.Stopped stopped) {
      throw stopped;
    } catch (RuntimeException refused) {
      work = before;
      throw refused;
    }
  }

  /** A launch has ended, in whatever way. */
  void launched() {
    launches.incrementAndGet();
  }

  /** The script goes on after it was told to stop: with its next case. */
  void goesOn() {
    work = Work.SCRIPT;
  }

  /** Where the script is, or was last. */
  Span place() {
    return here.get();
  }

  /** What it is doing now, to go behind a semicolon. */
  String now() {
    return work == Work.RUNNING ? "a kernel was running; " + script() : other();
  }

  /** What it was doing when a launch was told to stop, to go behind a semicolon. */
  String in(RunOutcome stopped) {
    String at = stopped.at().isEmpty() ? "a kernel was running" : stopped.at();
    return at + "; " + script();
  }

  private String other() {
    if (again) {
      String trial = "it had ended, and was read again to see whether its checks can fail";
      return place().isKnown() ? trial + "; " + script() : trial;
    }
    return switch (work) {
      case READING -> "a program was being read; " + script();
      case COMPILING -> "a program was being compiled; " + script();
      case SCRIPT, RUNNING -> script() + launches();
    };
  }

  private String script() {
    Span place = here.get();
    return place.isKnown() ? "the script was at " + place : "the script had not begun";
  }

  private String launches() {
    return switch (launches.get()) {
      case 0 -> ", before any kernel ran";
      case 1 -> ", after the run of its kernel";
      default -> ", after " + launches + " runs of its kernels";
    };
  }
}
