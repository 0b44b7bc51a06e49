package io.ringmaster.worker.job;

import java.util.ArrayList;
import java.util.List;

/** Writes a script for two ranks that does nothing but call one collective. */
final class CapabilityScript {

  private static final int SIZE = 64;
  private static final int BYTES = 8;

  private final int rows;
  private final int input;
  private final String dtype;
  private final List<String> names = new ArrayList<>();
  private final List<String> types = new ArrayList<>();
  private final List<String> views = new ArrayList<>();
  private final List<String> buffers = new ArrayList<>();

  /**
   * A script.
   *
   * @param rows of the window g
   * @param input rows of x, which is read; 0 when there is none
   */
  CapabilityScript(int rows, int input, String dtype) {
    this.rows = rows;
    this.input = input;
    this.dtype = dtype;
  }

  private void window(String name, String shape, String type, int elements) {
    names.add(name);
    types.add("pl.InOut[pld.DistributedTensor[%s, pl.%s]]".formatted(shape, type));
    buffers.add("        %s_b = pld.alloc_window_buffer(%d)\n".formatted(name, elements * BYTES));
    views.add("%s = pld.window(%s_b, %s, dtype=pl.%s)\n".formatted(name, name, shape, type));
  }

  private static String row(int rows) {
    return "[%d, %d]".formatted(rows, SIZE);
  }

  /** Calls it in a kernel, on a tensor x of the host. */
  String inKernel(String call, String signal) {
    var host = new ArrayList<String>();
    if (input > 0) {
      names.add("x");
      types.add("pl.Tensor[%s, pl.%s]".formatted(row(input), dtype));
      host.add("x: pl.Tensor[[2, %d, %d], pl.%s]".formatted(input, SIZE, dtype));
    }
    if (call.contains(", c, n)")) {
      names.add("c");
      types.add("pl.Tensor[[2, 1], pl.INT32]");
      host.add("c: pl.Tensor[[2, 2, 1], pl.INT32]");
    }
    windows(call, signal);
    var arguments = names.stream().map(CapabilityScript::argument).toList();
    return text("        " + call + "\n", host, arguments, "");
  }

  /** Calls it on HOST, on a window x. */
  String onHost(String call, String signal) {
    if (input > 0) {
      window("x", row(input), dtype, input * SIZE);
    }
    if (call.contains(", c, n)")) {
      window("c", "[2, 1]", "INT32", 2);
    }
    windows(call, signal);
    var again = new StringBuilder();
    views.forEach(view -> again.append("        ").append(view));
    return text(
        "        me = pld.rank(pld.get_comm_ctx(s))\n",
        List.of(),
        names,
        again + "        " + call + "\n");
  }

  private void windows(String call, String signal) {
    if (!call.contains("barrier")) {
      window("g", row(rows), dtype, rows * SIZE);
    }
    window("s", signal, "INT32", 6);
    if (call.contains(", c, n)")) {
      window("n", "[2, 1]", "INT32", 2);
    }
  }

  private static String argument(String name) {
    return name.equals("x") || name.equals("c") ? name + "[r]" : name;
  }

  private String text(String body, List<String> host, List<String> arguments, String after) {
    var parameters = new ArrayList<String>(List.of("self"));
    for (int i = 0; i < names.size(); i++) {
      parameters.add(names.get(i) + ": " + types.get(i));
    }
    var text = new StringBuilder();
    text.append(
        """
        import pypto.language as pl
        import pypto.language.distributed as pld
        from pypto import ir
        from pypto.ir import DistributedConfig


        @pl.program
        class Capability:
        """);
    function(text, "type=pl.FunctionType.InCore", "step", parameters);
    text.append(body);
    function(text, "type=pl.FunctionType.Orchestration", "chip", parameters);
    text.append("        self.step(%s)\n".formatted(String.join(", ", names)));
    var given = new ArrayList<String>(List.of("self"));
    given.addAll(host);
    function(text, "level=pl.Level.HOST, role=pl.Role.Orchestrator", "host", given);
    buffers.forEach(text::append);
    text.append("        for r in pl.range(pld.world_size()):\n");
    views.forEach(view -> text.append("            ").append(view));
    text.append("            self.chip(%s, device=r)\n".formatted(String.join(", ", arguments)));
    text.append(after);
    text.append(
        """


        ir.compile(Capability, distributed_config=DistributedConfig(device_ids=[0, 1], num_sub_workers=0))
        """);
    return text.toString();
  }

  private static void function(
      StringBuilder text, String decorator, String name, List<String> parameters) {
    text.append("    @pl.function(%s)\n".formatted(decorator));
    text.append("    def %s(%s):\n".formatted(name, String.join(", ", parameters)));
  }
}
