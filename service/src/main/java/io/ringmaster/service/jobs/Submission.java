package io.ringmaster.service.jobs;

import io.ringmaster.worker.job.JobSpec.Limits;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * What somebody asked for, checked and complete: every default is filled in.
 *
 * @param script the bytes as they came; UTF-8
 * @param platforms one run for each, with
 * @param devices each of these lists, or numbers of devices, and
 * @param pool where it insists on being executed
 * @param argumentSets each of these arguments
 * @param rerunOf the job that this one repeats
 */
public record Submission(
    String name,
    Script script,
    List<String> platforms,
    List<DeviceRequest> devices,
    Optional<String> pool,
    List<List<String>> argumentSets,
    long seed,
    Circumstances circumstances,
    Optional<String> rerunOf,
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
            platforms,
            devices.stream().map(DeviceRequest::text).toList(),
            pool.orElse(""),
            argumentSets,
            seed,
            circumstances.toString(),
            priority,
            labels,
            limits.toString());
    return sha256(Columns.json(all).getBytes(StandardCharsets.UTF_8));
  }

  /** Equal for runs that ask placement for the same. */
  String kind(String onPlatform, DeviceRequest request) {
    var all = List.of(onPlatform, pool.orElse(""), request.text(), limits.wall().toSeconds());
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
