package io.ringmaster.service.jobs;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.springframework.stereotype.Component;

/** Tells those who wait for a job that it has changed, within this process. */
@Component
public class JobChanges {

  private final Map<String, Set<Listening>> waiting = new ConcurrentHashMap<>();
  private final Set<Consumer<String>> followers = ConcurrentHashMap.newKeySet();

  /** What somebody waits for. */
  public enum Until {
    /** The job is finished. */
    END,
    /** Anything is new. */
    CHANGE
  }

  /**
   * Wakes those who wait for the job; call it after the change is committed.
   *
   * @param change whether that was its end; who waits for the end isn't woken by anything else
   */
  public void announce(String jobId, Until change) {
    for (var one : waiting.getOrDefault(jobId, Set.of())) {
      if (change == Until.END || one.until == Until.CHANGE) {
        one.signal.release();
      }
    }
    followers.forEach(follower -> follower.accept(jobId));
  }

  /** Calls with every job that changes, from the thread that changed it: do no work there. */
  public void follow(Consumer<String> follower) {
    followers.add(follower);
  }

  /** Starts listening; changes from now on give permits until it is closed. */
  Listening listen(String jobId, Until until) {
    var one = new Listening(jobId, until);
    waiting.compute(
        jobId,
        (_, some) -> {
          var all = some == null ? ConcurrentHashMap.<Listening>newKeySet() : some;
          all.add(one);
          return all;
        });
    return one;
  }

  private void stop(Listening one) {
    waiting.computeIfPresent(
        one.jobId,
        (_, some) -> {
          some.remove(one);
          return some.isEmpty() ? null : some;
        });
  }

  /** Somebody who waits. */
  final class Listening implements AutoCloseable {
    private final String jobId;
    private final Until until;
    private final Semaphore signal = new Semaphore(0);

    private Listening(String jobId, Until until) {
      this.jobId = jobId;
      this.until = until;
    }

    Semaphore signal() {
      return signal;
    }

    @Override
    public void close() {
      stop(this);
    }
  }
}
