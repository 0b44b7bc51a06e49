package io.ringmaster.worker.job;

import java.lang.ref.SoftReference;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what was made of something for the next time, up to a weight: what was used longest ago
 * goes first, and all of it where memory is short. May be shared between threads; two that ask for
 * the same at once may both make it.
 */
final class Memo<K, V> {

  private final long mostWeight;
  private final LinkedHashMap<K, Entry<V>> kept = new LinkedHashMap<>(16, 0.75f, true);
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private long weight;

  private record Entry<V>(SoftReference<V> value, long weight) {}

  /** An empty one; a single entry may take a quarter of the weight. */
  Memo(long mostWeight) {
    this.mostWeight = mostWeight;
  }

  /**
   * The value for a key, made now or before.
   *
   * @param make depends on the key alone, and its result never changes; what it throws is thrown,
   *     and nothing is kept
   */
  V get(K key, long weight, Supplier<V> make) {
    V known = find(key);
    if (known != null) {
      hits.increment();
      return known;
    }
    misses.increment();
    V fresh = make.get();
    if (weight <= mostWeight / 4) {
      put(key, fresh, weight);
    }
    return fresh;
  }

  private synchronized @Nullable V find(K key) {
    Entry<V> entry = kept.get(key);
    return entry == null ? null : entry.value().get();
  }

  private synchronized void put(K key, V value, long added) {
    Entry<V> before = kept.put(key, new Entry<>(new SoftReference<>(value), added));
    weight += added - (before == null ? 0 : before.weight());
    Iterator<Map.Entry<K, Entry<V>>> oldest = kept.entrySet().iterator();
    while (weight > mostWeight && oldest.hasNext()) {
      weight -= oldest.next().getValue().weight();
      oldest.remove();
    }
  }

  /** How often something was there. */
  long hits() {
    return hits.sum();
  }

  /** How often it had to be made. */
  long misses() {
    return misses.sum();
  }
}
