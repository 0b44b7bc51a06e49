package io.ringmaster.worker.codegen;

import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.Region;
import io.ringmaster.worker.fabric.Site;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the iterations of one unordered loop have touched, in the order in which they ran here. */
final class Iterations {

  /** Accesses that one loop remembers; of a loop with more, nothing is said but that. */
  private static final int MOST = 1 << 19;

  /**
   * The head of a loop.
   *
   * @param variable name of what it counts with
   */
  record Loop(Stmt.LoopKind kind, String variable, Span span) {

    boolean isBlocks() {
      return kind == Stmt.LoopKind.BLOCKS;
    }

    String spelling() {
      return isBlocks() ? "pl.spmd" : "pl.parallel";
    }

    /** An iteration, as a kernel's author would call it. */
    String iteration(long number) {
      return isBlocks() ? "block " + number : "iteration " + variable + " = " + number;
    }
  }

  /**
   * An iteration touched bytes.
   *
   * @param view the tensor as the kernel sees it, to name its rows
   */
  record Touch(Access.Kind kind, long number, Site site, TensorView view) {

    /** Any two but two reads or two atomic adds, of different iterations. */
    boolean conflictsWith(Touch other) {
      return number != other.number && (kind == Access.Kind.WRITE || kind != other.kind);
    }
  }

  /** {@code rows} runs of {@code rowBytes} bytes, {@code rowStride} apart. */
  record Run(long from, long rows, long rowBytes, long rowStride, Touch touch) {}

  private final Loop loop;
  private final Map<Region, List<Run>> runs = new LinkedHashMap<>();
  private final Set<Region> changed = new HashSet<>();
  private long number;
  private boolean several;
  private int count;

  Iterations(Loop loop) {
    this.loop = loop;
  }

  Loop loop() {
    return loop;
  }

  long number() {
    return number;
  }

  void next(long value) {
    several |= !runs.isEmpty();
    number = value;
  }

  void touch(
      Region region, long from, long rows, long rowBytes, long rowStride, Touch touch) {
    if (tooMany() || ++count > MOST) {
      runs.clear();
      return;
    }
    runs.computeIfAbsent(region, _ -> new ArrayList<>())
        .add(new Run(from, rows, rowBytes, rowStride, touch));
    if (touch.kind() != Access.Kind.READ) {
      changed.add(region);
    }
  }

  /** True when there were too many accesses to remember them. */
  boolean tooMany() {
    return count > MOST;
  }

  /** What was touched of each region that an iteration changed, if there were several. */
  List<List<Run>> changed() {
    if (!several || tooMany()) {
      return List.of();
    }
    return runs.entrySet().stream()
        .filter(entry -> changed.contains(entry.getKey()))
        .map(Map.Entry::getValue)
        .toList();
  }
}
