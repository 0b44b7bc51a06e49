package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt.Rail;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * What one collective call costs by its schedule: bytes over the links and signals, exactly. A run
 * that measures anything else has a fault, in the kernel or in us.
 *
 * @param perRank indexed by rank of the domain
 * @param minimumBytes least ingress that any algorithm could give a rank which needs data from all
 *     others; for allreduce {@code 2(P-1)/P} of the vector, rounded up
 */
public record CostCard(List<RankCost> perRank, long minimumBytes) {

  /** The tile of HOST built-ins, in elements. */
  static final long HOST_TILE = 256;

  private static final long ALIGNMENT = 32;
  private static final long CHUNK_BYTES = 16 << 10;
  private static final long FP16_BORDER = 16;

  public CostCard {
    perRank = List.copyOf(perRank);
  }

  /**
   * The cost on one rank. Notifies weigh 4 bytes each on the wire; those are not in the bytes here.
   *
   * @param ingressBytes payload that arrives from other ranks, tail padding included
   * @param egressBytes payload that other ranks get from here, padding included
   * @param logicalBytes ingress without padding
   * @param selfBytes payload through the same path from the rank to itself
   * @param notifies signals to other ranks
   * @param selfNotifies signals to itself, which give the credits back
   */
  public record RankCost(
      long ingressBytes,
      long egressBytes,
      long logicalBytes,
      long selfBytes,
      long notifies,
      long selfNotifies,
      long waits) {}

  /**
   * A call to be costed.
   *
   * @param algorithm mesh or ring for allreduce; the others have one algorithm a rail
   * @param shape of the target: {@code [P, SIZE]} for allgather, reduce_scatter, all_to_all, {@code
   *     [P * M, SIZE]} for all_to_all_v, any for broadcast and allreduce, ignored for barrier
   * @param root of a broadcast, else 0
   * @param blocks active blocks of a HOST mesh allreduce, else 1
   */
  public record Call(
      OpCode op,
      Rail rail,
      String algorithm,
      int ranks,
      List<Long> shape,
      DType dtype,
      int root,
      int blocks) {
    public Call {
      shape = List.copyOf(shape);
    }

    long elements() {
      return shape.stream().reduce(1L, Math::multiplyExact);
    }

    long bytes() {
      return elements() * dtype.bytes();
    }

    long rowBytes() {
      return shape.stream().skip(1).reduce((long) dtype.bytes(), Math::multiplyExact);
    }
  }

  public static CostCard of(Call call) {
    return switch (call.op()) {
      case BARRIER -> uniform(call, 0, 0, 0, signals(call, 1));
      case BROADCAST -> broadcast(call);
      case ALLREDUCE -> call.algorithm().equals("ring") ? ring(call) : mesh(call);
      case ALLGATHER, ALL_TO_ALL ->
          uniform(call, others(call) * call.rowBytes(), 0, call.rowBytes(), signals(call, 1));
      case REDUCE_SCATTER -> uniform(call, others(call) * call.rowBytes(), 0, 0, signals(call, 2));
      case ALL_TO_ALL_V -> {
        long block = call.bytes() / call.ranks();
        Signals barrier = signals(call, 1);
        Signals counted =
            new Signals(
                barrier.notifies() + others(call), barrier.selfNotifies() + 1, barrier.waits());
        yield uniform(call, others(call) * block, 0, block, counted);
      }
      default -> throw new IllegalArgumentException(call.op() + " isn't a collective");
    };
  }

  private record Signals(long notifies, long selfNotifies, long waits) {}

  /** Signals of a call with so many mesh barriers on one set of cells. */
  private static Signals signals(Call call, long barriers) {
    return new Signals(others(call) * barriers, others(call), others(call) * barriers);
  }

  private static long others(Call call) {
    return call.ranks() - 1L;
  }

  private static CostCard uniform(
      Call call, long logical, long padding, long self, Signals signals) {
    RankCost cost =
        new RankCost(
            logical + padding,
            logical + padding,
            logical,
            self,
            signals.notifies(),
            signals.selfNotifies(),
            signals.waits());
    return new CostCard(java.util.Collections.nCopies(call.ranks(), cost), minimum(call));
  }

  private static CostCard broadcast(Call call) {
    long barriers = call.rail() == Rail.HOST ? Math.ceilDiv(call.elements(), HOST_TILE) : 1;
    Signals signals = signals(call, barriers);
    List<RankCost> costs = new ArrayList<>();
    for (int rank = 0; rank < call.ranks(); rank++) {
      boolean root = rank == call.root();
      long in = root ? 0 : call.bytes();
      costs.add(
          new RankCost(
              in,
              root ? others(call) * call.bytes() : 0,
              in,
              root ? call.bytes() : 0,
              signals.notifies(),
              signals.selfNotifies(),
              signals.waits()));
    }
    return new CostCard(costs, minimum(call));
  }

  private static CostCard mesh(Call call) {
    boolean host = call.rail() == Rail.HOST;
    boolean pads = host || call.dtype() == DType.FP16;
    long moved = pads ? Build.roundUp(call.bytes(), ALIGNMENT) : call.bytes();
    long padding = others(call) * (moved - call.bytes());
    long logical = others(call) * call.bytes();
    if (host) {
      long barriers = call.blocks() + Math.ceilDiv(call.elements(), HOST_TILE);
      return uniform(
          call,
          logical,
          padding,
          0,
          new Signals(
              others(call) * barriers, others(call) * call.blocks(), others(call) * barriers));
    }
    long chunks = Math.ceilDiv(call.elements(), CHUNK_BYTES / call.dtype().bytes());
    return uniform(call, logical, padding, 0, signals(call, 1 + chunks));
  }

  private static CostCard ring(Call call) {
    int ranks = call.ranks();
    boolean host = call.rail() == Rail.HOST;
    long[] logical = new long[ranks];
    long[] moved = new long[ranks];
    for (int q = 0; q < ranks; q++) {
      logical[q] = (border(call, q + 1) - border(call, q)) * call.dtype().bytes();
      moved[q] =
          !host && call.dtype() == DType.FP16 ? Build.roundUp(logical[q], ALIGNMENT) : logical[q];
    }
    Signals signals = ringSignals(call);
    List<RankCost> costs = new ArrayList<>();
    for (int r = 0; r < ranks; r++) {
      int left = Math.floorMod(r - 1, ranks);
      costs.add(
          new RankCost(
              bothPhases(moved, left, r),
              bothPhases(moved, r, (r + 1) % ranks),
              bothPhases(logical, left, r),
              0,
              signals.notifies(),
              signals.selfNotifies(),
              signals.waits()));
    }
    return new CostCard(costs, minimum(call));
  }

  /** Everything twice but the two segments that a rank doesn't take part in moving. */
  private static long bothPhases(long[] segments, int first, int second) {
    long total = 0;
    for (long segment : segments) {
      total += 2 * segment;
    }
    return segments.length == 1 ? 0 : total - segments[first] - segments[second];
  }

  private static Signals ringSignals(Call call) {
    long others = others(call);
    if (call.rail() == Rail.HOST) {
      long each = (2 * others + 1) * others;
      return new Signals(each, each, each);
    }
    long chunks = ringChunks(call);
    return new Signals(
        4 * others * others * chunks, 2 * others * others, 4 * others * others * chunks);
  }

  /** Sub-chunks of the longest segment; every segment has as many barriers. */
  private static long ringChunks(Call call) {
    long longest = Math.ceilDiv(call.elements(), (long) call.ranks());
    if (call.dtype() == DType.FP16) {
      longest = Math.min(call.elements(), longest + FP16_BORDER - 1);
    }
    return Math.ceilDiv(longest, CHUNK_BYTES / call.dtype().bytes());
  }

  private static long border(Call call, long segment) {
    long n = call.elements();
    long ranks = call.ranks();
    if (call.rail() == Rail.HOST || call.dtype() != DType.FP16) {
      return segment * n / ranks;
    }
    return Math.min(n, Math.ceilDiv(segment * n, ranks * FP16_BORDER) * FP16_BORDER);
  }

  private static long minimum(Call call) {
    return switch (call.op()) {
      case BROADCAST -> call.ranks() == 1 ? 0 : call.bytes();
      case ALLREDUCE -> Math.ceilDiv(2 * others(call) * call.bytes(), (long) call.ranks());
      case ALLGATHER, ALL_TO_ALL, REDUCE_SCATTER -> others(call) * call.rowBytes();
      case ALL_TO_ALL_V -> others(call) * (call.bytes() / call.ranks());
      default -> 0;
    };
  }
}
