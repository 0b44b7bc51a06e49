package io.ringmaster.worker.engine;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.ir.IrParser;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Short ways to write and run programs in IR text. */
final class Runs {

  private Runs() {}

  /** Runs a program on the first {@code ranks} devices. */
  static RunOutcome run(Program program, int ranks, EventLog log, HostTensor... arguments) {
    return new Engine().run(request(program, ranks, List.of(log), arguments));
  }

  static RunRequest request(
      Program program, int ranks, List<FabricListener> listeners, HostTensor... arguments) {
    return RunRequest.of(
        program,
        HardwareProfile.sim(),
        IntStream.range(0, ranks).boxed().toList(),
        Arrays.asList(arguments),
        listeners);
  }

  static RunOutcome run(String text, int ranks, EventLog log, HostTensor... arguments) {
    return run(IrParser.parse(text), ranks, log, arguments);
  }

  /**
   * A program of one kernel that every rank runs: {@code params} and {@code body} of the kernel,
   * the buffers in bytes, and the HOST call's arguments, in which {@code r} is the rank.
   */
  static String kernel(String params, String body, String host, String windows, String call) {
    return """
        NR = pl.dynamic("NR")

        @pl.program
        class Kernel:
            @pl.function(type=pl.FunctionType.InCore)
            def step(self, %s):
        %s
            @pl.function(type=pl.FunctionType.Orchestration)
            def chip(self, %s):
                self.step(%s)

            @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
            def host(self, %s):
        %s
                for r in pl.range(pld.world_size()):
        %s
        """
        .formatted(
            params,
            body.indent(8),
            params,
            names(params),
            host,
            windows.indent(8),
            call.replace("self.step(", "self.chip(").indent(12));
  }

  private static String names(String params) {
    return java.util.regex.Pattern.compile("(\\w+): pl")
        .matcher(params)
        .results()
        .map(match -> match.group(1))
        .collect(java.util.stream.Collectors.joining(", "));
  }

  static HostTensor floats(long[] shape, float... values) {
    HostTensor tensor = HostTensor.zeros(DType.FP32, shape);
    for (int i = 0; i < values.length; i++) {
      tensor.buffer().segment().setAtIndex(JAVA_FLOAT, i, values[i]);
    }
    return tensor;
  }

  static float[] floats(HostTensor tensor) {
    float[] values = new float[Math.toIntExact(tensor.elements())];
    for (int i = 0; i < values.length; i++) {
      values[i] = tensor.buffer().segment().getAtIndex(JAVA_FLOAT, i);
    }
    return values;
  }

  static HostTensor ints(long[] shape, int... values) {
    HostTensor tensor = HostTensor.zeros(DType.INT32, shape);
    for (int i = 0; i < values.length; i++) {
      tensor.buffer().segment().setAtIndex(JAVA_INT, i, values[i]);
    }
    return tensor;
  }

  static int[] ints(HostTensor tensor) {
    int[] values = new int[Math.toIntExact(tensor.elements())];
    for (int i = 0; i < values.length; i++) {
      values[i] = tensor.buffer().segment().getAtIndex(JAVA_INT, i);
    }
    return values;
  }

  static long[] shape(long... extents) {
    return extents;
  }
}
