package io.ringmaster.worker.device.opencl;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The functions of the OpenCL library that are used here, as the library has them: each returns its
 * error code, or writes it to its last argument. Everything is in OpenCL 1.2, so that any driver
 * has it. Thread-safe, but for the arguments of one kernel object.
 */
@SuppressWarnings("restricted") // Calling native code is what this class is for.
final class Binding {

  /** Names of the library, best first. */
  private static final List<String> NAMES = List.of("libOpenCL.so.1", "libOpenCL.so", "OpenCL");

  /** The functions by name, for whoever wants to know which one doesn't return. */
  private static final Map<MethodHandle, String> FUNCTIONS =
      Collections.synchronizedMap(new IdentityHashMap<>());

  private static volatile @Nullable MethodHandle running;

  private final Linker linker = Linker.nativeLinker();
  private final SymbolLookup library;

  final MethodHandle getPlatformIds;
  final MethodHandle getPlatformInfo;
  final MethodHandle getDeviceIds;
  final MethodHandle getDeviceInfo;
  final MethodHandle createContext;
  final MethodHandle createCommandQueue;
  final MethodHandle releaseCommandQueue;
  final MethodHandle createBuffer;
  final MethodHandle releaseMemObject;
  final MethodHandle createProgramWithSource;
  final MethodHandle buildProgram;
  final MethodHandle getProgramBuildInfo;
  final MethodHandle createKernel;
  final MethodHandle releaseKernel;
  final MethodHandle setKernelArg;
  final MethodHandle enqueueNdRangeKernel;
  final MethodHandle enqueueReadBuffer;
  final MethodHandle enqueueWriteBuffer;
  final MethodHandle enqueueCopyBuffer;
  final MethodHandle enqueueFillBuffer;
  final MethodHandle enqueueMapBuffer;
  final MethodHandle enqueueUnmapMemObject;
  final MethodHandle finish;

  /**
   * Loads the library.
   *
   * @throws IllegalArgumentException when it isn't on this host
   * @throws java.util.NoSuchElementException when it lacks a function of OpenCL 1.2
   */
  Binding() {
    library = load();
    getPlatformIds = function("clGetPlatformIDs", JAVA_INT, ADDRESS, ADDRESS);
    getPlatformInfo = function("clGetPlatformInfo", ADDRESS, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);
    getDeviceIds = function("clGetDeviceIDs", ADDRESS, JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS);
    getDeviceInfo = function("clGetDeviceInfo", ADDRESS, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);
    createContext = maker("clCreateContext", ADDRESS, JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
    createCommandQueue = maker("clCreateCommandQueue", ADDRESS, ADDRESS, JAVA_LONG, ADDRESS);
    releaseCommandQueue = function("clReleaseCommandQueue", ADDRESS);
    createBuffer = maker("clCreateBuffer", ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS, ADDRESS);
    releaseMemObject = function("clReleaseMemObject", ADDRESS);
    createProgramWithSource =
        maker("clCreateProgramWithSource", ADDRESS, JAVA_INT, ADDRESS, ADDRESS, ADDRESS);
    buildProgram =
        function("clBuildProgram", ADDRESS, JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
    getProgramBuildInfo =
        function("clGetProgramBuildInfo", ADDRESS, ADDRESS, JAVA_INT, JAVA_LONG, ADDRESS, ADDRESS);
    createKernel = maker("clCreateKernel", ADDRESS, ADDRESS, ADDRESS);
    releaseKernel = function("clReleaseKernel", ADDRESS);
    setKernelArg = function("clSetKernelArg", ADDRESS, JAVA_INT, JAVA_LONG, ADDRESS);
    enqueueNdRangeKernel =
        function(
            "clEnqueueNDRangeKernel",
            ADDRESS,
            ADDRESS,
            JAVA_INT,
            ADDRESS,
            ADDRESS,
            ADDRESS,
            JAVA_INT,
            ADDRESS,
            ADDRESS);
    enqueueReadBuffer = transfer("clEnqueueReadBuffer");
    enqueueWriteBuffer = transfer("clEnqueueWriteBuffer");
    enqueueCopyBuffer =
        function(
            "clEnqueueCopyBuffer",
            ADDRESS,
            ADDRESS,
            ADDRESS,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_INT,
            ADDRESS,
            ADDRESS);
    enqueueFillBuffer =
        function(
            "clEnqueueFillBuffer",
            ADDRESS,
            ADDRESS,
            ADDRESS,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_INT,
            ADDRESS,
            ADDRESS);
    enqueueMapBuffer =
        maker(
            "clEnqueueMapBuffer",
            ADDRESS,
            ADDRESS,
            JAVA_INT,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_INT,
            ADDRESS,
            ADDRESS,
            ADDRESS);
    enqueueUnmapMemObject =
        function("clEnqueueUnmapMemObject", ADDRESS, ADDRESS, ADDRESS, JAVA_INT, ADDRESS, ADDRESS);
    finish = function("clFinish", ADDRESS);
  }

  private static SymbolLookup load() {
    IllegalArgumentException first = null;
    for (String name : NAMES) {
      try {
        return SymbolLookup.libraryLookup(name, Arena.global());
      } catch (IllegalArgumentException absent) {
        first = first == null ? absent : first;
      }
    }
    throw new IllegalArgumentException("no OpenCL library among " + NAMES, first);
  }

  private MethodHandle transfer(String name) {
    return function(
        name, ADDRESS, ADDRESS, JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_INT, ADDRESS,
        ADDRESS);
  }

  private MethodHandle function(String name, MemoryLayout... arguments) {
    return named(name, FunctionDescriptor.of(JAVA_INT, arguments));
  }

  private MethodHandle maker(String name, MemoryLayout... arguments) {
    return named(name, FunctionDescriptor.of(ADDRESS, arguments));
  }

  private MethodHandle named(String name, FunctionDescriptor type) {
    MethodHandle handle = linker.downcallHandle(library.findOrThrow(name), type);
    FUNCTIONS.put(handle, name);
    return handle;
  }

  /** The function that some thread of this process is in, such as clFinish; empty for none. */
  static Optional<String> doing() {
    MethodHandle now = running;
    return now == null ? Optional.empty() : Optional.ofNullable(FUNCTIONS.get(now));
  }

  /** Calls a function that returns its error code. */
  int code(MethodHandle function, Object... arguments) {
    running = function;
    try {
      return (int) function.invokeWithArguments(arguments);
    } catch (Throwable e) {
      throw unexpected(e);
    } finally {
      running = null;
    }
  }

  /** Calls a function that returns its error code, which has to be 0. */
  void call(String what, MethodHandle function, Object... arguments) {
    OpenClFailure.check(what, code(function, arguments));
  }

  /** Calls a function that makes something and writes its error code to a last argument. */
  MemorySegment make(String what, MethodHandle function, Object... arguments) {
    running = function;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment error = arena.allocate(JAVA_INT);
      Object[] all = java.util.Arrays.copyOf(arguments, arguments.length + 1);
      all[arguments.length] = error;
      MemorySegment made = (MemorySegment) function.invokeWithArguments(all);
      OpenClFailure.check(what, error.get(JAVA_INT, 0));
      return made;
    } catch (Throwable e) {
      throw unexpected(e);
    } finally {
      running = null;
    }
  }

  /** The library's functions throw nothing, so this is a fault of ours or of the JVM. */
  static RuntimeException unexpected(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return e instanceof RuntimeException known ? known : new IllegalStateException(e);
  }
}
