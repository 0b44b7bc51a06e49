package io.ringmaster.service.jobs;

import io.ringmaster.service.config.Sha256;
import io.ringmaster.worker.job.JobSpec.Limits;
import java.nio.charset.StandardCharsets;
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
      return new Script(name, content, Sha256.hex(content));
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
    return Sha256.hex(Columns.json(all).getBytes(StandardCharsets.UTF_8));
  }

  /** Equal for runs that ask placement for the same. */
  String kind(String onPlatform, DeviceRequest request) {
    var all = List.of(onPlatform, pool.orElse(""), request.text(), limits.wall().toSeconds());
    return Sha256.hex(Columns.json(all).getBytes(StandardCharsets.UTF_8));
  }
}
