package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.tensor.DType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Executes a lowered kernel on P ranks over plain arrays, in a random order, and counts what
 * crosses between ranks. Just enough of the language for the schedules that lowering writes.
 */
final class Model {

  /** What one rank did. */
  static final class Counts {
    long ingress;
    long self;
    long notifies;
    long selfNotifies;
    long waits;
  }

  /** A tensor of one rank: elements are shared by all views. */
  static final class Tensor {
    private final double[] data;
    private final long[] shape;
    private final DType dtype;

    Tensor(double[] data, long[] shape, DType dtype) {
      this.data = data;
      this.shape = shape;
      this.dtype = dtype;
    }

    double[] data() {
      return data;
    }

    long[] shape() {
      return shape;
    }

    DType dtype() {
      return dtype;
    }

    boolean sharesElementsWith(Tensor other) {
      return System.identityHashCode(data) == System.identityHashCode(other.data);
    }

    int index(long... at) {
      long index = 0;
      for (int i = 0; i < shape.length; i++) {
        if (at[i] < 0 || at[i] >= shape[i]) {
          throw new IndexOutOfBoundsException(
              Arrays.toString(at) + " in " + Arrays.toString(shape));
        }
        index = index * shape[i] + at[i];
      }
      return Math.toIntExact(index);
    }
  }

  private static final class Tile {
    private final double[] data;
    private final long rows;
    private final long cols;
    private final long validRows;
    private final long validCols;

    Tile(double[] data, long rows, long cols, long validRows, long validCols) {
      this.data = data;
      this.rows = rows;
      this.cols = cols;
      this.validRows = validRows;
      this.validCols = validCols;
    }

    double[] data() {
      return data;
    }

    long rows() {
      return rows;
    }

    long cols() {
      return cols;
    }

    long validRows() {
      return validRows;
    }

    long validCols() {
      return validCols;
    }
  }

  private static final class Returned extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private final Function function;
  private final int ranks;
  private final Map<String, Tensor[]> arguments = new HashMap<>();
  private final Map<String, Long> dims = new HashMap<>();
  private final Counts[] counts;
  private Baton baton = new Baton(new Random(0));

  Model(Function function, int ranks) {
    this.function = function;
    this.ranks = ranks;
    this.counts = new Counts[ranks];
    Arrays.setAll(counts, _ -> new Counts());
  }

  /** Gives a parameter its extents; every rank has a zeroed tensor of its own. */
  Tensor[] argument(String name, DType dtype, long... shape) {
    long size = Arrays.stream(shape).reduce(1, (a, b) -> a * b);
    Tensor[] tensors = new Tensor[ranks];
    Arrays.setAll(tensors, _ -> new Tensor(new double[Math.toIntExact(size)], shape, dtype));
    arguments.put(name, tensors);
    Type.Tensor type =
        (Type.Tensor)
            function.params().stream()
                .filter(p -> p.name().equals(name))
                .findFirst()
                .orElseThrow()
                .type();
    for (int i = 0; i < shape.length; i++) {
      if (type.shape().get(i) instanceof Expr.Dim dim) {
        dims.put(dim.name(), shape[i]);
      }
    }
    return tensors;
  }

  Counts[] run(Random random) {
    baton = new Baton(random);
    baton.run(ranks, rank -> new Rank(rank).start());
    return counts;
  }

  /** The interpreter of one rank. */
  private final class Rank {
    private final int me;
    private final Map<String, Object> values = new HashMap<>();

    Rank(int me) {
      this.me = me;
      arguments.forEach((name, tensors) -> values.put(name, tensors[me]));
    }

    void start() {
      try {
        body(function.body());
      } catch (Returned _) {
        // A return ends the kernel.
      }
    }

    private void body(List<Stmt> body) {
      for (Stmt stmt : body) {
        switch (stmt) {
          case Stmt.Assign s -> values.put(s.target().name(), eval(s.value()));
          case Stmt.Eval s -> eval(s.value());
          case Stmt.For s -> {
            for (long i = number(s.start()); i < number(s.stop()); i += number(s.step())) {
              values.put(s.variable().name(), i);
              body(s.body());
            }
          }
          case Stmt.If s -> body(number(s.condition()) != 0 ? s.thenBody() : s.elseBody());
          case Stmt.Region s -> body(s.body());
          case Stmt.Return _ -> throw new Returned();
          default -> throw new AssertionError(stmt);
        }
      }
    }

    private long number(Expr expr) {
      return (Long) eval(expr);
    }

    private long[] numbers(Expr tuple) {
      return ((Expr.TupleExpr) tuple).elements().stream().mapToLong(this::number).toArray();
    }

    private Object eval(Expr expr) {
      return switch (expr) {
        case Expr.IntConst e -> e.value();
        case Expr.BoolConst e -> e.value() ? 1L : 0L;
        case Expr.Dim e -> java.util.Objects.requireNonNull(dims.get(e.name()), e.name());
        case Expr.Var e -> java.util.Objects.requireNonNull(values.get(e.name()), e.name());
        case Expr.Convert e -> eval(e.operand());
        case Expr.Unary e -> -number(e.operand());
        case Expr.Binary e -> binary(e.op(), number(e.left()), number(e.right()));
        case Expr.Op e -> op(e);
        default -> throw new AssertionError(expr);
      };
    }

    private long binary(Expr.BinaryOp op, long a, long b) {
      return switch (op) {
        case ADD -> a + b;
        case SUB -> a - b;
        case MUL -> a * b;
        case FLOOR_DIV -> a / b;
        case MOD -> a % b;
        case MIN -> Math.min(a, b);
        case MAX -> Math.max(a, b);
        case EQ -> a == b ? 1 : 0;
        case NE -> a != b ? 1 : 0;
        case GT -> a > b ? 1 : 0;
        case LT -> a < b ? 1 : 0;
        default -> throw new AssertionError(op);
      };
    }

    private Object op(Expr.Op e) {
      List<Expr> o = e.operands();
      return switch (e.code()) {
        case GET_COMM_CTX -> 0L;
        case RANK -> (long) me;
        case NRANKS -> (long) ranks;
        case CREATE_TILE -> {
          Type.Tile t = (Type.Tile) e.type();
          yield new Tile(new double[0], t.shape().get(0), t.shape().get(1), 0, 0);
        }
        case RESHAPE -> {
          Tensor t = (Tensor) eval(o.get(0));
          yield new Tensor(t.data(), numbers(o.get(1)), t.dtype());
        }
        case READ -> {
          Tensor t = (Tensor) eval(o.get(0));
          yield (long) t.data()[t.index(numbers(o.get(1)))];
        }
        case LOAD -> {
          baton.pass(me, () -> true);
          yield load((Tensor) eval(o.get(0)), o, 1);
        }
        case REMOTE_LOAD -> {
          baton.pass(me, () -> true);
          int peer = peer(number(o.get(1)));
          Tensor t = arguments(o.get(0), peer);
          Tile tile = load(t, o, 2);
          long bytes = tile.validRows() * tile.validCols() * t.dtype().bytes();
          boolean pads = e.attributes().get("physical_tail_padding") instanceof Attribute.Bool;
          moved(peer, me, pads ? Build.roundUp(bytes, 32) : bytes);
          yield tile;
        }
        case STORE -> {
          baton.pass(me, () -> true);
          Tile tile = (Tile) eval(o.get(0));
          long[] at = numbers(o.get(1));
          Tensor t = (Tensor) eval(o.get(2));
          for (int r = 0; r < tile.validRows(); r++) {
            for (int c = 0; c < tile.validCols(); c++) {
              t.data()[t.index(at[0] + r, at[1] + c)] =
                  tile.data()[Math.toIntExact(r * tile.cols() + c)];
            }
          }
          yield t;
        }
        case SET_VALID_SHAPE -> {
          Tile t = (Tile) eval(o.get(0));
          yield new Tile(t.data(), t.rows(), t.cols(), number(o.get(1)), number(o.get(2)));
        }
        case FILL_PAD -> {
          Tile t = (Tile) eval(o.get(0));
          yield new Tile(t.data(), t.rows(), t.cols(), t.rows(), t.cols());
        }
        case ADD -> zip(o, Double::sum);
        case MUL -> zip(o, (a, b) -> a * b);
        case MAXIMUM -> zip(o, Math::max);
        case MINIMUM -> zip(o, Math::min);
        case PUT -> {
          int peer = peer(number(o.get(1)));
          copy(
              (Tensor) eval(o.get(2)),
              numbers(o.get(4)),
              arguments(o.get(0), peer),
              numbers(o.get(3)),
              numbers(o.get(5)));
          moved(me, peer, product(numbers(o.get(5)), arguments(o.get(0), peer).dtype()));
          yield 0L;
        }
        case GET -> {
          int peer = peer(number(o.get(1)));
          copy(
              arguments(o.get(2), peer),
              numbers(o.get(4)),
              (Tensor) eval(o.get(0)),
              numbers(o.get(3)),
              numbers(o.get(5)));
          moved(peer, me, product(numbers(o.get(5)), arguments(o.get(2), peer).dtype()));
          yield 0L;
        }
        case NOTIFY -> {
          baton.pass(me, () -> true);
          int peer = peer(number(o.get(1)));
          Tensor t = arguments(o.get(0), peer);
          int cell = t.index(numbers(o.get(2)));
          boolean add =
              e.attributes().get("op") instanceof Attribute.Notify(Attribute.NotifyOp how)
                  && how == Attribute.NotifyOp.ATOMIC_ADD;
          t.data()[cell] = number(o.get(3)) + (add ? t.data()[cell] : 0);
          if (peer == me) {
            counts[me].selfNotifies++;
          } else {
            counts[me].notifies++;
          }
          yield 0L;
        }
        case WAIT -> {
          Tensor t = (Tensor) eval(o.get(0));
          int cell = t.index(numbers(o.get(1)));
          long expected = number(o.get(2));
          baton.pass(me, () -> t.data()[cell] >= expected);
          counts[me].waits++;
          yield 0L;
        }
        default -> throw new AssertionError(e.code());
      };
    }

    private int peer(long peer) {
      if (peer < 0 || peer >= ranks) {
        throw new IndexOutOfBoundsException("peer " + peer);
      }
      return Math.toIntExact(peer);
    }

    /** The same view as a window operand's, on another rank. */
    private Tensor arguments(Expr window, int peer) {
      Tensor mine = (Tensor) eval(window);
      for (Tensor[] tensors : arguments.values()) {
        if (tensors[me].sharesElementsWith(mine)) {
          return new Tensor(tensors[peer].data(), mine.shape(), mine.dtype());
        }
      }
      throw new AssertionError("not a window: " + window);
    }

    private Tile load(Tensor t, List<Expr> operands, int offsets) {
      long[] at = numbers(operands.get(offsets));
      long[] shape = numbers(operands.get(offsets + 1));
      long[] valid = operands.size() > offsets + 2 ? numbers(operands.get(offsets + 2)) : shape;
      double[] data = new double[Math.toIntExact(shape[0] * shape[1])];
      for (int r = 0; r < valid[0]; r++) {
        for (int c = 0; c < valid[1]; c++) {
          data[Math.toIntExact(r * shape[1] + c)] = t.data()[t.index(at[0] + r, at[1] + c)];
        }
      }
      return new Tile(data, shape[0], shape[1], valid[0], valid[1]);
    }

    private Tile zip(List<Expr> o, java.util.function.DoubleBinaryOperator combine) {
      Tile a = (Tile) eval(o.get(0));
      Tile b = (Tile) eval(o.get(1));
      double[] data = new double[a.data().length];
      Arrays.setAll(data, i -> combine.applyAsDouble(a.data()[i], b.data()[i]));
      return new Tile(data, a.rows(), a.cols(), a.validRows(), a.validCols());
    }

    /** Element by element, so that others see a transfer half done. */
    private void copy(Tensor from, long[] at, Tensor to, long[] there, long[] shape) {
      long rows = shape.length == 1 ? 1 : shape[0];
      for (long r = 0; r < rows; r++) {
        baton.pass(me, () -> true);
        for (long c = 0; c < shape[shape.length - 1]; c++) {
          double value = from.data()[from.index(moved(at, r, c))];
          to.data()[to.index(moved(there, r, c))] = value;
        }
      }
    }

    private long[] moved(long[] at, long row, long col) {
      long[] out = at.clone();
      out[out.length - 1] += col;
      if (out.length > 1) {
        out[0] += row;
      }
      return out;
    }

    private void moved(int from, int to, long bytes) {
      if (from == to) {
        counts[me].self += bytes;
      } else {
        counts[to].ingress += bytes;
      }
    }
  }

  private static long product(long[] shape, DType dtype) {
    return Arrays.stream(shape).reduce(dtype.bytes(), (a, b) -> a * b);
  }
}
