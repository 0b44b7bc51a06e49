package io.ringmaster.worker.trial;

/**
 * Writes the program of a trial in IR text. With values, a kernel stages the rank's input into the
 * window and copies a sample of the result out; for timing only, it does nothing but the
 * collective.
 */
final class TrialText {

  /** Elements of a tile: 16 KiB of FP32, as the built-ins use. */
  private static final long TILE = 4096;

  /** Elements that a trial with values hands back from each rank. */
  static final long SAMPLE = 8;

  private final Algorithm algorithm;
  private final int ranks;
  private final long row;
  private final boolean values;
  private final StringBuilder text = new StringBuilder();

  /**
   * @param row elements of a row of the window: the vector, or what goes to one rank
   */
  TrialText(Algorithm algorithm, int ranks, long row, boolean values) {
    this.algorithm = algorithm;
    this.ranks = ranks;
    this.row = row;
    this.values = values && row > 0;
  }

  /** Rows of the window. */
  long rows() {
    return switch (algorithm.collective()) {
      case "allgather", "reduce_scatter", "all_to_all" -> ranks;
      default -> 1;
    };
  }

  /** Rows of a rank's input. */
  long inputRows() {
    return algorithm.collective().equals("allgather") ? 1 : rows();
  }

  private boolean pushes() {
    return algorithm == Algorithm.ALLGATHER_PUSH || algorithm == Algorithm.ALL_TO_ALL_PUSH;
  }

  private String signal() {
    if (algorithm == Algorithm.BARRIER_DISSEMINATION) {
      return "[" + Math.max(1, rounds()) + ", 1]";
    }
    if (algorithm == Algorithm.ALLREDUCE_RING) {
      return "[" + Math.max(1, 2 * (ranks - 1)) + ", " + ranks + "]";
    }
    if (algorithm == Algorithm.ALLREDUCE_HOST_RING) {
      return "[" + (2 * (ranks - 1) + 1) + ", " + ranks + "]";
    }
    if (algorithm == Algorithm.ALLREDUCE_NEIGHBOUR) {
      return "[1, 1]";
    }
    return algorithm.isHost() ? "[" + ranks + "]" : "[" + ranks + ", 1]";
  }

  private int rounds() {
    return 32 - Integer.numberOfLeadingZeros(ranks - 1);
  }

  String program() {
    text.append("NR = pl.dynamic(\"NR\")\n\n@pl.program\nclass Trial:\n");
    boolean barrier = algorithm.collective().equals("barrier");
    if (!algorithm.isHost()) {
      kernel("step", window(barrier), this::inKernel);
    } else if (values) {
      kernel("stage", window(false), this::stage);
      kernel("take", window(false), this::take);
    } else {
      // A window belongs to the ranks of the dispatches that use it, so there has to be one.
      kernel("nothing", window(barrier), () -> {});
    }
    line(4, "@pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)");
    line(
        4,
        "def host(self%s):"
            .formatted(
                values
                    ? ", x: %s, y: pl.Out[%s]".formatted(host(inputRows(), row), host(1, SAMPLE))
                    : ""));
    if (!barrier) {
      line(8, "gb = pld.alloc_window_buffer(%d)".formatted(Math.multiplyExact(rows() * 4, row)));
    }
    if (algorithm == Algorithm.ALLGATHER_HOST || algorithm == Algorithm.ALL_TO_ALL_HOST) {
      line(
          8,
          "hb = pld.alloc_window_buffer(%d)".formatted(Math.multiplyExact(inputRows() * 4, row)));
    }
    line(8, "sb = pld.alloc_window_buffer(%d)".formatted(4 * cells()));
    views(8, barrier);
    if (algorithm.isHost()) {
      dispatch(values ? "stage" : "nothing");
      line(8, hostCall());
      if (values) {
        dispatch("take");
      }
    } else {
      dispatch("step");
    }
    return text.toString();
  }

  private long cells() {
    long cells = 1;
    for (String extent : signal().substring(1, signal().length() - 1).split(",", -1)) {
      cells *= Long.parseLong(extent.strip());
    }
    return cells;
  }

  private void views(int indent, boolean barrier) {
    if (!barrier) {
      line(indent, "g = pld.window(gb, [%d, %d], dtype=pl.FP32)".formatted(rows(), row));
    }
    if (algorithm == Algorithm.ALLGATHER_HOST || algorithm == Algorithm.ALL_TO_ALL_HOST) {
      line(indent, "h = pld.window(hb, [%d, %d], dtype=pl.FP32)".formatted(inputRows(), row));
    }
    line(indent, "s = pld.window(sb, %s, dtype=pl.INT32)".formatted(signal()));
  }

  private void dispatch(String kernel) {
    boolean barrier = algorithm.collective().equals("barrier");
    line(8, "for r in pl.range(pld.world_size()):");
    if (values) {
      line(12, "x_r = x[r]");
      line(12, "y_r = y[r]");
    }
    line(
        12,
        "self.%s_chip(%s%s, device=r)"
            .formatted(kernel, values ? "x_r, y_r, " : "", barrier ? "s" : staged() + "s"));
  }

  private String staged() {
    boolean two = algorithm == Algorithm.ALLGATHER_HOST || algorithm == Algorithm.ALL_TO_ALL_HOST;
    return two ? "g, h, " : "g, ";
  }

  private String window(boolean barrier) {
    String data = "g: pl.InOut[pld.DistributedTensor[[%d, %d], pl.FP32]], ".formatted(rows(), row);
    if (staged().equals("g, h, ")) {
      data += "h: pl.InOut[pld.DistributedTensor[[%d, %d], pl.FP32]], ".formatted(inputRows(), row);
    }
    return (barrier ? "" : data)
        + "s: pl.InOut[pld.DistributedTensor[%s, pl.INT32]]".formatted(signal());
  }

  private static String host(long rows, long row) {
    return "pl.Tensor[[NR, %d, %d], pl.FP32]".formatted(rows, row);
  }

  private void kernel(String name, String windows, Runnable body) {
    String params =
        values
            ? "x: pl.Tensor[[%d, %d], pl.FP32], y: pl.Out[pl.Tensor[[1, %d], pl.FP32]], "
                .formatted(inputRows(), row, SAMPLE)
            : "";
    line(4, "@pl.function(type=pl.FunctionType.InCore)");
    line(4, "def %s(self, %s%s):".formatted(name, params, windows));
    line(8, "ctx = pld.get_comm_ctx(s)");
    line(8, "me = pld.rank(ctx)");
    body.run();
    text.append('\n');
    line(4, "@pl.function(type=pl.FunctionType.Orchestration)");
    line(4, "def %s_chip(self, %s%s):".formatted(name, params, windows));
    String names = windows.contains("g: ") ? staged() + "s" : "s";
    line(8, "self.%s(%s%s)".formatted(name, values ? "x, y, " : "", names));
    text.append('\n');
  }

  private void inKernel() {
    boolean reads = values && !pushes();
    if (reads) {
      stage();
    }
    switch (algorithm) {
      case BARRIER_CREDIT -> line(8, "pld.tensor.barrier(s)");
      case BARRIER_DISSEMINATION -> dissemination();
      case BROADCAST_PULL -> line(8, "g = pld.tensor.broadcast(g, s, root=0)");
      case ALLREDUCE_MESH -> line(8, "g = pld.tensor.allreduce(g, s, mode=\"mesh\")");
      case ALLREDUCE_RING -> line(8, "g = pld.tensor.allreduce(g, s, mode=\"ring\")");
      case ALLREDUCE_TWO_PHASE -> twoPhase();
      case ALLREDUCE_NEIGHBOUR -> neighbourRing();
      case ALLGATHER_PUSH -> pushed("allgather", 1);
      case ALLREDUCE_ONE_BARRIER -> oneBarrier();
      case ALLGATHER_PULL -> pull();
      case REDUCE_SCATTER_MESH ->
          line(8, "g = pld.tensor.reduce_scatter(g, s, op=pld.ReduceOp.Sum)");
      case ALL_TO_ALL_PUSH -> pushed("all_to_all", ranks);
      case BARRIER_HOST,
          BROADCAST_HOST,
          ALLREDUCE_HOST_MESH,
          ALLREDUCE_HOST_RING,
          ALLGATHER_HOST,
          REDUCE_SCATTER_HOST,
          ALL_TO_ALL_HOST ->
          throw new IllegalStateException(algorithm + " has no kernel");
    }
    if (values) {
      take();
    }
  }

  private void pushed(String collective, long inputRows) {
    if (!values) {
      line(8, "x = pl.create_tensor([%d, %d], dtype=pl.FP32)".formatted(inputRows, row));
    }
    line(8, "g = pld.tensor.%s(x, g, s)".formatted(collective));
  }

  private String hostCall() {
    return switch (algorithm) {
      case BARRIER_HOST -> "pld.tensor.barrier(s)";
      case BROADCAST_HOST -> "pld.tensor.broadcast(g, s, root=0)";
      case ALLREDUCE_HOST_MESH -> "g = pld.tensor.allreduce(g, s, mode=\"mesh\")";
      case ALLREDUCE_HOST_RING -> "g = pld.tensor.allreduce(g, s, mode=\"ring\")";
      case ALLGATHER_HOST -> "g = pld.tensor.allgather(h, g, s)";
      case REDUCE_SCATTER_HOST -> "pld.tensor.reduce_scatter(g, s, op=pld.ReduceOp.Sum)";
      case ALL_TO_ALL_HOST -> "g = pld.tensor.all_to_all(h, g, s)";
      default -> throw new IllegalStateException(algorithm + " isn't called from HOST");
    };
  }

  /** Copies the input into the window: its own row of an allgather, else everything. */
  private void stage() {
    String to = staged().equals("g, h, ") ? "h" : "g";
    boolean own = algorithm == Algorithm.ALLGATHER_PULL;
    for (long r = 0; r < inputRows(); r++) {
      String place = own ? "me" : Long.toString(r);
      long from = r;
      tiles(
          row,
          8,
          (at, width) -> {
            line(8 + at.indent(), "t = %s".formatted(load("x", from + ", " + at.text(), width)));
            line(
                8 + at.indent(),
                "%s = pl.store(t, [%s, %s], %s)".formatted(to, place, at.text(), to));
          });
    }
  }

  /** Hands the first elements of the rank's result back. */
  private void take() {
    String first =
        algorithm.collective().equals("reduce_scatter") ? "me" : Long.toString(rows() - 1);
    String from = algorithm == Algorithm.ALLREDUCE_ONE_BARRIER ? "z" : "g";
    line(8, "u = pl.load(%s, [%s, 0], [1, %d])".formatted(from, first, SAMPLE));
    line(8, "y = pl.store(u, [0, 0], y)");
  }

  private void dissemination() {
    for (int round = 0; round < rounds(); round++) {
      line(8, "to%d = (me + %d) %% %d".formatted(round, 1L << round, ranks));
      line(
          8,
          "pld.system.notify(s, peer=to%d, offsets=[%d, 0], value=1, op=%s)"
              .formatted(round, round, ADD));
      line(8, "pld.system.wait(s, offsets=[%d, 0], expected=1, cmp=%s)".formatted(round, GE));
    }
  }

  private static final String ADD = "pld.NotifyOp.AtomicAdd";
  private static final String GE = "pld.WaitCmp.Ge";

  private void barrier(int generation) {
    line(8, "for q%d in pl.range(%d):".formatted(generation, ranks));
    line(12, "if q%d != me:".formatted(generation));
    line(
        16,
        "pld.system.notify(s, peer=q%d, offsets=[me, 0], value=1, op=%s)"
            .formatted(generation, ADD));
    line(8, "for w%d in pl.range(%d):".formatted(generation, ranks));
    line(12, "if w%d != me:".formatted(generation));
    line(
        16,
        "pld.system.wait(s, offsets=[w%d, 0], expected=%d, cmp=%s)"
            .formatted(generation, generation, GE));
  }

  private void pull() {
    barrier(1);
    line(8, "for p in pl.range(%d):".formatted(ranks));
    line(12, "if p != me:");
    tiles(
        row,
        16,
        (at, width) -> {
          line(16 + at.indent(), "t = %s".formatted(remote("p", "p, " + at.text(), width)));
          line(16 + at.indent(), "g = pl.store(t, [p, %s], g)".formatted(at.text()));
        });
  }

  private void oneBarrier() {
    line(8, "z = pl.create_tensor([1, %d], dtype=pl.FP32)".formatted(row));
    barrier(1);
    tiles(
        row,
        8,
        (at, width) -> {
          String place = "0, " + at.text();
          line(8 + at.indent(), "acc = %s".formatted(load("g", place, width)));
          line(8 + at.indent(), "for p in pl.range(%d):".formatted(ranks));
          line(12 + at.indent(), "if p != me:");
          line(16 + at.indent(), "t = %s".formatted(remote("p", place, width)));
          line(16 + at.indent(), "acc = pl.add(acc, t)");
          line(8 + at.indent(), "z = pl.store(acc, [%s], z)".formatted(place));
        });
  }

  private void twoPhase() {
    long segment = row / ranks;
    barrier(1);
    line(8, "base = me * %d".formatted(segment));
    tiles(
        segment,
        8,
        (at, width) -> {
          String place = "0, base + " + at.text();
          line(8 + at.indent(), "acc = %s".formatted(load("g", place, width)));
          line(8 + at.indent(), "for p in pl.range(%d):".formatted(ranks));
          line(12 + at.indent(), "if p != me:");
          line(16 + at.indent(), "t = %s".formatted(remote("p", place, width)));
          line(16 + at.indent(), "acc = pl.add(acc, t)");
          line(8 + at.indent(), "g = pl.store(acc, [%s], g)".formatted(place));
        });
    barrier(2);
    line(8, "for p2 in pl.range(%d):".formatted(ranks));
    line(12, "if p2 != me:");
    tiles(
        segment,
        16,
        (at, width) -> {
          String place = "0, p2 * " + segment + " + " + at.text();
          line(16 + at.indent(), "t2 = %s".formatted(remote("p2", place, width)));
          line(16 + at.indent(), "g = pl.store(t2, [%s], g)".formatted(place));
        });
  }

  /**
   * Each rank only waits for its left neighbour, whose credits count steps. That the right
   * neighbour has read a segment before it is overwritten follows from the way round.
   */
  private void neighbourRing() {
    long segment = row / ranks;
    line(8, "left = (me + %d) %% %d".formatted(ranks - 1, ranks));
    line(8, "right = (me + 1) %% %d".formatted(ranks));
    String tell = "pld.system.notify(s, peer=right, offsets=[0, 0], value=1, op=" + ADD + ")";
    line(8, tell);
    line(8, "for k in pl.range(%d):".formatted(ranks - 1));
    line(12, "base = (me + %d - k) %% %d * %d".formatted(2 * ranks - 1, ranks, segment));
    line(12, "pld.system.wait(s, offsets=[0, 0], expected=k + 1, cmp=%s)".formatted(GE));
    tiles(
        segment,
        12,
        (at, width) -> {
          String place = "0, base + " + at.text();
          line(12 + at.indent(), "t = %s".formatted(remote("left", place, width)));
          line(12 + at.indent(), "o = %s".formatted(load("g", place, width)));
          line(12 + at.indent(), "n = pl.add(o, t)");
          line(12 + at.indent(), "g = pl.store(n, [%s], g)".formatted(place));
        });
    line(12, tell);
    line(8, "for j in pl.range(%d):".formatted(ranks - 1));
    line(12, "base2 = (me + %d - j) %% %d * %d".formatted(2 * ranks, ranks, segment));
    line(12, "pld.system.wait(s, offsets=[0, 0], expected=j + %d, cmp=%s)".formatted(ranks, GE));
    tiles(
        segment,
        12,
        (at, width) -> {
          String place = "0, base2 + " + at.text();
          line(12 + at.indent(), "t2 = %s".formatted(remote("left", place, width)));
          line(12 + at.indent(), "g = pl.store(t2, [%s], g)".formatted(place));
        });
    line(12, tell);
  }

  /** Where a tile begins: an expression, and how much deeper its code stands. */
  private record At(String text, int indent) {}

  private interface TileBody {
    void write(At at, long width);
  }

  /** A loop over whole tiles of a row, then its rest. */
  private void tiles(long length, int indent, TileBody body) {
    long whole = length / TILE * TILE;
    if (whole > TILE) {
      line(indent, "for c in pl.range(0, %d, %d):".formatted(whole, TILE));
      body.write(new At("c", 4), TILE);
    } else if (whole == TILE) {
      body.write(new At("0", 0), TILE);
    }
    if (whole < length) {
      body.write(new At(Long.toString(whole), 0), length - whole);
    }
  }

  /** A load through a tile whose rows are aligned to 32 bytes. */
  private static String load(String from, String place, long width) {
    return "pl.load(%s, [%s], [1, %d])".formatted(from, place, width);
  }

  private static String remote(String peer, String place, long width) {
    return "pld.tile.remote_load(g, peer=%s, offsets=[%s], shape=[1, %d])"
        .formatted(peer, place, width);
  }

  private void line(int indent, String code) {
    text.append(" ".repeat(indent)).append(code).append('\n');
  }
}
