package io.ringmaster.worker.trial;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A way to carry out a collective: the built-ins as the compiler lowers them in a kernel and on
 * HOST, and schedules that a user would write by hand.
 */
public enum Algorithm {
  BARRIER_CREDIT("barrier", "credit", "every rank notifies every other and waits for all"),
  BARRIER_HOST("barrier", "host-credit", "the same, called from HOST"),
  BARRIER_DISSEMINATION(
      "barrier", "dissemination", "by hand: in round k each rank notifies the one 2^k further"),
  BROADCAST_PULL("broadcast", "pull", "everyone reads the root's vector"),
  BROADCAST_HOST("broadcast", "host-pull", "the same in tiles of 256 elements, from HOST"),
  ALLREDUCE_MESH("allreduce", "mesh", "everyone reads everyone's vector and adds it up"),
  ALLREDUCE_RING("allreduce", "ring", "segments go round, with a barrier of all ranks a step"),
  ALLREDUCE_TWO_PHASE(
      "allreduce", "two-phase", "by hand: each rank sums one segment, then all are gathered"),
  ALLREDUCE_NEIGHBOUR(
      "allreduce", "neighbour-ring", "by hand: segments go round, only neighbours wait"),
  ALLREDUCE_ONE_BARRIER(
      "allreduce", "one-barrier", "by hand: mesh into memory of its own, after a single barrier"),
  ALLREDUCE_HOST_MESH("allreduce", "host-mesh", "mesh in tiles of 256 elements, from HOST"),
  ALLREDUCE_HOST_RING("allreduce", "host-ring", "ring from HOST"),
  ALLGATHER_PUSH("allgather", "push", "everyone writes its row to all"),
  ALLGATHER_PULL("allgather", "pull", "by hand: everyone reads all rows after a barrier"),
  ALLGATHER_HOST("allgather", "host-push", "push from HOST"),
  REDUCE_SCATTER_MESH("reduce_scatter", "mesh", "everyone reads its row of all and adds it up"),
  REDUCE_SCATTER_HOST("reduce_scatter", "host-mesh", "the same, called from HOST"),
  ALL_TO_ALL_PUSH("all_to_all", "push", "everyone writes a row to each"),
  ALL_TO_ALL_HOST("all_to_all", "host-push", "the same, called from HOST");

  private final String collective;
  private final String title;
  private final String idea;

  Algorithm(String collective, String title, String idea) {
    this.collective = collective;
    this.title = title;
    this.idea = idea;
  }

  public String collective() {
    return collective;
  }

  /** Its name on the command line. */
  public String title() {
    return title;
  }

  /** What it does, in half a sentence. */
  public String idea() {
    return idea;
  }

  /** True when the collective is called by HOST code. */
  boolean isHost() {
    return title.startsWith("host-");
  }

  /** True when the vector is cut into one segment a rank. */
  boolean isSegmented() {
    return switch (this) {
      case ALLREDUCE_RING, ALLREDUCE_TWO_PHASE, ALLREDUCE_NEIGHBOUR, ALLREDUCE_HOST_RING -> true;
      default -> false;
    };
  }

  /** The collectives that can be tried, in the order in which to list them. */
  public static List<String> collectives() {
    return Arrays.stream(values()).map(Algorithm::collective).distinct().toList();
  }

  /** The algorithms of a collective; none for an unknown one. */
  public static List<Algorithm> of(String collective) {
    return Arrays.stream(values()).filter(a -> a.collective.equals(collective)).toList();
  }

  public static Optional<Algorithm> named(String collective, String title) {
    return of(collective).stream().filter(a -> a.title.equals(title)).findFirst();
  }
}
