package io.ringmaster.service.artifacts;

import java.io.InputStream;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Where contents of files lie when that isn't the database. What they are called and to whom they
 * belong is in the database all the same, so a content nobody can name is rubbish.
 *
 * <p>A content is known by its run and a key that has the content's digest in it, so writing one
 * twice changes nothing.
 *
 * <p>Every method throws a {@link io.ringmaster.service.problems.ProblemException}, UNAVAILABLE,
 * that names the place and the way out, when the place can't be used now.
 */
public interface Blobs {

  /** This place in a few words, for people: {@code folder /var/ringmaster}. */
  String place();

  /** Sees whether this place can be used now. */
  void check();

  /** Keeps a content; it is there in full or not at all. */
  void put(String runId, String key, byte[] content);

  /** A content; empty when there is none. */
  Optional<byte[]> get(String runId, String key);

  /** Whether there is such a content. */
  boolean has(String runId, String key);

  /**
   * The bytes of a content, one after the other; to be closed.
   *
   * @param from the first of them; less than there are
   * @return empty when there is no such content
   */
  Optional<InputStream> open(String runId, String key, long from);

  void delete(String runId, String key);

  /** Shows all runs that have contents here, one after the other. */
  void eachRun(Consumer<String> seer);

  /** When something was kept for a run for the last time; empty when it has nothing here. */
  Optional<Instant> lastPut(String runId);

  /** Removes everything of a run. */
  void deleteAll(String runId);
}
