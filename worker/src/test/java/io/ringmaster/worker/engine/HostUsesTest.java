package io.ringmaster.worker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.codegen.CompiledFunction;
import io.ringmaster.worker.codegen.Executable;
import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.Fabric;
import io.ringmaster.worker.fabric.HostRegion;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.ir.IrParser;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Tasks that touch a common byte of a host tensor, one of them writing, are in order; the others
 * aren't made to wait: beside a model that compares every task with every other.
 */
class HostUsesTest {

  private static final int SIDE = 12;

  private record Planned(Task task, BitSet reads, BitSet writes, Set<Integer> after) {

    boolean conflictsWith(Planned other) {
      return writes.intersects(other.writes)
          || writes.intersects(other.reads)
          || reads.intersects(other.writes);
    }
  }

  @Test
  void exactlyConflictingTasksAreOrdered() {
    CompiledFunction function =
        Executable.of(
                IrParser.parse(
                    """
                    @pl.program
                    class P:
                        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
                        def host(self):
                            n = pld.world_size()
                    """))
            .entry();
    for (int seed = 1; seed <= 20; seed++) {
      try (var fabric = new Fabric(List.of(), 1 << 20)) {
        HostRegion region = fabric.host(HostBuffer.allocate(SIDE * SIDE), "x", SIDE);
        check(plan(function, region, new Random(seed)), "seed " + seed);
      }
    }
  }

  private static List<Planned> plan(CompiledFunction function, HostRegion region, Random random) {
    var uses = new HostUses();
    List<Planned> all = new ArrayList<>();
    int[] last = {-1, -1, -1};
    for (int id = 0; id < 120; id++) {
      int rank = random.nextInt(3);
      List<HostUses.Touch> touches = new ArrayList<>();
      var reads = new BitSet();
      var writes = new BitSet();
      for (int i = random.nextInt(3); i >= 0; i--) {
        boolean written = random.nextBoolean();
        TensorView view = view(region, random);
        touches.add(HostUses.Touch.of(view, region, written));
        mark(view, written ? writes : reads);
      }
      Set<Task> before = new LinkedHashSet<>();
      uses.before(touches, before);
      before.removeIf(earlier -> earlier.info.rank() == rank);
      Set<Integer> after = new LinkedHashSet<>();
      before.forEach(earlier -> after.add((int) earlier.info.id()));
      if (last[rank] >= 0) {
        after.add(last[rank]);
      }
      last[rank] = id;
      var info = new DispatchInfo(id, rank, "f", List.of(), Span.NONE);
      var task = new Task(info, function, new Object[0], Map.of(), List.of());
      uses.add(touches, task);
      all.add(new Planned(task, reads, writes, after));
    }
    return all;
  }

  /** A row, some rows, a column, one element or nothing. */
  private static TensorView view(HostRegion region, Random random) {
    int row = random.nextInt(SIDE);
    int column = random.nextInt(SIDE);
    int rows = 1 + random.nextInt(SIDE - row);
    long[] strides = {SIDE, 1};
    return switch (random.nextInt(5)) {
      case 0 ->
          new TensorView(region, (long) row * SIDE, new long[] {1, SIDE}, strides, DType.INT8);
      case 1 ->
          new TensorView(region, (long) row * SIDE, new long[] {rows, SIDE}, strides, DType.INT8);
      case 2 -> new TensorView(region, column, new long[] {SIDE, 1}, strides, DType.INT8);
      case 3 ->
          new TensorView(
              region, (long) row * SIDE + column, new long[] {1, 1}, strides, DType.INT8);
      default -> new TensorView(region, 0, new long[] {0, SIDE}, strides, DType.INT8);
    };
  }

  private static void mark(TensorView view, BitSet bytes) {
    for (long i = 0; i < view.shape()[0]; i++) {
      for (long j = 0; j < view.shape()[1]; j++) {
        bytes.set((int) (view.start() + i * SIDE + j));
      }
    }
  }

  private static void check(List<Planned> all, String seed) {
    List<BitSet> reached = new ArrayList<>();
    for (Planned later : all) {
      var reach = new BitSet();
      for (int earlier : later.after()) {
        reach.set(earlier);
        reach.or(reached.get(earlier));
      }
      reached.add(reach);
      for (int i = 0; i < reached.size() - 1; i++) {
        Planned earlier = all.get(i);
        if (earlier.conflictsWith(later)) {
          assertThat(reach.get(i)).as("%s: %d before %d", seed, i, reached.size() - 1).isTrue();
        } else if (later.after().contains(i)) {
          assertThat(earlier.task().info.rank())
              .as("%s: %d needn't wait for %d", seed, reached.size() - 1, i)
              .isEqualTo(later.task().info.rank());
        }
      }
    }
  }
}
