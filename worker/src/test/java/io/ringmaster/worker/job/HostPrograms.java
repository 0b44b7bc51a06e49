package io.ringmaster.worker.job;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Makes a random HOST program: dispatches in any order, collectives of both forms, groups of ranks,
 * loops, intermediate tensors, sub-workers. It keeps a model of all windows beside the text, so it
 * knows what each output has to be and between which two statements only a barrier orders the
 * ranks.
 */
final class HostPrograms {

  static final int SIZE = 8;

  /** One rank touches one row of one rank's slice. */
  private record Access(int rank, String window, int owner, int row, boolean write) {

    boolean conflicts(Access other) {
      return rank != other.rank
          && window.equals(other.window)
          && owner == other.owner
          && row == other.row
          && (write || other.write);
    }
  }

  private static final String[] DATA = {"w0", "w1"};

  private final Random random;
  private final int ranks;

  /** Which of the needed barriers is left out; -1 for none. */
  private final int without;

  private final float[][][] w0;
  private final float[][][] w1;
  private final float[][][] x;
  private final float[][][] acc;
  private final List<float[][][]> outputs = new ArrayList<>();
  private final List<Access> since = new ArrayList<>();
  private final StringBuilder body = new StringBuilder();
  private int views;
  private int temporaries;
  private int barriers;
  private boolean grouped;
  private String indent = "";

  HostPrograms(long seed, int ranks, int without) {
    this.random = new Random(seed);
    this.ranks = ranks;
    this.without = without;
    w0 = new float[ranks][ranks][SIZE];
    w1 = new float[ranks][ranks][SIZE];
    x = new float[ranks][ranks][SIZE];
    acc = new float[ranks][ranks][SIZE];
    for (int i = 0; i < ranks * ranks * SIZE; i++) {
      x[i / SIZE / ranks][i / SIZE % ranks][i % SIZE] = (i * 7 + 3) % 5 - 2;
    }
    stage("w0");
    stage("w1");
    int steps = 3 + random.nextInt(6);
    for (int i = 0; i < steps; i++) {
      step();
    }
    publish(random.nextBoolean() ? "w0" : "w1");
  }

  /** How many barriers the program can't do without. */
  int barriers() {
    return barriers;
  }

  private float[][][] data(String window) {
    return window.equals("w0") ? w0 : w1;
  }

  private void step() {
    String w = DATA[random.nextInt(2)];
    switch (random.nextInt(17)) {
      case 0 -> stage(w);
      case 1 -> add(w);
      case 2, 3 -> allreduce(w, random.nextBoolean());
      case 4 -> broadcast(w, random.nextInt(ranks), random.nextBoolean());
      case 5 -> reduceScatter(w, random.nextBoolean());
      case 6 -> gather(w);
      case 7 -> exchange(w);
      case 8 -> shift(w);
      case 9 -> bump(w);
      case 10 -> publish(w);
      case 11 -> two(w);
      case 12 -> group();
      case 13 -> ring(w);
      case 14 -> lanes(w);
      case 15 -> rounds(w);
      default -> through(w);
    }
  }

  // ------------------------------------------------------------------ what orders the ranks

  private static Access read(int rank, String w, int owner, int row) {
    return new Access(rank, w, owner, row, false);
  }

  private static Access write(int rank, String w, int owner, int row) {
    return new Access(rank, w, owner, row, true);
  }

  private List<Access> own(String w, boolean write) {
    return each((rank, row) -> new Access(rank, w, rank, row, write));
  }

  private interface Pair {
    Access of(int first, int second);
  }

  private List<Access> each(Pair pair) {
    List<Access> all = new ArrayList<>();
    for (int i = 0; i < ranks; i++) {
      for (int k = 0; k < ranks; k++) {
        all.add(pair.of(i, k));
      }
    }
    return all;
  }

  /** Accesses that follow what came before without a barrier of their own. */
  private void before(List<Access> accesses) {
    if (accesses.stream().anyMatch(a -> since.stream().anyMatch(a::conflicts))) {
      if (barriers++ == without) {
        line("# the barrier that is missing");
      } else {
        String signal = view("hs", "[" + ranks + "]", "INT32");
        line("pld.tensor.barrier(" + signal + ")");
      }
      since.clear();
    }
    since.addAll(accesses);
  }

  /** Accesses behind a barrier of the call itself. */
  private void after(List<Access> accesses) {
    since.clear();
    since.addAll(accesses);
  }

  // ------------------------------------------------------------------ statements

  private void line(String text) {
    body.append("            ").append(indent).append(text).append('\n');
  }

  private String window(String name) {
    String shape = name.equals("row") ? "[1, 8]" : "[" + ranks + ", 8]";
    return "pld.window(" + name + "_buf, " + shape + ", dtype=pl.FP32)";
  }

  private String view(String name, String shape, String dtype) {
    String view = "v" + views++;
    line(view + " = pld.window(" + name + "_buf, " + shape + ", dtype=pl." + dtype + ")");
    return view;
  }

  private String dataView(String name) {
    return view(name, name.equals("row") ? "[1, 8]" : "[" + ranks + ", 8]", "FP32");
  }

  private String hostSignal() {
    return view("hs", "[" + ranks + "]", "INT32");
  }

  private String kernelSignal() {
    return "pld.window(ks_buf, [" + ranks + ", 1], dtype=pl.INT32)";
  }

  /** A dispatch to each rank: in a loop, or one after the other in any order. */
  private void dispatch(String function, IntFunction<String> arguments, String plain) {
    int form = random.nextInt(3);
    if (form < 2) {
      line("for r in pl.range(" + (form == 0 ? "pld.world_size()" : "" + ranks) + "):");
      line("    self." + function + "(" + plain + ", device=r)");
      return;
    }
    List<Integer> order = new ArrayList<>(IntStream.range(0, ranks).boxed().toList());
    Collections.shuffle(order, random);
    for (int rank : order) {
      line("self." + function + "(" + arguments.apply(rank) + ", device=" + rank + ")");
    }
  }

  /** {@code @} in the arguments stands for the rank. */
  private void dispatch(String function, String arguments) {
    dispatch(function, rank -> arguments.replace("@", "" + rank), arguments.replace("@", "r"));
  }

  private String output(float[][][] values) {
    outputs.add(copy(values));
    return "y" + (outputs.size() - 1);
  }

  private float[][][] copy(float[][][] from) {
    return Arrays.stream(from)
        .map(slice -> Arrays.stream(slice).map(float[]::clone).toArray(float[][]::new))
        .toArray(float[][][]::new);
  }

  private interface Element {
    float at(int rank, int row, int column);
  }

  private void set(float[][][] target, Element element) {
    float[][][] old = copy(target);
    for (int rank = 0; rank < ranks; rank++) {
      for (int row = 0; row < ranks; row++) {
        for (int i = 0; i < SIZE; i++) {
          old[rank][row][i] = element.at(rank, row, i);
        }
      }
    }
    System.arraycopy(old, 0, target, 0, ranks);
  }

  private void stage(String w) {
    before(own(w, true));
    dispatch(
        "stage_orch",
        "x[@], " + window(w) + ", pld.window(hs_buf, [" + ranks + "], dtype=pl.INT32)");
    set(data(w), (rank, row, i) -> x[rank][row][i]);
  }

  private void add(String w) {
    before(own(w, true));
    dispatch("add_orch", "x[@], " + window(w));
    float[][][] old = copy(data(w));
    set(data(w), (rank, row, i) -> old[rank][row][i] + x[rank][row][i]);
  }

  private void publish(String w) {
    before(own(w, false));
    String y = output(data(w));
    dispatch("publish_orch", window(w) + ", " + y + "[@]");
    if (random.nextInt(3) == 0) {
      line("self.seen(" + y + ")");
    }
  }

  private void bump(String w) {
    before(own(w, false));
    dispatch("bump_orch", window(w) + ", acc[@]");
    float[][][] old = copy(acc);
    set(acc, (rank, row, i) -> old[rank][row][i] + data(w)[rank][row][i]);
  }

  private void two(String w) {
    before(own(w, false));
    String first = output(data(w));
    float[][][] doubled = copy(data(w));
    set(doubled, (rank, row, i) -> 2 * data(w)[rank][row][i]);
    String second = output(doubled);
    dispatch("two_orch", window(w) + ", " + first + "[@], " + second + "[@]");
  }

  private void through(String w) {
    before(own(w, false));
    String y = output(data(w));
    String tmp = "t" + temporaries++;
    line(tmp + " = pl.create_tensor([" + ranks + ", " + ranks + ", 8], dtype=pl.FP32)");
    dispatch("publish_orch", window(w) + ", " + tmp + "[@]");
    dispatch("copy_orch", tmp + "[@], " + y + "[@]");
  }

  private void allreduce(String w, boolean host) {
    String op = List.of("Sum", "Max", "Min").get(random.nextInt(3));
    if (host) {
      String view = dataView(w);
      String signal = random.nextBoolean() ? ", " + hostSignal() : "";
      line(
          (random.nextBoolean() ? view + " = " : "")
              + "pld.tensor.allreduce("
              + view
              + signal
              + ", op=pld.ReduceOp."
              + op
              + ")");
    } else {
      String call =
          op.equals("Sum") ? "k_sum_orch" : op.equals("Max") ? "k_max_orch" : "k_min_orch";
      dispatch(call, window(w) + ", " + kernelSignal());
    }
    after(own(w, true));
    float[][][] old = copy(data(w));
    set(data(w), (_, row, i) -> reduced(op, old, row, i));
  }

  private void sum(String w) {
    after(own(w, true));
    float[][][] old = copy(data(w));
    set(data(w), (_, row, i) -> reduced("Sum", old, row, i));
  }

  private void ring(String w) {
    if (ranks == 1) {
      return;
    }
    String signal = view("rs", "[" + (2 * ranks - 1) + ", " + ranks + "]", "INT32");
    line("pld.tensor.allreduce(" + dataView(w) + ", " + signal + ", mode=\"ring\")");
    sum(w);
    after(List.of()); // The last of its barriers is behind the last store.
  }

  private void lanes(String w) {
    String signal = view("ls", "[" + ranks + ", 2]", "INT32");
    line("pld.tensor.allreduce(" + dataView(w) + ", " + signal + ", core_num=2)");
    sum(w);
  }

  /** A host loop: its barrier separates a round from the next, so it is always there. */
  private void rounds(String w) {
    line("for rd in pl.range(" + 2 + "):");
    indent = "    ";
    line("pld.tensor.barrier(" + hostSignal() + ")");
    since.clear();
    for (int round = 0; round < 2; round++) {
      int length = body.length();
      since.clear();
      stage(w);
      String view = dataView(w);
      line("pld.tensor.allreduce(" + view + ", " + hostSignal() + ")");
      sum(w);
      bump(w);
      if (round > 0) {
        body.setLength(length);
      }
    }
    indent = "";
  }

  private float reduced(String op, float[][][] values, int row, int i) {
    float result = values[0][row][i];
    for (int rank = 1; rank < ranks; rank++) {
      float next = values[rank][row][i];
      result =
          switch (op) {
            case "Max" -> Math.max(result, next);
            case "Min" -> Math.min(result, next);
            default -> result + next;
          };
    }
    return result;
  }

  private void broadcast(String w, int root, boolean host) {
    if (host) {
      String view = dataView(w);
      line("pld.tensor.broadcast(" + view + ", " + hostSignal() + ", root=" + root + ")");
    } else {
      dispatch("k_broadcast" + root + "_orch", window(w) + ", " + kernelSignal());
    }
    // The root's copy onto itself is no write.
    List<Access> accesses = new ArrayList<>(each((rank, row) -> read(rank, w, root, row)));
    accesses.addAll(own(w, true).stream().filter(a -> a.rank() != root).toList());
    after(accesses);
    float[][][] old = copy(data(w));
    set(data(w), (_, row, i) -> old[root][row][i]);
  }

  private void reduceScatter(String w, boolean host) {
    if (host) {
      line("pld.tensor.reduce_scatter(" + dataView(w) + ", " + hostSignal() + ")");
    } else {
      dispatch("k_scatter_orch", window(w) + ", " + kernelSignal());
    }
    // Behind the second barrier a kernel stores its row; on the host it was stored before.
    after(
        each(
            (rank, row) ->
                row == rank && !host ? write(rank, w, rank, row) : read(rank, "", rank, row)));
    float[][][] old = copy(data(w));
    set(data(w), (rank, row, i) -> row == rank ? reduced("Sum", old, row, i) : old[rank][row][i]);
  }

  private void gather(String w) {
    boolean host = random.nextBoolean();
    before(each((rank, owner) -> write(rank, w, owner, rank)));
    if (host) {
      dispatch("row_orch", "x[@], " + window("row"));
      String input = dataView("row");
      line("pld.tensor.allgather(" + input + ", " + dataView(w) + ", " + hostSignal() + ")");
    } else {
      dispatch("k_gather_orch", "x[@], " + window(w) + ", " + kernelSignal());
    }
    after(List.of());
    set(data(w), (_, row, i) -> x[row][0][i]);
  }

  private void exchange(String w) {
    String other = w.equals("w0") ? "w1" : "w0";
    boolean host = random.nextBoolean();
    List<Access> accesses = new ArrayList<>(each((rank, owner) -> write(rank, w, owner, rank)));
    if (host) {
      accesses.addAll(own(other, false));
    }
    before(accesses);
    if (host) {
      String input = dataView(other);
      line("pld.tensor.all_to_all(" + input + ", " + dataView(w) + ", " + hostSignal() + ")");
    } else {
      dispatch("k_exchange_orch", "x[@], " + window(w) + ", " + kernelSignal());
    }
    after(List.of());
    float[][][] from = host ? copy(data(other)) : x;
    set(data(w), (rank, row, i) -> from[row][rank][i]);
  }

  private void shift(String w) {
    String y = output(data(w));
    dispatch("shift_orch", window(w) + ", " + y + "[@], " + kernelSignal());
    after(each((rank, row) -> read(rank, w, (rank + 1) % ranks, row)));
    set(outputs.getLast(), (rank, row, i) -> data(w)[(rank + 1) % ranks][row][i]);
  }

  /** The ranks from the second on are a domain of their own, numbered from 0. */
  private void group() {
    if (ranks < 3 || grouped) {
      return;
    }
    grouped = true;
    float[][][] sums = copy(x);
    set(
        sums,
        (rank, row, i) -> {
          float sum = rank == 0 ? 0 : x[1][row][i];
          for (int other = 2; other < ranks && rank > 0; other++) {
            sum += x[other][row][i];
          }
          return sum;
        });
    String y = output(sums);
    line("for r in pl.range(1, " + ranks + "):");
    line(
        "    self.group_orch(x[r], "
            + y
            + "[r], "
            + window("gw")
            + ", pld.window(gs_buf, ["
            + (ranks - 1)
            + ", 1], dtype=pl.INT32), device=r)");
  }

  // ------------------------------------------------------------------ the whole script

  private String literal(float[][][] values) {
    return Arrays.stream(values)
        .flatMap(Arrays::stream)
        .map(
            row ->
                IntStream.range(0, SIZE)
                    .mapToObj(i -> "" + (int) row[i])
                    .collect(Collectors.joining(", ")))
        .collect(Collectors.joining(", ", "torch.tensor([", "], dtype=torch.float32)"));
  }

  String script() {
    String kernels = HostKernels.text(ranks);
    int count = outputs.size();
    List<String> names = IntStream.range(0, count).mapToObj(i -> "y" + i).toList();
    String cube = "[[" + ranks + ", " + ranks + ", 8], pl.FP32]";
    StringBuilder text = new StringBuilder(kernels);
    text.append("        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\n");
    text.append("        def host(self, x: pl.Tensor").append(cube);
    text.append(", acc: pl.InOut[pl.Tensor").append(cube).append("]");
    names.forEach(
        y -> text.append(", ").append(y).append(": pl.Out[pl.Tensor").append(cube).append("]"));
    text.append("):\n");
    text.append(HostKernels.allocations(ranks, body.toString()));
    text.append(body);
    text.append(HostKernels.driver(ranks, names, random.nextInt(3)));
    text.append("    goldens = [")
        .append(outputs.stream().map(this::literal).collect(Collectors.joining(",\n        ")))
        .append("]\n    bumped = ")
        .append(literal(acc))
        .append('\n');
    text.append(HostKernels.checks());
    return text.toString();
  }
}
