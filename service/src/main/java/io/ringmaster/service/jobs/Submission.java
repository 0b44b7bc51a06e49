package io.ringmaster.service.jobs;

import io.ringmaster.worker.job.JobSpec.Limits;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;

/**
 * What somebody asked for, checked and complete: every default is filled in.
 *
 * @param script the bytes as they came; UTF-8
 * @param devices one run for each list
 * @param schedules further orders of events to make each run in
 */
public record Submission(
    String name,
    Script script,
    String platform,
    List<List<Integer>> devices,
    List<String> arguments,
    long seed,
    int schedules,
    Priority priority,
    SortedMap<String, String> labels,
    Limits limits) {

  /** A script file. */
  @SuppressWarnings("ArrayRecordComponent") // equality is by digest, see below
  public record Script(String name, byte[] content, String digest) {

    public static Script of(String name, byte[] content) {
      return new Script(name, content, sha256(content));
    }

    /** By digest: two scripts with the same one are the same. */
    @Override
    public boolean equals(Object other) {
      return other instanceof Script that && name.equals(that.name) && digest.equals(that.digest);
    }

    @Override
    public int hashCode() {
      return digest.hashCode();
    }

    @Override
    public String toString() {
      return name + " " + digest;
    }
  }

  /** Equal exactly for submissions that ask for the same; does not depend on how they were sent. */
  public String digest() {
    var all =
        List.of(
            name,
            script.name(),
            script.digest(),
            platform,
            devices,
            arguments,
            seed,
            schedules,
            priority,
            labels,
            limits.toString());
    return sha256(Columns.json(all).getBytes(StandardCharsets.UTF_8));
  }

  private static String sha256(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }
}
