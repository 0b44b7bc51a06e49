package io.ringmaster.worker.job;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The kernels that {@link HostPrograms} dispatches, and the driver around its host function. */
final class HostKernels {

  private HostKernels() {}

  private static final String HEAD =
      """
      import pypto.language as pl
      import pypto.language.distributed as pld
      import torch
      from pypto import ir
      from pypto.ir import DistributedConfig
      import argparse

      F = pl.FP32
      NOTES = []

      def build():
          @pl.program
          class Generated:
              @pl.function(level=pl.Level.HOST, role=pl.Role.SubWorker)
              def seen(t: pl.Tensor[[P, P, 8], pl.FP32]):
                  NOTES.append(t.sum().item())

      """;

  /** Parameters | body of the kernel; the chip function passes everything on. */
  private static final String[][] KERNELS = {
    {
      "stage",
      "x: X, w: W, s: S1",
      "",
      """
      for i in pl.range(P):
          w = pl.store(pl.load(x, [i, 0], [1, 8]), [i, 0], w)
      """
    },
    {"row", "x: X, w: R", "", "w = pl.store(pl.load(x, [0, 0], [1, 8]), [0, 0], w)"},
    {
      "add",
      "x: X, w: W",
      "",
      """
      for i in pl.range(P):
          t = pl.add(pl.load(w, [i, 0], [1, 8]), pl.load(x, [i, 0], [1, 8]))
          w = pl.store(t, [i, 0], w)
      """
    },
    {"publish", "w: W, y: Y", "y", "y = pl.store(pl.load(w, [0, 0], [P, 8]), [0, 0], y)"},
    {"copy", "x: X, y: Y", "y", "y = pl.store(pl.load(x, [0, 0], [P, 8]), [0, 0], y)"},
    {
      "bump",
      "w: W, acc: A",
      "acc",
      """
      t = pl.add(pl.load(acc, [0, 0], [P, 8]), pl.load(w, [0, 0], [P, 8]))
      acc = pl.store(t, [0, 0], acc)
      """
    },
    {
      "two",
      "w: W, a: Y, b: Y",
      "a, b",
      """
      t = pl.load(w, [0, 0], [P, 8])
      a = pl.store(t, [0, 0], a)
      b = pl.store(pl.mul(t, 2.0), [0, 0], b)
      """
    },
    {"k_sum", "w: W, s: S", "", "w = pld.tensor.allreduce(w, s, op=pld.ReduceOp.Sum)"},
    {
      "k_max",
      "w: W, s: S",
      "",
      "w = pld.tensor.allreduce(w, s, op=pld.ReduceOp.Max, mode=\"mesh\")"
    },
    {"k_min", "w: W, s: S", "", "pld.tensor.allreduce(w, s, op=pld.ReduceOp.Min)"},
    {"k_scatter", "w: W, s: S", "", "w = pld.tensor.reduce_scatter(w, s)"},
    {"k_gather", "x: X, w: W, s: S", "", "w = pld.tensor.allgather(x[0:1, 0:8], w, s)"},
    {"k_exchange", "x: X, w: W, s: S", "", "w = pld.tensor.all_to_all(x, w, s)"},
    {
      "shift",
      "w: W, y: Y, s: S",
      "y",
      """
      ctx = pld.get_comm_ctx(w)
      right = (pld.rank(ctx) + 1) % pld.nranks(ctx)
      s = pld.tensor.barrier(s)
      t = pld.tile.remote_load(w, right, [0, 0], [P, 8])
      y = pl.store(t, [0, 0], y)
      """
    },
    {
      "group",
      "x: X, y: Y, w: W, s: G",
      "y",
      """
      w = pl.store(pl.load(x, [0, 0], [P, 8]), [0, 0], w)
      w = pld.tensor.allreduce(w, s)
      y = pl.store(pl.load(w, [0, 0], [P, 8]), [0, 0], y)
      """
    },
  };

  static String text(int ranks) {
    StringBuilder text = new StringBuilder(HEAD);
    for (String[] kernel : KERNELS) {
      if (ranks > 1 || !kernel[0].equals("group")) {
        function(text, kernel[0], kernel[1], kernel[2], kernel[3]);
      }
    }
    for (int root = 0; root < ranks; root++) {
      String call = "w = pld.tensor.broadcast(w, s, root=" + root + ")";
      function(text, "k_broadcast" + root, "w: W, s: S", "", call);
    }
    return sized(text.toString(), ranks);
  }

  private static void function(
      StringBuilder text, String name, String parameters, String results, String body) {
    String arguments =
        List.of(parameters.split(", ", -1)).stream()
            .map(parameter -> parameter.substring(0, parameter.indexOf(':')))
            .collect(Collectors.joining(", "));
    long count = results.isEmpty() ? 0 : results.split(",", -1).length;
    String plain = "pl.Tensor[[P, 8], F]";
    String type =
        count == 0 ? "" : count == 1 ? " -> " + plain : " -> tuple[" + plain + ", " + plain + "]";
    for (boolean kernel : List.of(true, false)) {
      text.append("        @pl.function(type=pl.FunctionType.")
          .append(kernel ? "InCore" : "Orchestration")
          .append(")\n        def ")
          .append(kernel ? name : name + "_orch")
          .append("(self, ")
          .append(typed(parameters))
          .append(")")
          .append(type)
          .append(":\n");
      String call = "self." + name + "(" + arguments + ")";
      String lines =
          kernel
              ? body.strip() + (count == 0 ? "" : "\nreturn " + results)
              : count == 0 ? call : results + " = " + call + "\nreturn " + results;
      text.append(lines.indent(12)).append('\n');
    }
  }

  private static String typed(String parameters) {
    return parameters
        .replace(": X", ": pl.Tensor[[P, 8], F]")
        .replace(": Y", ": pl.Out[pl.Tensor[[P, 8], F]]")
        .replace(": A", ": pl.InOut[pl.Tensor[[P, 8], F]]")
        .replace(": W", ": pl.InOut[pld.DistributedTensor[[P, 8], F]]")
        .replace(": R", ": pl.InOut[pld.DistributedTensor[[1, 8], F]]")
        .replace(": S1", ": pld.DistributedTensor[[P], pl.INT32]")
        .replace(": S", ": pl.InOut[pld.DistributedTensor[[P, 1], pl.INT32]]")
        .replace(": G", ": pl.InOut[pld.DistributedTensor[[P - 1, 1], pl.INT32]]");
  }

  private static String sized(String text, int ranks) {
    return text.replace("F = pl.FP32\n", "F = pl.FP32\nP = " + ranks + "\n");
  }

  /** Only what the body uses: an allocation without a use is refused. */
  static String allocations(int ranks, String body) {
    StringBuilder text = new StringBuilder();
    for (String name : List.of("w0", "w1", "row", "gw", "hs", "ks", "gs", "rs", "ls")) {
      int bytes =
          switch (name) {
            case "row" -> 32;
            case "hs", "ks" -> ranks * 4;
            case "gs" -> (ranks - 1) * 4;
            case "rs" -> (2 * ranks - 1) * ranks * 4;
            case "ls" -> ranks * 2 * 4;
            default -> ranks * 32;
          };
      if (body.contains(name + "_buf")) {
        text.append("            ")
            .append(name)
            .append("_buf = pld.alloc_window_buffer(")
            .append(bytes)
            .append(")\n");
      }
    }
    return text.toString();
  }

  static String driver(int ranks, List<String> outputs, int form) {
    String all = String.join(", ", outputs);
    String call =
        switch (form) {
          case 0 -> "    compiled(x, acc, " + all + ")\n";
          case 1 ->
              "    with compiled.prepare(persistent=True) as rt:\n"
                  + "        rt(x, acc, "
                  + all
                  + ")\n"
                  + "        acc.zero_()\n"
                  + "        rt(x, acc, "
                  + all
                  + ")\n";
          default ->
              "    compiled(x, acc, "
                  + all
                  + ")\n    acc.fill_(0)\n    compiled(x, acc, "
                  + all
                  + ")\n";
        };
    String made =
        IntStream.range(0, outputs.size())
            .mapToObj(i -> "    " + outputs.get(i) + " = torch.zeros(P, P, 8).share_memory_()\n")
            .collect(Collectors.joining());
    return """

    return Generated

    def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", default="a2a3sim")
    parser.add_argument("-d", default="0")
    args = parser.parse_args()
    ids = [int(i) for i in args.d.split(",")]
    compiled = ir.compile(build(), platform=args.p, distributed_config=DistributedConfig(device_ids=ids))
    x = ((torch.arange(P * P * 8) * 7 + 3) % 5 - 2).to(torch.float32).reshape(P, P, 8).share_memory_()
    acc = torch.zeros(P, P, 8).share_memory_()
    """
            .indent(4)
            .replace("    def main", "def main")
        + made
        + call
        + "    outputs = ["
        + all
        + "]\n";
  }

  static String checks() {
    return """
        for i, (got, want) in enumerate(zip(outputs, goldens)):
            assert torch.equal(got, want.reshape(P, P, 8)), f"output {i}"
        assert torch.equal(acc, bumped.reshape(P, P, 8)), "acc"
        print("OK", NOTES)

    main()
    """;
  }
}
