package io.ringmaster.worker.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * All processes of a run, wherever they have moved to: those that carry its mark in their
 * environment, those of the session it was started in, their children, and all that were any of
 * these when they were last looked at.
 *
 * <p>One that clears its environment, begins a session of its own and loses its parent between two
 * looks isn't found.
 */
public final class ProcessTree {

  private static final Duration LOOK_EVERY = Duration.ofMillis(20);

  private static final long TICKS_TO_BE_MADE = 100;

  private final Signals signals;
  private final Predicate<String> mark;
  private final Map<Long, ProcFiles.Entry> members = new HashMap<>();

  /** Processes without a mark: one that has none never gets one. */
  private final Map<Long, Long> strangers = new HashMap<>();

  private long leader = -1;
  private long leaderEnded = Long.MAX_VALUE;

  /**
   * The processes with a mark.
   *
   * @param mark whether this NAME=VALUE is the mark
   */
  public ProcessTree(Signals signals, Predicate<String> mark) {
    this.signals = signals;
    this.mark = mark;
  }

  /**
   * Why processes of this host can't be ended for sure; empty when they can.
   *
   * <p>It takes an operating system that shows the environment of processes, and that can signal
   * one without taking it for another.
   */
  public static Optional<String> hindrance(Signals signals) {
    if (!ProcFiles.exist()) {
      return Optional.of("/proc/*/environ can't be read here");
    }
    try (var handle = signals.open(ProcessHandle.current().pid()).orElseThrow()) {
      handle.send(0);
      return Optional.empty();
    } catch (IllegalStateException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** The process that began the session; its own, to be told before anything else. */
  public void leader(long pid) {
    leader = pid;
    ProcFiles.entry(pid).ifPresent(entry -> members.put(pid, entry));
  }

  /** The first process has ended: its number may be given to others from now on. */
  public void leaderHasEnded() {
    leaderEnded = Math.min(leaderEnded, youngest(ProcFiles.all()));
  }

  private static long youngest(List<ProcFiles.Entry> all) {
    return all.stream().mapToLong(ProcFiles.Entry::start).max().orElse(0);
  }

  /** Looks, and returns those that live. */
  public List<ProcFiles.Entry> look() {
    var all = ProcFiles.all();
    long youngest = youngest(all);
    Set<Long> living = new HashSet<>();
    for (var entry : all) {
      living.add(entry.pid());
      if (isKnown(entry) || isOfSession(entry) || isMarked(entry, youngest)) {
        members.put(entry.pid(), entry);
      }
    }
    boolean found = true;
    while (found) {
      found = false;
      for (var entry : all) {
        if (!isKnown(entry) && members.containsKey(entry.parent())) {
          members.put(entry.pid(), entry);
          found = true;
        }
      }
    }
    members.keySet().retainAll(living);
    strangers.keySet().retainAll(living);
    return members.values().stream().filter(entry -> !entry.ended()).toList();
  }

  private boolean isKnown(ProcFiles.Entry entry) {
    var known = members.get(entry.pid());
    if (known != null && !known.is(entry)) {
      members.remove(entry.pid());
      return false;
    }
    return known != null;
  }

  private boolean isOfSession(ProcFiles.Entry entry) {
    return entry.session() == leader && entry.start() <= leaderEnded;
  }

  private boolean isMarked(ProcFiles.Entry entry, long youngest) {
    Long stranger = strangers.get(entry.pid());
    if (stranger != null && stranger == entry.start()) {
      return false;
    }
    boolean marked = ProcFiles.environment(entry.pid()).stream().anyMatch(mark);
    // A process that is only just being made has no environment yet, or still that of its maker.
    if (!marked && entry.start() + TICKS_TO_BE_MADE < youngest) {
      strangers.put(entry.pid(), entry.start());
    }
    return marked;
  }

  /** Sends a signal to a process, unless its number is another's by now. */
  public boolean signal(ProcFiles.Entry entry, int signal) {
    var opened = signals.open(entry.pid());
    if (opened.isEmpty()) {
      return false;
    }
    try (var handle = opened.get()) {
      // The handle is on whoever had the number when it was opened: if that one still has it and
      // is as old as the one that was seen, it is the same.
      if (ProcFiles.entry(entry.pid()).filter(entry::is).isEmpty()) {
        return false;
      }
      handle.send(signal);
      return true;
    }
  }

  /**
   * Ends all of them: asks first, then kills, and looks again until nobody is left.
   *
   * @param polite how long they may take to end by themselves when asked
   * @param patience how long after that the kernel may take to end them
   * @return those that live all the same
   */
  public List<ProcFiles.Entry> end(Duration polite, Duration patience) throws InterruptedException {
    Set<Long> asked = new HashSet<>();
    long askUntil = System.nanoTime() + polite.toNanos();
    while (System.nanoTime() < askUntil) {
      var left = look();
      if (left.isEmpty()) {
        break;
      }
      for (var entry : left) {
        if (asked.add(entry.pid())) {
          signal(entry, Signals.TERM);
        }
      }
      TimeUnit.NANOSECONDS.sleep(LOOK_EVERY.toNanos());
    }
    long killUntil = System.nanoTime() + patience.toNanos();
    List<ProcFiles.Entry> left = new ArrayList<>(look());
    while (!left.isEmpty() && System.nanoTime() < killUntil) {
      left.forEach(entry -> signal(entry, Signals.KILL));
      TimeUnit.MILLISECONDS.sleep(2);
      left = new ArrayList<>(look());
    }
    // One that was just being made while its maker was killed is seen by a second look.
    return left.isEmpty() ? look() : left;
  }
}
