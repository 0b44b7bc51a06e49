package io.ringmaster.worker.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Optional;

/**
 * Sends signals to processes through handles that the kernel keeps (Linux 5.3 and later): a number
 * that a new process has got since never gets a signal that was meant for the old one.
 */
@SuppressWarnings("restricted") // Calling the kernel is what this class is for.
public final class Signals {

  public static final int TERM = 15;
  public static final int KILL = 9;

  /** The numbers of these calls are the same on every architecture. */
  private static final long PIDFD_OPEN = 434;

  private static final long PIDFD_SEND_SIGNAL = 424;

  private static final int NO_SUCH_PROCESS = 3;

  private final MethodHandle open;
  private final MethodHandle send;
  private final MethodHandle close;
  private final StructLayout captured = Linker.Option.captureStateLayout();
  private final VarHandle errno =
      captured.varHandle(java.lang.foreign.MemoryLayout.PathElement.groupElement("errno"));

  public Signals() {
    Linker linker = Linker.nativeLinker();
    var lookup = linker.defaultLookup();
    var call = lookup.findOrThrow("syscall");
    var keep = Linker.Option.captureCallState("errno");
    var variadic = Linker.Option.firstVariadicArg(1);
    open =
        linker.downcallHandle(
            call, FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT), keep, variadic);
    send =
        linker.downcallHandle(
            call,
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT),
            keep,
            variadic);
    close =
        linker.downcallHandle(
            lookup.findOrThrow("close"), FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  }

  /** A process that can be signalled, whoever gets its number later. */
  public final class Handle implements AutoCloseable {
    private final int descriptor;

    private Handle(int descriptor) {
      this.descriptor = descriptor;
    }

    /** Sends a signal; a process that has ended meanwhile is no fault. */
    public void send(int signal) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment state = arena.allocate(captured);
        long result = (long) send.invoke(state, PIDFD_SEND_SIGNAL, descriptor, signal, 0L, 0);
        int error = (int) errno.get(state, 0L);
        if (result != 0 && error != NO_SUCH_PROCESS) {
          throw new IllegalStateException("pidfd_send_signal fails with errno " + error);
        }
      } catch (Throwable e) {
        throw unexpected(e);
      }
    }

    @Override
    public void close() {
      try {
        var _ = (int) close.invoke(descriptor);
      } catch (Throwable e) {
        throw unexpected(e);
      }
    }
  }

  /**
   * A handle on the process that has this number now; empty when there is none.
   *
   * @throws IllegalStateException when the kernel has no such handles
   */
  public Optional<Handle> open(long pid) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(captured);
      long result = (long) open.invoke(state, PIDFD_OPEN, Math.toIntExact(pid), 0);
      if (result >= 0) {
        return Optional.of(new Handle(Math.toIntExact(result)));
      }
      int error = (int) errno.get(state, 0L);
      if (error == NO_SUCH_PROCESS) {
        return Optional.empty();
      }
      throw new IllegalStateException("pidfd_open fails with errno " + error);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static RuntimeException unexpected(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return e instanceof RuntimeException known ? known : new IllegalStateException(e);
  }
}
