package io.ringmaster.worker.fabric;

import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.HostAccess;
import io.ringmaster.worker.tensor.HostBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory that ranks of one run share, and the only place that tells listeners what happens to
 * it. Belongs to one thread; {@link #close()} frees the memory.
 */
public final class Fabric implements AutoCloseable {

  private final Arena arena = Arena.ofConfined();
  private final List<Window> windows = new ArrayList<>();
  private final FabricListener events;
  private final boolean observed;
  private final boolean ordered;
  private final long memoryLimit;
  private final boolean lazy;
  private final List<HostRegion> hosts = new ArrayList<>();
  private final SpareMemory spare;
  private final @Nullable HostAccess access;
  private final List<SpareMemory.Piece> taken = new ArrayList<>();
  private long usedBytes;
  private long notifications;
  private long waits;

  /**
   * @param memoryLimit bytes that windows and tensors made by kernels may take together
   */
  public Fabric(List<? extends FabricListener> listeners, long memoryLimit) {
    this(listeners, memoryLimit, false, new SpareMemory());
  }

  /**
   * @param lazy whether windows and tensors take memory only when they are first touched
   * @param spare where windows take memory from, and where it goes back to
   */
  public Fabric(
      List<? extends FabricListener> listeners, long memoryLimit, boolean lazy, SpareMemory spare) {
    this(listeners, memoryLimit, lazy, spare, null);
  }

  /**
   * As above, for a device with memory of its own.
   *
   * @param access whom to tell when the host looks at memory or changes it; null for nobody
   */
  public Fabric(
      List<? extends FabricListener> listeners,
      long memoryLimit,
      boolean lazy,
      SpareMemory spare,
      @Nullable HostAccess access) {
    this.access = access;
    this.lazy = lazy;
    this.spare = spare;
    this.events = listeners.size() == 1 ? listeners.getFirst() : new Listeners(listeners);
    this.observed = !listeners.isEmpty();
    this.ordered = listeners.stream().anyMatch(FabricListener::needsOrder);
    this.memoryLimit = memoryLimit;
  }

  /** True when somebody listens; without it nobody should build events. */
  public boolean observed() {
    return observed;
  }

  /** True when somebody listens who has to hear events in the order of virtual time. */
  public boolean ordered() {
    return ordered;
  }

  /** Where events go; also when nobody listens. */
  public FabricListener events() {
    return events;
  }

  public List<Window> windows() {
    return windows;
  }

  /** Bytes allocated so far. */
  public long usedBytes() {
    return usedBytes;
  }

  /** Makes a zeroed window. */
  public Window allocate(String buffer, String domain, List<Integer> members, long logicalBytes) {
    long slot = Window.slotBytes(Math.max(logicalBytes, 1));
    long bytes = Math.multiplyExact(slot, members.size());
    var info = new WindowInfo(windows.size(), buffer, domain, members, logicalBytes);
    var window = new Window(info, () -> take("window buffer '" + buffer + "'", bytes), access);
    if (!lazy) {
      window.memory(0);
    }
    windows.add(window);
    return window;
  }

  /** Fills a new window with what an earlier run left in it, and says so. */
  public void restore(Window window, KeptWindows kept) {
    if (kept.restore(window) && observed) {
      events.kept(window.info());
    }
  }

  /** Remembers what the windows hold for a later run. */
  public void keep(KeptWindows kept) {
    kept.keep(windows);
  }

  /** Makes zeroed memory that one rank owns; none at all if this fabric is lazy. */
  public LocalRegion local(String what, long bytes) {
    if (lazy) {
      return new LocalRegion(MemorySegment.NULL, bytes);
    }
    return new LocalRegion(reserve(what, Math.max(bytes, 1)), bytes);
  }

  private MemorySegment reserve(String what, long bytes) {
    count(what, bytes);
    return ZeroedMemory.allocate(what, bytes, arena);
  }

  private SpareMemory.Piece take(String what, long bytes) {
    count(what, bytes);
    SpareMemory.Piece piece = spare.take(what, bytes, arena);
    taken.add(piece);
    return piece;
  }

  private void count(String what, long bytes) {
    if (bytes > memoryLimit - usedBytes) {
      throw new MemoryLimitExceeded(what, bytes, usedBytes, memoryLimit);
    }
    usedBytes += bytes;
  }

  /** Makes the region of a host tensor. */
  public HostRegion host(HostBuffer buffer, String name, long rowBytes) {
    var region = new HostRegion(buffer, name, rowBytes);
    hosts.add(region);
    return region;
  }

  /** Has to be called before anything but a kernel writes to host tensors. */
  public void hostChanging() {
    hosts.forEach(host -> host.changing(0, host.bytes()));
  }

  /** Number for the next notification. */
  public long nextNotification() {
    return notifications++;
  }

  /** Number for the next wait. */
  public long nextWait() {
    return waits++;
  }

  /** Changes the cell of a notification that has arrived and says so; returns the new value. */
  public int apply(Notification notification, WindowSlice slice, long nanos) {
    int before = slice.cell(notification.cell());
    int after = notification.set() ? notification.value() : before + notification.value();
    slice.setCell(notification.cell(), after);
    if (observed) {
      events.applied(notification, before, after, nanos);
    }
    return after;
  }

  /** Changes a cell of which nobody is told; returns the new value. */
  public static int apply(WindowSlice slice, long cell, int value, boolean set) {
    int after = set ? value : slice.cell(cell) + value;
    slice.setCell(cell, after);
    return after;
  }

  /** Reports an access if the box lies in a window; other memory isn't shared between ranks. */
  public void accessed(
      int rank, Operation operation, Access.Kind kind, Box box, Span span, long nanos) {
    if (!observed || !(box.region() instanceof WindowSlice slice)) {
      return;
    }
    box.rows(
        (from, rows, rowBytes, rowStride) ->
            events.accessed(
                new Access(
                    rank,
                    slice.owner(),
                    slice.info(),
                    kind,
                    operation,
                    from,
                    rows,
                    rowBytes,
                    rowStride,
                    span,
                    nanos)));
  }

  /** Reports an access to one element. */
  public void accessedElement(
      int rank,
      Operation operation,
      Access.Kind kind,
      Region region,
      long from,
      int bytes,
      Span span,
      long nanos) {
    if (observed && region instanceof WindowSlice slice) {
      events.accessed(
          new Access(
              rank,
              slice.owner(),
              slice.info(),
              kind,
              operation,
              from,
              1,
              bytes,
              bytes,
              span,
              nanos));
    }
  }

  @Override
  public void close() {
    // First, since it fails where the fabric is closed already: no piece may be given back twice.
    arena.close();
    taken.forEach(spare::give);
    taken.clear();
  }
}
