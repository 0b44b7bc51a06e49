package io.ringmaster.service.placement;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * How many runs are ahead of others in the queue. Places among the first thousand are exact. In a
 * longer queue they come from a look at the whole of it, which is a second old, or so old that
 * looking takes no more than a twentieth of the time: nobody counts a hundred thousand runs for
 * each of fifty jobs on a page.
 */
@Component
class QueuePlaces {

  private static final int EXACT = 1000;
  private static final Duration FRESH = Duration.ofSeconds(1);

  /** Looking may take one part of so many of the time. */
  private static final int PARTS = 20;

  private final JdbcClient jdbc;
  private final ReentrantLock looking = new ReentrantLock();
  private volatile @Nullable Look last;

  QueuePlaces(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** For each of these queued runs, how many come before it; by id. */
  Map<String, Long> ahead(Collection<QueuedRun> runs) {
    if (runs.isEmpty()) {
      return Map.of();
    }
    var look = look();
    var ahead = new HashMap<String, Long>();
    runs.forEach(run -> ahead.put(run.id(), look.before(run)));
    return ahead;
  }

  private Look look() {
    var known = last;
    if (known != null && known.isFresh()) {
      return known;
    }
    var head = read(EXACT + 1);
    if (head.size <= EXACT) {
      last = null;
      return head;
    }
    if (known == null) {
      looking.lock();
    } else if (!looking.tryLock()) {
      return known; // somebody looks already
    }
    try {
      known = last;
      if (known == null || !known.isFresh()) {
        known = read(Integer.MAX_VALUE);
        last = known;
      }
      return known;
    } finally {
      looking.unlock();
    }
  }

  private Look read(int most) {
    long begin = System.nanoTime();
    var ids = new TreeMap<Integer, List<String>>(Collections.reverseOrder());
    jdbc.sql(
            """
            select priority, id from run where state = 'QUEUED'
            order by state, priority desc, id limit :most
            """)
        .param("most", most)
        .query(
            row -> {
              ids.computeIfAbsent(row.getInt(1), _ -> new ArrayList<>()).add(row.getString(2));
            });
    return new Look(ids, begin, System.nanoTime() - begin);
  }

  /** The queue at one moment: for each priority, the highest first, the ids in their order. */
  private static final class Look {
    private final SortedMap<Integer, List<String>> ids;
    private final long size;
    private final long begin;
    private final long good;

    Look(SortedMap<Integer, List<String>> ids, long begin, long nanos) {
      this.ids = ids;
      this.size = ids.values().stream().mapToLong(List::size).sum();
      this.begin = begin;
      this.good = Math.max(FRESH.toNanos(), nanos * PARTS);
    }

    boolean isFresh() {
      return System.nanoTime() - begin < good;
    }

    /** A run that came later than this look has all of its priority ahead of it. */
    long before(QueuedRun run) {
      long before = 0;
      for (var some : ids.entrySet()) {
        if (some.getKey() > run.priority()) {
          before += some.getValue().size();
        } else if (some.getKey() == run.priority()) {
          int place = Collections.binarySearch(some.getValue(), run.id());
          before += place >= 0 ? place : -place - 1;
        }
      }
      return before;
    }
  }
}
