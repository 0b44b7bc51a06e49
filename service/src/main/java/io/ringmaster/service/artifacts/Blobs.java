package io.ringmaster.service.artifacts;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Where contents of files lie when that isn't the database. What they are called and to whom they
 * belong is in the database all the same, so a content nobody can name is rubbish.
 */
public interface Blobs {

  /** Keeps a content; it is there in full or not at all. */
  void put(String runId, String name, byte[] content);

  /** A content; empty when there is none. */
  Optional<byte[]> get(String runId, String name);

  void delete(String runId, String name);

  /**
   * Runs that have contents here, all of them older than a time: younger ones may belong to a
   * transaction that isn't committed yet.
   */
  List<String> runsBefore(Instant time);

  /** Removes everything of a run. */
  void deleteAll(String runId);
}
