package io.ringmaster.worker.isolated;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/**
 * Takes the pipes to the parent away from the descriptors 0 and 1, on which a driver, or what it
 * starts, may read and print: they lead to nothing and to stderr from then on. Linux only.
 */
@SuppressWarnings("restricted") // Calling the C library is what this class is for.
final class Descriptors {

  private static final int DUPLICATE_PRIVATELY = 1030;
  private static final int FIRST_FREE = 3;
  private static final int READ_WRITE = 2;

  private final Linker linker = Linker.nativeLinker();

  private Descriptors() {}

  /** The pipes. */
  record Pipes(InputStream from, OutputStream to) {}

  /**
   * Does it, once.
   *
   * @throws IOException when the process has no such pipes
   */
  static Pipes takeOver() throws IOException {
    var calls = new Descriptors();
    // A session of its own: who is started from here belongs to it, and no key of a terminal ends
    // it before its parent does.
    var _ = calls.call("setsid", FunctionDescriptor.of(JAVA_INT));
    int in = calls.duplicate(0);
    int out = calls.duplicate(1);
    var pipes =
        new Pipes(
            new FileInputStream("/proc/self/fd/" + in),
            new FileOutputStream("/proc/self/fd/" + out));
    int nothing = calls.nothing();
    calls.replace(nothing, 0);
    calls.close(nothing);
    calls.replace(2, 1);
    calls.close(in);
    calls.close(out);
    return pipes;
  }

  private int duplicate(int descriptor) throws IOException {
    var type = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
    return checked(
        "fcntl",
        call(
            "fcntl",
            type,
            Linker.Option.firstVariadicArg(2),
            descriptor,
            DUPLICATE_PRIVATELY,
            FIRST_FREE));
  }

  private int nothing() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      var type = FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT);
      return checked("open", call("open", type, arena.allocateFrom("/dev/null"), READ_WRITE));
    }
  }

  private void replace(int with, int descriptor) throws IOException {
    var type = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT);
    var _ = checked("dup2", call("dup2", type, with, descriptor));
  }

  private void close(int descriptor) throws IOException {
    var _ = checked("close", call("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT), descriptor));
  }

  private static int checked(String what, int result) throws IOException {
    if (result < 0) {
      throw new IOException(what + " fails; a child process gets its tasks from its parent");
    }
    return result;
  }

  private int call(String name, FunctionDescriptor type, Object... arguments) {
    return invoke(handle(name, type), arguments);
  }

  private int call(
      String name, FunctionDescriptor type, Linker.Option option, Object... arguments) {
    return invoke(handle(name, type, option), arguments);
  }

  private MethodHandle handle(String name, FunctionDescriptor type, Linker.Option... options) {
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, options);
  }

  private static int invoke(MethodHandle handle, Object... arguments) {
    try {
      return (int) handle.invokeWithArguments(arguments);
    } catch (Throwable e) {
      if (e instanceof Error error) {
        throw error;
      }
      throw e instanceof RuntimeException known ? known : new IllegalStateException(e);
    }
  }
}
