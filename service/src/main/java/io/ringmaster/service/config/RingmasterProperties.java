package io.ringmaster.service.config;

import io.ringmaster.worker.job.Verdict;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Everything that can be set beside Spring's own settings, prefix {@code ringmaster}.
 *
 * @param data folder of the embedded database; {@code RINGMASTER_DATA}
 */
@ConfigurationProperties("ringmaster")
public record RingmasterProperties(
    Path data,
    @DefaultValue Submit submit,
    @DefaultValue Workers workers,
    @DefaultValue Placement placement,
    @DefaultValue Quotas quotas,
    @DefaultValue Limits limits,
    @DefaultValue Security security,
    @DefaultValue Events events,
    @DefaultValue Artifacts artifacts,
    @DefaultValue Retention retention) {

  /**
   * Who may do what.
   *
   * @param tokensFile the tokens that are let in
   * @param oidc whose tokens are let in beside them; without both everybody on this machine is
   */
  public record Security(@Nullable Path tokensFile, @DefaultValue Oidc oidc) {}

  /**
   * An issuer of JSON Web Tokens, as OpenID Connect has them.
   *
   * @param issuer its address, exactly as tokens have it in {@code iss}; none when it is not set
   * @param audiences what of {@code aud} says that a token is meant for this service
   * @param jwksUri where its keys are; found by its discovery document when it is not set
   * @param ownerClaim to whom jobs belong
   * @param rolesClaim what somebody may do; dots lead into objects
   * @param roles by role, the values that stand for it; the role's own name for those that are not
   *     set
   * @param clockSkew by how much its clock may differ
   */
  public record Oidc(
      @Nullable URI issuer,
      @DefaultValue List<String> audiences,
      @Nullable URI jwksUri,
      @DefaultValue("sub") String ownerClaim,
      @DefaultValue("roles") String rolesClaim,
      @DefaultValue Map<String, List<String>> roles,
      @DefaultValue("60s") Duration clockSkew) {

    public Oidc {
      audiences = List.copyOf(audiences);
      roles = Map.copyOf(roles);
    }
  }

  /**
   * Files that runs leave.
   *
   * @param folder where their contents are kept
   * @param s3 a bucket that new ones are kept in, also when there is a folder; in the database
   *     without both
   */
  public record Artifacts(@Nullable Path folder, @DefaultValue S3Settings s3) {}

  /**
   * How long what is finished is kept.
   *
   * @param keepFor jobs with everything they left
   * @param keepForVerdict the same for jobs of some verdicts
   * @param outputs tensors and timelines, which are large; the rest of the job stays
   * @param interval how often to look
   */
  public record Retention(
      @DefaultValue("365d") Duration keepFor,
      @DefaultValue Map<Verdict, Duration> keepForVerdict,
      @DefaultValue("90d") Duration outputs,
      @DefaultValue("1h") Duration interval) {

    public Retention {
      keepForVerdict = Map.copyOf(keepForVerdict);
      require("keep-for", keepFor);
      require("outputs", outputs);
      require("interval", interval);
      keepForVerdict.forEach((verdict, time) -> require("keep-for-verdict." + verdict, time));
    }

    private static void require(String name, Duration time) {
      if (time.isNegative() || time.isZero()) {
        throw new IllegalArgumentException(
            "ringmaster.retention.%s is %s; it must be longer than nothing, such as 30d."
                .formatted(name, time));
      }
    }
  }

  /**
   * Streams of events.
   *
   * @param heartbeat how often a stream says that it lives
   */
  public record Events(@DefaultValue("15s") Duration heartbeat) {}

  /**
   * What a submission may be.
   *
   * @param maxScript largest script, as UTF-8
   * @param idempotencyRetention how long an Idempotency-Key is remembered
   */
  public record Submit(
      @DefaultValue("10MB") DataSize maxScript,
      @DefaultValue("24h") Duration idempotencyRetention) {}

  /**
   * The workers inside this process.
   *
   * @param embedded how many runs at once; 0 for none
   * @param heartbeat how often this process says that it lives
   * @param lostAfter silence after which another process's runs are taken over
   * @param stopGrace how long a run that was told to stop may take before it is given up
   * @param mostAbandoned how many given-up runs that do not end are replaced by new workers
   * @param pollInterval how often to look for work that nobody announced
   * @param pool where the devices of this process belong
   * @param devices their ids, such as 0-63 or 0-3,8
   * @param groups those with links between them, one range for each group; empty when all are
   * @param opencl whether they execute platform opencl, in child processes
   */
  public record Workers(
      @DefaultValue("2") int embedded,
      @DefaultValue("5s") Duration heartbeat,
      @DefaultValue("15s") Duration lostAfter,
      @DefaultValue("5s") Duration stopGrace,
      @DefaultValue("8") int mostAbandoned,
      @DefaultValue("1s") Duration pollInterval,
      @DefaultValue("embedded") String pool,
      @DefaultValue("0-2147483647") String devices,
      @DefaultValue("") String groups,
      @DefaultValue("false") boolean opencl) {}

  /**
   * How devices are given out.
   *
   * @param simulatedDevices whether two runs may use the same id of a simulated platform at once
   * @param reservations for how many waiting runs of a pool devices are kept at a time
   * @param aging after how long a waiting run is raised by one priority; never when it is 0
   */
  public record Placement(
      @DefaultValue("PRIVATE") SimulatedDevices simulatedDevices,
      @DefaultValue("16") int reservations,
      @DefaultValue("1h") Duration aging) {

    public Placement {
      if (aging.isNegative()) {
        throw new IllegalArgumentException(
            "ringmaster.placement.aging is %s; it must be a time such as 1h, or 0s for none."
                .formatted(aging));
      }
    }
  }

  /** What the ids of simulated devices stand for. */
  public enum SimulatedDevices {
    /** Every run has its own devices: equal ids of two runs are different devices. */
    PRIVATE,
    /** One set of devices for all runs, as with real cards: a run waits until its ids are free. */
    SHARED
  }

  /**
   * The most a submission may ask for, and what it gets when it asks for nothing.
   *
   * @param wall default run limit
   */
  public record Limits(
      @DefaultValue("60s") Duration wall,
      @DefaultValue("1h") Duration maxWall,
      @DefaultValue("50000000") long scriptSteps,
      @DefaultValue("10000000000") long maxScriptSteps,
      @DefaultValue("2000000000") long kernelSteps,
      @DefaultValue("1000000000000") long maxKernelSteps,
      @DefaultValue("2GB") DataSize memory,
      @DefaultValue("16GB") DataSize maxMemory) {}
}
