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

  private final Map<String, Set<Semaphore>> waiting = new ConcurrentHashMap<>();
  private final Set<Consumer<String>> followers = ConcurrentHashMap.newKeySet();

  /** Wakes everybody who waits for the job; call it after the change is committed. */
  public void announce(String jobId) {
    waiting.getOrDefault(jobId, Set.of()).forEach(Semaphore::release);
    followers.forEach(follower -> follower.accept(jobId));
  }

  /** Calls with every job that changes, from the thread that changed it: do no work there. */
  public void follow(Consumer<String> follower) {
    followers.add(follower);
  }

  /** Starts listening; changes from now on give permits until it is closed. */
  Listening listen(String jobId) {
    var signal = new Semaphore(0);
    waiting.compute(
        jobId,
        (_, some) -> {
          var all = some == null ? ConcurrentHashMap.<Semaphore>newKeySet() : some;
          all.add(signal);
          return all;
        });
    return new Listening(this, jobId, signal);
  }

  private void stop(String jobId, Semaphore signal) {
    waiting.computeIfPresent(
        jobId,
        (_, some) -> {
          some.remove(signal);
          return some.isEmpty() ? null : some;
        });
  }

  record Listening(JobChanges changes, String jobId, Semaphore signal) implements AutoCloseable {
    @Override
    public void close() {
      changes.stop(jobId, signal);
    }
  }
}
