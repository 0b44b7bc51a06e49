package io.ringmaster.worker.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Large pieces of memory that runs have given back, for the next run to take: fresh memory costs a
 * page fault every 4 KiB. May be shared between threads.
 */
public final class SpareMemory {

  /** Pieces of other sizes come from and go to the system. */
  private static final long SMALLEST = 64 << 10;

  /** The window of a mixture of experts at full width has 192 MiB. */
  private static final long MOST = 256L << 20;

  private final List<MemorySegment> pieces = new ArrayList<>();
  private long kept;

  /**
   * A piece of memory.
   *
   * @param zeroed false when it may hold anything
   */
  record Piece(MemorySegment memory, boolean zeroed, boolean spare) {}

  /**
   * Takes a piece, or allocates one in {@code arena} if it is of a size that isn't kept.
   *
   * @param what what it is for, for people
   */
  Piece take(String what, long bytes, Arena arena) {
    if (bytes < SMALLEST || bytes > MOST) {
      return new Piece(ZeroedMemory.allocate(what, bytes, arena), true, false);
    }
    synchronized (pieces) {
      for (int i = pieces.size() - 1; i >= 0; i--) {
        MemorySegment piece = pieces.get(i);
        if (piece.byteSize() == bytes) {
          pieces.remove(i);
          kept -= bytes;
          return new Piece(piece, false, true);
        }
      }
    }
    return new Piece(ZeroedMemory.allocate(what, bytes, Arena.ofAuto()), true, true);
  }

  /** Gives a piece back; nobody may use it any more. */
  void give(Piece piece) {
    if (!piece.spare()) {
      return;
    }
    synchronized (pieces) {
      pieces.add(piece.memory());
      kept += piece.memory().byteSize();
      while (kept > MOST) {
        kept -= pieces.removeFirst().byteSize();
      }
    }
  }
}
