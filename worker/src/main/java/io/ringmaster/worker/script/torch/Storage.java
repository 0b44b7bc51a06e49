package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.check.Alteration;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.check.Output;
import io.ringmaster.worker.script.check.Reads;
import io.ringmaster.worker.tensor.HostBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The memory behind one or more tensors, and where its content stems from. */
public final class Storage {

  /** What one range of written bytes takes. */
  private static final long RANGE_BYTES = 96;

  private final HostBuffer buffer;
  private final int line;
  private Origin content = Origin.NONE;
  private long sharedAt = Long.MAX_VALUE;
  private boolean patched;
  private boolean overwritten;
  private boolean exact;
  private final List<Written> outputs = new ArrayList<>();
  private final List<Altered> altered = new ArrayList<>();

  /** Bytes that are a launch's output. */
  private record Written(Output output, long from, long to) {}

  /** Bytes that the script has changed since a kernel wrote them. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Altered(Alteration alteration, long[] ranges) {}

  /**
   * Memory with nothing in it.
   *
   * @param line of the script that asked for it
   */
  Storage(HostBuffer buffer, int line) {
    this.buffer = buffer;
    this.line = line;
  }

  /** Line of the script that made it; 0 for none. */
  public int line() {
    return line;
  }

  HostBuffer buffer() {
    return buffer;
  }

  /** Where computed content stems from; what a kernel wrote here directly is not part of it. */
  Origin content() {
    return content;
  }

  /** Data of that origin is mixed in. */
  void mix(Origin origin) {
    boolean own = origin.altered().isPresent() && knows(origin.altered().get());
    content = content.and((own ? origin.altered(Optional.empty()) : origin).withoutPair());
  }

  /** True for what is remembered of these bytes anyway, until a kernel writes them again. */
  @SuppressWarnings("ReferenceEquality")
  private boolean knows(Alteration alteration) {
    return altered.stream().anyMatch(one -> one.alteration == alteration);
  }

  /**
   * The script overwrites bytes itself: they are no longer missing, and no longer a kernel's. When
   * it overwrites all, nothing is left of what was there.
   *
   * @param ranges ascending and apart: from, to, from, to...
   * @param exact false when some bytes between are left as they were
   * @return bytes of heap that it takes to remember this
   */
  long overwritten(long[] ranges, boolean all, boolean exact) {
    overwritten = true;
    this.exact = false;
    patched = !all;
    if (all) {
      content = Origin.NONE;
      outputs.clear();
      buffer.promised().clear();
      buffer.written().clear();
      buffer.stale().clear();
      return 0;
    }
    int before = ranges();
    for (int i = 0; i < ranges.length; i += 2) {
      if (exact) {
        cut(ranges[i], ranges[i + 1]);
        buffer.promised().remove(ranges[i], ranges[i + 1]);
        buffer.written().remove(ranges[i], ranges[i + 1]);
        buffer.stale().remove(ranges[i], ranges[i + 1]);
      } else if (buffer.promised().intersects(ranges[i], ranges[i + 1])) {
        buffer.written().add(ranges[i], ranges[i + 1]);
      }
    }
    return Math.max(0, ranges() - before) * RANGE_BYTES;
  }

  /** The script is about to change bytes, of which kernels may have written some. */
  void changed(long[] ranges, Supplier<Change> change) {
    Reads hit = reads(ranges).written();
    if (hit.isEmpty()) {
      return;
    }
    Change made = change.get();
    Change.How how = made.of(hit);
    switch (how) {
      case FUNCTION, MEAN -> {}
      case BLANK -> {
        for (int i = 0; i < hit.outputs().size(); i++) {
          hit.outputs().get(i).blanked(hit.ranges(i), made.line());
        }
      }
      case DIFFERENCE, REPAIR -> {
        boolean difference = how == Change.How.DIFFERENCE;
        var alteration = new Alteration(hit, difference, made.text(), made.line());
        hit.outputs().forEach(output -> output.altered(alteration));
        altered.add(new Altered(alteration, ranges));
      }
    }
  }

  /** What the script has done itself to any of some bytes since a kernel wrote them. */
  Optional<Alteration> altered(Supplier<long[]> view) {
    if (altered.isEmpty()) {
      return Optional.empty();
    }
    long[] ranges = view.get();
    return altered.stream()
        .filter(one -> intersect(one.ranges, ranges))
        .map(Altered::alteration)
        .findFirst();
  }

  private static boolean intersect(long[] one, long[] other) {
    for (int i = 0; i < one.length; i += 2) {
      for (int j = 0; j < other.length; j += 2) {
        if (one[i] < other[j + 1] && other[j] < one[i + 1]) {
          return true;
        }
      }
    }
    return false;
  }

  /** A kernel is about to write all of this: what the script had done to it counts no more. */
  void isNew() {
    altered.clear();
    content = content.altered(Optional.empty());
  }

  /** All of it is a copy of what a kernel wrote, without loss. */
  void isCopyOfKernels() {
    exact = true;
  }

  /** True while all of it is such a copy. */
  boolean isExact() {
    return exact;
  }

  /** From now on {@link #isOverwritten} says what is written. */
  public void watch() {
    overwritten = false;
  }

  /** True when the script has written into it since {@link #watch}. */
  public boolean isOverwritten() {
    return overwritten;
  }

  /** True when the script has overwritten a part of it. */
  boolean isPatched() {
    return patched;
  }

  private int ranges() {
    return buffer.promised().count() + buffer.written().count() + buffer.stale().count();
  }

  /**
   * A kernel is about to write all of this as its output: what an earlier one wrote doesn't count
   * as written by this one.
   */
  public void expectOutput() {
    patched = false;
    if (!buffer.promised().isEmpty()) {
      content = content.and(Origin.KERNEL);
      buffer.promised().clear();
      buffer.written().moveTo(buffer.stale());
    }
  }

  /** A launch is about to write these bytes. */
  void writtenBy(Output output, long from, long to) {
    cut(from, to);
    uncover(from, to);
    outputs.add(new Written(output, from, to));
  }

  private void uncover(long from, long to) {
    for (int i = altered.size() - 1; i >= 0; i--) {
      Altered old = altered.remove(i);
      long[] left = Reads.difference(old.ranges, new long[] {from, to});
      if (left.length > 0) {
        altered.add(i, new Altered(old.alteration, left));
      }
    }
  }

  private void cut(long from, long to) {
    for (int i = outputs.size() - 1; i >= 0; i--) {
      Written old = outputs.get(i);
      if (old.from < to && from < old.to) {
        outputs.remove(i);
        if (old.to > to) {
          outputs.add(i, new Written(old.output, to, old.to));
        }
        if (old.from < from) {
          outputs.add(i, new Written(old.output, old.from, from));
        }
      }
    }
  }

  /**
   * Which outputs bytes belong to.
   *
   * @param ranges ascending and apart: from, to, from, to...
   */
  Reads reads(long[] ranges) {
    Reads reads = Reads.NONE;
    for (Written one : outputs) {
      long[] within = new long[ranges.length];
      int count = 0;
      for (int i = 0; i < ranges.length; i += 2) {
        long from = Math.max(ranges[i], one.from);
        long to = Math.min(ranges[i + 1], one.to);
        if (from < to) {
          within[count++] = from;
          within[count++] = to;
        }
      }
      reads = reads.and(Reads.of(one.output, java.util.Arrays.copyOf(within, count)));
    }
    return reads;
  }

  boolean hasOutputs() {
    return !outputs.isEmpty();
  }

  void share(long now) {
    sharedAt = Math.min(sharedAt, now);
  }

  boolean isShared() {
    return sharedAt != Long.MAX_VALUE;
  }

  /** True when it was shared at an earlier step of the script. */
  public boolean isSharedBefore(long step) {
    return sharedAt <= step;
  }
}
