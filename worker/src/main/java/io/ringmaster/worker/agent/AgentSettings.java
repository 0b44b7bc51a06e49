package io.ringmaster.worker.agent;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * Who a worker process is and whom it works for.
 *
 * @param service address of the job service
 * @param trust whose signature makes the service's certificate believable; the machine's
 *     authorities without it
 * @param token what it proves with who it is; sent as a bearer token
 * @param name for people
 * @param pool where its devices belong
 * @param platforms what it can execute
 * @param devices ranges of device ids, with both ends
 * @param groups devices with links between them, one range for each group; empty when all are
 * @param slots how many runs at once
 * @param grace how long runs may go on after the order to end
 */
public record AgentSettings(
    URI service,
    Optional<SSLContext> trust,
    Optional<String> token,
    String name,
    String pool,
    List<String> platforms,
    List<List<Integer>> devices,
    List<List<Integer>> groups,
    int slots,
    Duration grace) {

  public AgentSettings {
    platforms = List.copyOf(platforms);
    devices = List.copyOf(devices);
    groups = List.copyOf(groups);
  }

  /** Trusting the authorities of the machine. */
  public AgentSettings(
      URI service,
      Optional<String> token,
      String name,
      String pool,
      List<String> platforms,
      List<List<Integer>> devices,
      List<List<Integer>> groups,
      int slots,
      Duration grace) {
    this(service, Optional.empty(), token, name, pool, platforms, devices, groups, slots, grace);
  }
}
