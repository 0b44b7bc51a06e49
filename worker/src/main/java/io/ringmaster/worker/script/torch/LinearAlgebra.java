package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.Sizes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Products of vectors and matrices, and {@code torch.linalg}. */
final class LinearAlgebra {

  static final List<String> FUNCTIONS =
      List.of(
          "mm", "bmm", "mv", "dot", "vdot", "inner", "outer", "ger", "kron", "addmm", "addmv",
          "addbmm", "baddbmm", "addr", "trace", "dist", "matmul");

  static final ModuleValue LINALG = new ModuleValue("torch.linalg", linalg());

  private LinearAlgebra() {}

  static void define(MethodTable<TensorValue> table) {
    table
        .add("mm", "mat2", (t, a, c) -> ranked("mm", t, 2, other(a, "mat2"), 2, c))
        .add("bmm", "mat2", (t, a, c) -> bmm("bmm", t, other(a, "mat2"), c))
        .add("mv", "vec", (t, a, c) -> ranked("mv", t, 2, other(a, "vec"), 1, c))
        .add("dot", "other", (t, a, c) -> dot("dot", t, other(a, "other"), c))
        .add("vdot", "other", (t, a, c) -> dot("vdot", t, other(a, "other"), c))
        .add("inner", "other", (t, a, c) -> inner(t, other(a, "other"), c))
        .add("outer", "vec2", (t, a, c) -> outer("outer", t, other(a, "vec2"), c))
        .add("ger", "vec2", (t, a, c) -> outer("ger", t, other(a, "vec2"), c))
        .add("kron", "other", (t, a, c) -> kron(t, other(a, "other"), c))
        .add(
            "addmm",
            "mat1, mat2, *, beta=, alpha=",
            (t, a, c) ->
                added(t, ranked("addmm", other(a, "mat1"), 2, other(a, "mat2"), 2, c), a, c))
        .add(
            "addmv",
            "mat, vec, *, beta=, alpha=",
            (t, a, c) -> added(t, ranked("addmv", other(a, "mat"), 2, other(a, "vec"), 1, c), a, c))
        .add(
            "addr",
            "vec1, vec2, *, beta=, alpha=",
            (t, a, c) -> added(t, outer("addr", other(a, "vec1"), other(a, "vec2"), c), a, c))
        .add(
            "baddbmm",
            "batch1, batch2, *, beta=, alpha=",
            (t, a, c) -> added(t, bmm("baddbmm", other(a, "batch1"), other(a, "batch2"), c), a, c))
        .add(
            "addbmm",
            "batch1, batch2, *, beta=, alpha=",
            (t, a, c) -> {
              TensorValue product = bmm("addbmm", other(a, "batch1"), other(a, "batch2"), c);
              DType type = product.data().dtype();
              return added(
                  t,
                  Reductions.reduce(
                      product, Reductions.Kind.SUM, new int[] {0}, false, type, c.interp()),
                  a,
                  c);
            })
        .add("trace", "", LinearAlgebra::trace)
        .add("dist", "other, p=", LinearAlgebra::dist);
  }

  private static TensorValue other(Bound a, String name) {
    return TensorMethods.tensor(a, name);
  }

  private static RuntimeException wrong(String function, String wanted, TensorValue... got) {
    StringBuilder shapes = new StringBuilder();
    for (TensorValue tensor : got) {
      shapes.append(shapes.isEmpty() ? "" : " and ").append(Tensors.shown(tensor.data().shape()));
    }
    return Errors.runtime(function + ": expected " + wanted + ", but got shapes " + shapes);
  }

  private static TensorValue ranked(
      String function, TensorValue x, int rankX, TensorValue y, int rankY, Call c) {
    if (x.data().rank() != rankX || y.data().rank() != rankY) {
      String second = rankY == 2 ? "a matrix" : "a vector";
      throw wrong(function, "a matrix and " + second, x, y);
    }
    return MatMul.matmul(x, y, c.interp());
  }

  private static TensorValue bmm(String function, TensorValue x, TensorValue y, Call c) {
    boolean fits =
        x.data().rank() == 3
            && y.data().rank() == 3
            && x.data().shape()[0] == y.data().shape()[0]
            && x.data().shape()[2] == y.data().shape()[1];
    if (!fits) {
      throw wrong(function, "batches [b, n, m] and [b, m, p]", x, y);
    }
    return MatMul.matmul(x, y, c.interp());
  }

  private static TensorValue dot(String function, TensorValue x, TensorValue y, Call c) {
    if (x.data().rank() != 1
        || y.data().rank() != 1
        || x.data().shape()[0] != y.data().shape()[0]) {
      throw wrong(function, "1D tensors of the same size", x, y);
    }
    return MatMul.matmul(x, y, c.interp());
  }

  private static TensorValue inner(TensorValue x, TensorValue y, Call c) {
    int rank = y.data().rank();
    if (x.data().rank() == 0 || rank == 0) {
      return Arithmetic.apply(ElementOp.MUL, Operand.of(x), Operand.of(y), c.interp());
    }
    if (x.data().shape()[x.data().rank() - 1] != y.data().shape()[rank - 1]) {
      throw wrong("inner()", "the last dimension to match", x, y);
    }
    return tensordot(x, y, new int[] {x.data().rank() - 1}, new int[] {rank - 1}, c.interp());
  }

  private static TensorValue outer(String function, TensorValue x, TensorValue y, Call c) {
    if (x.data().rank() != 1 || y.data().rank() != 1) {
      throw wrong(function, "two 1D tensors", x, y);
    }
    TensorValue column = x.view(Views.unsqueeze(x.data(), 1));
    return Arithmetic.apply(ElementOp.MUL, Operand.of(column), Operand.of(y), c.interp());
  }

  private static TensorValue kron(TensorValue x, TensorValue y, Call c) {
    int rank = Math.max(x.data().rank(), y.data().rank());
    HostTensor a = x.data();
    HostTensor b = y.data();
    while (a.rank() < rank) {
      a = Views.unsqueeze(a, 0);
    }
    while (b.rank() < rank) {
      b = Views.unsqueeze(b, 0);
    }
    long[] shape = new long[rank];
    for (int axis = rank - 1; axis >= 0; axis--) {
      shape[axis] = Sizes.times(a.shape()[axis], b.shape()[axis]);
      a = Views.unsqueeze(a, axis + 1);
      b = Views.unsqueeze(b, axis);
    }
    TensorValue product =
        Arithmetic.apply(ElementOp.MUL, Operand.of(x.view(a)), Operand.of(y.view(b)), c.interp());
    return Views.reshape(product, shape, c.interp());
  }

  /** {@code beta * self + alpha * product}. */
  private static TensorValue added(TensorValue t, TensorValue product, Bound a, Call c) {
    Interp interp = c.interp();
    if (t.data().dtype() != product.data().dtype()) {
      throw Errors.runtime(
          a.function()
              + "(): self and the matrices must have the same dtype, but got "
              + Dtypes.nameOf(t.data().dtype())
              + " and "
              + Dtypes.nameOf(product.data().dtype()));
    }
    TensorValue scaled = product;
    if (a.has("alpha")) {
      Operand alpha = Operand.require(a.get("alpha"), a.function());
      scaled = Arithmetic.apply(ElementOp.MUL, Operand.of(product), alpha, interp);
    }
    TensorValue base = t;
    if (a.has("beta")) {
      Operand beta = Operand.require(a.get("beta"), a.function());
      base = Arithmetic.apply(ElementOp.MUL, Operand.of(t), beta, interp);
    }
    TensorValue wide = base.view(Views.expand(base.data(), scaled.data().shape()));
    return Arithmetic.apply(ElementOp.ADD, Operand.of(wide), Operand.of(scaled), interp);
  }

  private static Value trace(TensorValue t, Bound a, Call c) {
    if (t.data().rank() != 2) {
      throw wrong("trace", "a matrix", t);
    }
    HostTensor data = t.data();
    long count = Math.min(data.shape()[0], data.shape()[1]);
    HostTensor diagonal =
        new HostTensor(
            data.buffer(),
            data.dtype(),
            new long[] {count},
            new long[] {data.strides()[0] + data.strides()[1]},
            data.offset());
    DType type = Reductions.resultType(Reductions.Kind.SUM, data.dtype());
    return Reductions.reduce(
        t.view(diagonal), Reductions.Kind.SUM, new int[0], false, type, c.interp());
  }

  private static Value dist(TensorValue t, Bound a, Call c) {
    TensorValue other = other(a, "other");
    Wide apart = Wide.of(t, c.interp()).minus(Wide.of(other, c.interp()));
    DType type = Dtypes.result(Operand.of(t), Operand.of(other));
    return Softmax.norm(apart.value(), a.number("p", 2), new int[0], false, type, c.interp());
  }

  /** Sums products over pairs of dimensions. */
  private static TensorValue tensordot(
      TensorValue x, TensorValue y, int[] axesX, int[] axesY, Interp interp) {
    HostTensor a = moved(x.data(), axesX, false);
    HostTensor b = moved(y.data(), axesY, true);
    int count = axesX.length;
    int freeX = a.rank() - count;
    long[] shape = new long[freeX + b.rank() - count];
    long rows = 1;
    long inner = 1;
    long columns = 1;
    for (int axis = 0; axis < a.rank(); axis++) {
      if (axis < freeX) {
        shape[axis] = a.shape()[axis];
        rows *= a.shape()[axis];
      } else {
        inner *= a.shape()[axis];
        if (a.shape()[axis] != b.shape()[axis - freeX]) {
          throw wrong(
              "tensordot", "both tensors to have the same size along contracted dims", x, y);
        }
      }
    }
    for (int axis = count; axis < b.rank(); axis++) {
      shape[freeX + axis - count] = b.shape()[axis];
      columns *= b.shape()[axis];
    }
    TensorValue product =
        MatMul.matmul(
            Views.reshape(x.view(a), new long[] {rows, inner}, interp),
            Views.reshape(y.view(b), new long[] {inner, columns}, interp),
            interp);
    return Views.reshape(product, shape, interp);
  }

  /** Moves some dimensions to the front or to the end. */
  private static HostTensor moved(HostTensor data, int[] axes, boolean front) {
    int[] order = new int[data.rank()];
    int next = front ? axes.length : 0;
    for (int axis = 0; axis < order.length; axis++) {
      int at = axis;
      if (java.util.Arrays.stream(axes).noneMatch(taken -> taken == at)) {
        order[next++] = axis;
      }
    }
    System.arraycopy(axes, 0, order, front ? 0 : order.length - axes.length, axes.length);
    return Views.permute(data, order);
  }

  static Value tensordot(Bound a, Call c) {
    TensorValue x = other(a, "a");
    TensorValue y = other(a, "b");
    if (!a.has("dims") || a.get("dims") instanceof Value.Int) {
      int count = (int) a.integer("dims", 2);
      if (count < 0 || count > Math.min(x.data().rank(), y.data().rank())) {
        throw wrong("tensordot(dims=" + count + ")", "at least as many dimensions", x, y);
      }
      int[] axesX =
          java.util.stream.IntStream.range(x.data().rank() - count, x.data().rank()).toArray();
      int[] axesY = java.util.stream.IntStream.range(0, count).toArray();
      return tensordot(x, y, axesX, axesY, c.interp());
    }
    List<Value> pair = TensorMethods.asList(a.get("dims"), c);
    if (pair.size() != 2) {
      throw Errors.runtime("tensordot: dims must be a number or two lists, got " + pair.size());
    }
    int[] axesX = Softmax.axes(x, pair.get(0), c);
    int[] axesY = Softmax.axes(y, pair.get(1), c);
    if (axesX.length != axesY.length) {
      throw wrong("tensordot", "both dimension lists to have the same length", x, y);
    }
    return tensordot(x, y, axesX, axesY, c.interp());
  }

  /** {@code torch.cdist}: distances between all rows of two batches. */
  static Value cdist(Bound a, Call c) {
    TensorValue x = other(a, "x1");
    TensorValue y = other(a, "x2");
    int rankX = x.data().rank();
    int rankY = y.data().rank();
    if (rankX < 2 || rankY < 2 || x.data().shape()[rankX - 1] != y.data().shape()[rankY - 1]) {
      throw wrong("cdist", "matrices with the same number of columns", x, y);
    }
    DType type = Dtypes.promote(Softmax.floating(x, "cdist"), Softmax.floating(y, "cdist"));
    Wide rows = Wide.of(x.view(Views.unsqueeze(x.data(), rankX - 1)), c.interp());
    Wide others = Wide.of(y.view(Views.unsqueeze(y.data(), rankY - 2)), c.interp());
    Wide apart = rows.minus(others);
    int[] axes = {apart.value().data().rank() - 1};
    return Softmax.norm(apart.value(), a.number("p", 2), axes, false, type, c.interp());
  }

  private static Map<String, Value> linalg() {
    Map<String, Value> members = new LinkedHashMap<>();
    add(
        members,
        "norm",
        "A, ord=, dim=, keepdim=, *, dtype=",
        (a, c) -> norm(a, c, "A", a.has("dim")));
    add(
        members,
        "vector_norm",
        "x, ord=, dim=, keepdim=, *, dtype=",
        (a, c) -> norm(a, c, "x", true));
    add(members, "matrix_norm", "A, ord=, dim=, keepdim=, *, dtype=", LinearAlgebra::matrixNorm);
    add(
        members,
        "matmul",
        "input, other",
        (a, c) -> MatMul.matmul(other(a, "input"), other(a, "other"), c.interp()));
    return members;
  }

  private static void add(
      Map<String, Value> members, String name, String parameters, NativeFunction.Body body) {
    members.put(name, NativeFunction.of("linalg." + name, parameters, body));
  }

  private static Value norm(Bound a, Call c, String name, boolean vector) {
    TensorValue t = other(a, name);
    int[] axes = Softmax.axes(t, a, c);
    int dims = axes.length == 0 ? t.data().rank() : axes.length;
    boolean matrix = a.has("ord") && !vector && dims == 2;
    if (matrix || (a.has("ord") && a.get("ord") instanceof Value.Str)) {
      return matrixNorm(a, c, t, axes);
    }
    DType type = a.has("dtype") ? Dtypes.of(a.get("dtype")) : Softmax.floating(t, a.function());
    return Softmax.norm(t, a.number("ord", 2), axes, a.flag("keepdim", false), type, c.interp());
  }

  private static Value matrixNorm(Bound a, Call c) {
    TensorValue t = other(a, "A");
    if (t.data().rank() < 2) {
      throw wrong("linalg.matrix_norm", "a tensor of at least 2 dimensions", t);
    }
    int rank = t.data().rank();
    int[] axes = a.has("dim") ? Softmax.axes(t, a, c) : new int[] {rank - 2, rank - 1};
    return matrixNorm(a, c, t, axes);
  }

  private static Value matrixNorm(Bound a, Call c, TensorValue t, int[] axes) {
    boolean frobenius =
        !a.has("ord") || (a.get("ord") instanceof Value.Str kind && kind.value().equals("fro"));
    if (!frobenius) {
      throw Errors.refuse(
          "linalg.norm of a matrix with ord=" + c.interp().repr(a.get("ord")) + " is not available",
          "known: 'fro'; name one dim= for a norm of vectors",
          c.span());
    }
    DType type = a.has("dtype") ? Dtypes.of(a.get("dtype")) : Softmax.floating(t, a.function());
    return Softmax.norm(t, 2, axes, a.flag("keepdim", false), type, c.interp());
  }
}
