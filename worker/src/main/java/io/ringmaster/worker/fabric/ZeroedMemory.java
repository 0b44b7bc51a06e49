package io.ringmaster.worker.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Zeroed memory. Large pieces come from the C library, which gets pages that are zero already: they
 * cost something only once they are touched, while an arena writes zeros to all of them.
 */
final class ZeroedMemory {

  private static final long ALIGNMENT = 64;

  /** Below this, writing zeros costs less than the first call of the C library. */
  private static final long LARGE = 16L << 20;

  private ZeroedMemory() {}

  /** The C library's functions, looked up when they are first needed. */
  @SuppressWarnings("restricted") // Signatures as in the C standard.
  private static final class Library {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle CALLOC =
        LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("calloc"),
            FunctionDescriptor.of(
                ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    private static final MethodHandle FREE =
        LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("free"),
            FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));
  }

  /**
   * Memory that lives as long as the arena.
   *
   * @param what what it is for, for people
   * @throws MemoryLimitExceeded when the machine has none left
   */
  @SuppressWarnings("restricted") // The size is the one that was asked for.
  static MemorySegment allocate(String what, long bytes, Arena arena) {
    if (bytes < LARGE) {
      return arena.allocate(bytes, ALIGNMENT);
    }
    MemorySegment found = calloc(bytes + ALIGNMENT);
    if (found.address() == 0) {
      throw MemoryLimitExceeded.ofTheMachine(what, bytes);
    }
    MemorySegment all = found.reinterpret(bytes + ALIGNMENT, arena, ZeroedMemory::free);
    return all.asSlice(-found.address() & (ALIGNMENT - 1), bytes);
  }

  private static MemorySegment calloc(long bytes) {
    try {
      return (MemorySegment) Library.CALLOC.invokeExact(bytes, 1L);
    } catch (Throwable e) {
      throw new IllegalStateException("calloc", e);
    }
  }

  private static void free(MemorySegment memory) {
    try {
      Library.FREE.invokeExact(memory);
    } catch (Throwable e) {
      throw new IllegalStateException("free", e);
    }
  }
}
