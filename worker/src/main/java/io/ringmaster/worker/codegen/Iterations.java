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

    boolean isTasks() {
      return kind == Stmt.LoopKind.TASKS;
    }

    boolean isBlocks() {
      return kind == Stmt.LoopKind.BLOCKS;
    }

    String spelling() {
      if (isTasks()) {
        return "pl.manual_scope";
      }
      return isBlocks() ? "pl.spmd loop" : "pl.parallel loop";
    }

    /** What nothing orders. */
    String unit() {
      if (isTasks()) {
        return "task";
      }
      return isBlocks() ? "block" : "iteration";
    }
  }

  /** An iteration, as a kernel's author would call it. */
  String name(long value) {
    if (loop.isTasks()) {
      return "task " + value + " (line " + tasks.get((int) value - 1).line() + ")";
    }
    return loop.isBlocks() ? "block " + value : "iteration " + loop.variable() + " = " + value;
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
  private final List<Span> tasks = new ArrayList<>();
  private long number;
  private boolean between;
  private boolean several;
  private int count;

  Iterations(Loop loop) {
    this.loop = loop;
    this.between = loop.isTasks();
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

  /** A task begins, if it is one of this scope's. */
  void beginTask(Span span) {
    if (loop.isTasks()) {
      tasks.add(span);
      between = false;
      next(tasks.size());
    }
  }

  /** What comes now is the scope's own, which is in order with all its tasks. */
  void endTask() {
    between = loop.isTasks();
  }

  void touch(Region region, long from, long rows, long rowBytes, long rowStride, Touch touch) {
    if (between) {
      return;
    }
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
