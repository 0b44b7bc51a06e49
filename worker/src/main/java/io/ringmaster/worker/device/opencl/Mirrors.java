package io.ringmaster.worker.device.opencl;

import io.ringmaster.worker.device.opencl.Buffers.Buffer;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The device's copies of host memory in one run. From its making on, the copy is what counts, and
 * the host's memory is brought up to date, or the copy told, only for the bytes that the host looks
 * at or changes: so signals that no tile touches never leave the host, and data that the host
 * doesn't look at never comes back before the end.
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
    Lane last;
    boolean written;

    Mirror(MemorySegment host, Buffer buffer, Lane lane) {
      this.host = host;
      this.buffer = buffer;
      this.last = lane;
    }
  }

  private final Programs programs;
  private final Map<Long, Mirror> mirrors = new HashMap<>();

  Mirrors(Programs programs) {
    this.programs = programs;
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
      lane.write(mirror.buffer, 0, memory);
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
    long bytes = Math.max(memory.byteSize(), 1);
    var buffer = new Buffer(lane.allocate("a window or tensor", bytes));
    var mirror = new Mirror(memory, buffer, lane);
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
    return mirror.buffer;
  }

  /** Brings the host's bytes up to date. */
  void toHost(MemorySegment memory, long from, long bytes) {
    Mirror mirror = mirrors.get(memory.address());
    if (mirror != null && mirror.written) {
      mirror.last.read(mirror.buffer, from, mirror.host.asSlice(from, bytes));
    }
  }

  /** Takes over what the host has changed. */
  void fromHost(MemorySegment memory, long from, long bytes) {
    Mirror mirror = mirrors.get(memory.address());
    if (mirror != null) {
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
