package io.ringmaster.worker.device.opencl;

import io.ringmaster.worker.device.opencl.Buffers.Buffer;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The device's side of host memory in one run. Where device and host share their memory, it is the
 * same bytes, and each side waits for the other before it touches what that may be at. Elsewhere it
 * is a copy. From its making on, the copy is what counts, and the host's memory is brought up to
 * date, or the copy told, only for the bytes that the host looks at or changes: so signals that no
 * tile touches never leave the host, and data that the host doesn't look at never comes back before
 * the end.
 *
 * <p>Memory is known by its address, so a window's slice of each rank is a copy of its own.
 */
final class Mirrors implements AutoCloseable {

  /** Elements of a tile that lie in a memory; the tile may be gone by now. */
  private record Loan(WeakReference<Cells> cells, long from, long end) {
    boolean isOver() {
      Cells tile = cells.get();
      return tile == null || !tile.isLent();
    }
  }

  private static final class Mirror {
    static final int FEW = 64;

    final MemorySegment host;
    final Buffer buffer;
    final List<Loan> loans = new ArrayList<>();
    int most = FEW;
    final boolean shared;
    @Nullable MemorySegment mapped;
    Lane last;

    /** Whether commands have written there since the host last looked. */
    boolean written;

    /** Whether commands have used it since the host last waited for them. */
    boolean busy;

    Mirror(MemorySegment host, Buffer buffer, boolean shared, Lane lane) {
      this.host = host;
      this.buffer = buffer;
      this.shared = shared;
      this.last = lane;
    }
  }

  /** What the widest element of a kernel wants. */
  private static final long ALIGNMENT = 64;

  private final Programs programs;
  private final boolean sharing;
  private final Map<Long, Mirror> mirrors = new HashMap<>();

  /** Begins with none; {@code sharing} says whether the devices' memory is the host's. */
  Mirrors(Programs programs, boolean sharing) {
    this.programs = programs;
    this.sharing = sharing;
  }

  /** Whether host and devices have one memory. */
  boolean isSharing() {
    return sharing;
  }

  /** The device's copy, for a command that reads it and will be enqueued on {@code lane} next. */
  Buffer read(MemorySegment memory, Lane lane) {
    return used(mirror(memory, lane), lane, false);
  }

  /** The same for a command that changes these elements. */
  Buffer write(Memory box, Lane lane) {
    Mirror mirror = mirror(box.segment(), lane);
    callIn(mirror, box.from(), box.end());
    return used(mirror, lane, true);
  }

  private Mirror mirror(MemorySegment memory, Lane lane) {
    Mirror mirror = mirrors.get(memory.address());
    if (mirror == null) {
      mirror = make(memory, lane);
      if (!mirror.shared) {
        lane.write(mirror.buffer, 0, memory);
      }
    }
    return mirror;
  }

  /** As {@link #write}, for memory that is overwritten as a whole. */
  Buffer overwrite(MemorySegment memory, Lane lane) {
    Mirror mirror = mirrors.get(memory.address());
    if (mirror == null) {
      mirror = make(memory, lane);
    }
    callIn(mirror, 0, Long.MAX_VALUE);
    return used(mirror, lane, true);
  }

  /** Lets a tile's elements lie where they are until somebody changes them. */
  void lend(Memory box, Cells tile) {
    Mirror mirror = mirrors.get(box.segment().address());
    if (mirror == null) {
      throw new IllegalStateException("nothing is lent of memory that the device has no copy of");
    }
    if (mirror.loans.size() >= mirror.most) {
      mirror.loans.removeIf(Loan::isOver);
      mirror.most = Math.max(Mirror.FEW, 2 * mirror.loans.size());
    }
    mirror.loans.add(new Loan(new WeakReference<>(tile), box.from(), box.end()));
  }

  /** Before bytes change: who has elements there takes them along. */
  private static void callIn(Mirror mirror, long from, long end) {
    if (mirror.loans.isEmpty()) {
      return;
    }
    List<Loan> over = new ArrayList<>();
    mirror.loans.removeIf(
        loan -> {
          if (loan.from < end && from < loan.end) {
            over.add(loan);
            return true;
          }
          return loan.isOver();
        });
    for (Loan loan : over) {
      Cells tile = loan.cells.get();
      if (tile != null && tile.isLent()) {
        tile.own();
      }
    }
  }

  private Mirror make(MemorySegment memory, Lane lane) {
    boolean shared = sharing && memory.byteSize() > 0 && memory.address() % ALIGNMENT == 0;
    MemorySegment handle =
        shared
            ? lane.share(memory)
            : lane.allocate("a window or tensor", Math.max(memory.byteSize(), 1));
    var mirror = new Mirror(memory, new Buffer(handle), shared, lane);
    mirrors.put(memory.address(), mirror);
    return mirror;
  }

  private static Buffer used(Mirror mirror, Lane lane, boolean writes) {
    if (!mirror.last.equals(lane)) {
      // By the host, not by events: some drivers leave a queue alone that nobody waits for.
      mirror.last.finish();
      mirror.last = lane;
    }
    mirror.written |= writes;
    mirror.busy = true;
    return mirror.buffer;
  }

  /** Brings the host's bytes up to date. */
  void toHost(MemorySegment memory, long from, long bytes) {
    Mirror mirror = mirrors.get(memory.address());
    if (mirror == null || !mirror.written) {
      return;
    }
    if (mirror.shared) {
      mirror.last.unmap(mirror.buffer, mirror.last.map(mirror.buffer, mirror.host.byteSize()));
      mirror.written = false;
      mirror.busy = false;
    } else {
      mirror.last.read(mirror.buffer, from, mirror.host.asSlice(from, bytes));
    }
  }

  /** Before the host changes bytes: what commands read there, they have to have read. */
  void hostChanging(MemorySegment memory, long from, long bytes) {
    Mirror mirror = mirrors.get(memory.address());
    if (mirror != null && mirror.shared) {
      callIn(mirror, from, from + bytes);
      if (mirror.busy) {
        mirror.mapped = mirror.last.map(mirror.buffer, mirror.host.byteSize());
        mirror.written = false;
        mirror.busy = false;
      }
    }
  }

  /** Takes over what the host has changed. */
  void fromHost(MemorySegment memory, long from, long bytes) {
    Mirror mirror = mirrors.get(memory.address());
    if (mirror == null) {
      return;
    }
    if (mirror.shared) {
      MemorySegment mapped = mirror.mapped;
      if (mapped != null) {
        mirror.last.unmap(mirror.buffer, mapped);
        mirror.mapped = null;
      }
    } else {
      callIn(mirror, from, from + bytes);
      mirror.last.write(mirror.buffer, from, mirror.host.asSlice(from, bytes));
    }
  }

  @Override
  public void close() {
    Binding binding = programs.binding();
    for (Mirror mirror : mirrors.values()) {
      binding.code(binding.releaseMemObject, mirror.buffer.handle());
    }
    mirrors.clear();
  }
}
