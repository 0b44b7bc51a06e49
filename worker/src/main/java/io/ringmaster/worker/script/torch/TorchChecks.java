package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.golden.TensorComparison;
import io.ringmaster.worker.script.KernelRuntime;
import io.ringmaster.worker.script.builtin.Builtins;
import io.ringmaster.worker.script.builtin.Numbers;
import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.script.check.Claim;
import io.ringmaster.worker.script.check.Facts;
import io.ringmaster.worker.script.check.Golden;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.check.Steps;
import io.ringmaster.worker.script.check.TensorFacts;
import io.ringmaster.worker.script.check.TensorPair;
import io.ringmaster.worker.script.check.Width;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code allclose}, {@code equal}, {@code assert_close}: every call becomes a recorded check. */
final class TorchChecks {

  private static final double RTOL = 1e-5;
  private static final double ATOL = 1e-8;

  /** A relative tolerance from here on is tried out. */
  private static final double LOOSE = 1.0 / 8;

  private TorchChecks() {}

  static void methods(MethodTable<TensorValue> table) {
    table
        .add(
            "allclose",
            "other, rtol=, atol=, equal_nan=",
            (t, a, c) -> allclose(t, TensorMethods.tensor(a, "other"), a, named(c, "", 0), c))
        .add(
            "equal",
            "other",
            (t, a, c) -> equal(t, TensorMethods.tensor(a, "other"), named(c, "", 0), c))
        .add("isclose", "other, rtol=, atol=, equal_nan=", TorchChecks::isclose);
  }

  static void define(Map<String, Value> members) {
    members.put(
        "allclose",
        NativeFunction.of(
            "allclose",
            "input, other, rtol=, atol=, equal_nan=",
            (a, c) ->
                allclose(
                    TensorMethods.tensor(a, "input"),
                    TensorMethods.tensor(a, "other"),
                    a,
                    named(c, " ~ ", 0),
                    c)));
    members.put(
        "equal",
        NativeFunction.of(
            "equal",
            "input, other",
            (a, c) ->
                equal(
                    TensorMethods.tensor(a, "input"),
                    TensorMethods.tensor(a, "other"),
                    named(c, " == ", 0),
                    c)));
    members.put(
        "isclose",
        NativeFunction.of(
            "isclose",
            "input, other, rtol=, atol=, equal_nan=",
            (a, c) -> isclose(TensorMethods.tensor(a, "input"), a, c)));
  }

  static NativeFunction assertClose() {
    return NativeFunction.of(
        "assert_close",
        "actual, expected, *, rtol=, atol=, equal_nan=, check_device=, check_dtype=,"
            + " check_layout=, check_stride=, msg=, allow_subclasses=",
        TorchChecks::assertClose);
  }

  /** {@code y[0] ~ expected}, from the arguments as written. */
  private static String named(Call call, String between, int first) {
    String left = call.interp().describe(call, first);
    String right = call.interp().describe(call, first + 1);
    if (between.isEmpty() || right.isEmpty()) {
      return left.isEmpty() ? "line " + call.span().line() : left;
    }
    return left + between + right;
  }

  private static Value allclose(
      TensorValue actual, TensorValue expected, Bound a, String name, Call call) {
    DType left = actual.data().dtype();
    DType right = expected.data().dtype();
    if (left != right) {
      throw Errors.runtime(Dtypes.scalarName(left) + " did not match " + Dtypes.scalarName(right));
    }
    Arithmetic.commonShape(actual.data(), expected.data());
    double rtol = a.number("rtol", RTOL);
    double atol = a.number("atol", ATOL);
    if (!(rtol >= 0) || !(atol >= 0)) {
      throw Errors.runtime("rtol and atol must be greater than or equal to zero");
    }
    TensorComparison comparison =
        compare(actual, expected, rtol, atol, a.flag("equal_nan", false), call.interp());
    String note =
        Arrays.equals(actual.data().shape(), expected.data().shape())
            ? ""
            : " (broadcast: "
                + Tensors.shown(actual.data().shape())
                + " against "
                + Tensors.shown(expected.data().shape())
                + ")";
    return recorded(
        "allclose", name + note, actual, expected, comparison, rtol, atol, tolerance(a), call);
  }

  private static TensorComparison compare(
      TensorValue a, TensorValue b, double rtol, double atol, boolean equalNan, Interp interp) {
    interp.session().budget().elements(a.data().elements() + b.data().elements());
    return TensorComparison.allclose(a.data(), b.data(), rtol, atol, equalNan);
  }

  static Value.Bool recorded(
      String kind,
      String name,
      TensorValue actual,
      TensorValue expected,
      TensorComparison comparison,
      @Nullable Double rtol,
      @Nullable Double atol,
      Origin tolerance,
      Call call) {
    CheckBook checks = call.interp().session().checks();
    TensorPair pair = Lineage.pair(actual, expected);
    // The values may change after the call, so the facts are taken at once.
    Facts facts =
        checks.needsNoFacts()
            ? Facts.ofNumbers(true, "")
            : TensorFacts.of(pair, comparison, rtol, atol, call.interp().session().kernelInputs());
    Origin left = pair.left();
    Origin right = pair.right();
    Claim made =
        Claim.of(kind, name, call.span().line(), comparison.holds(), left.and(right), () -> facts)
            .between(left, right)
            .against(Golden.of(pair))
            .of(pair)
            .printed(checks.print(pair));
    checks.notice(made);
    checks.compared(made.closeIf(true));
    if (rtol != null && atol != null && !checks.needsNoFacts()) {
      String wide = Width.of(pair, rtol, atol);
      Steps steps = Steps.of(pair, rtol, atol);
      made.isUntried(steps.words());
      boolean unasked = rtol == RTOL && atol == ATOL && steps.hideAll();
      made.takesIn(wide.isEmpty() && unasked ? steps.unasked() : wide);
    }
    if (tolerance.fromKernel() && facts.isLoose()) {
      made.provesNothing("its tolerance is made from what the kernel wrote, " + facts.bounds());
    }
    Claim claim =
        checks.decided(
            made.sound(
                comparison.holds()
                    && !facts.takesInAll()
                    && isPlain(actual, right, expected, left, made)));
    if (claim.origin().fromKernel()) {
      call.interp().session().runtime().compared(actual.data().dtype(), comparison.maxUlps());
    }
    return Value.of(claim.holds(), claim);
  }

  /** True for what a kernel wrote against what no kernel, or only another program, wrote. */
  private static boolean isPlain(
      TensorValue actual, Origin right, TensorValue expected, Origin left, Claim claim) {
    if (actual.isAsWritten() && expected.isAsWritten()) {
      return claim.isOfTwoPrograms();
    }
    return (actual.isAsWritten() && !right.fromKernel())
        || (expected.isAsWritten() && !left.fromKernel());
  }

  /** Where a tolerance that a call was given stems from. */
  private static Origin tolerance(Bound a) {
    Origin origin = Origin.NONE;
    for (String name : List.of("rtol", "atol")) {
      if (a.has(name)) {
        origin =
            origin.and(
                a.get(name) instanceof TensorValue tensor
                    ? tensor.origin()
                    : Numbers.origin(a.get(name)));
      }
    }
    return origin;
  }

  private static Value equal(TensorValue actual, TensorValue expected, String name, Call call) {
    if (actual.data().dtype() != expected.data().dtype()) {
      throw Errors.runtime(
          "Expected all tensors to have the same dtype, but found torch."
              + Dtypes.nameOf(actual.data().dtype())
              + " and torch."
              + Dtypes.nameOf(expected.data().dtype()));
    }
    if (!Arrays.equals(actual.data().shape(), expected.data().shape())) {
      return shapesDiffer("equal", name, actual, expected, call);
    }
    TensorComparison comparison = compare(actual, expected, 0, 0, false, call.interp());
    return recorded("equal", name, actual, expected, comparison, null, null, Origin.NONE, call);
  }

  /** Of two tensors that can't be alike: the comparison fails, and says why. */
  static Value.Bool shapesDiffer(
      String kind, String name, TensorValue actual, TensorValue expected, Call call) {
    String sentence =
        "shapes differ: "
            + Tensors.shown(actual.data().shape())
            + " and "
            + Tensors.shown(expected.data().shape());
    Claim claim =
        Claim.of(
            kind,
            name,
            call.span().line(),
            false,
            actual.origin().and(expected.origin()),
            () -> Facts.ofNumbers(false, sentence));
    Claim decided = call.interp().session().checks().decided(claim);
    return Value.of(decided.holds(), decided);
  }

  private static Value isclose(TensorValue x, Bound a, Call call) {
    Interp interp = call.interp();
    TensorValue y = TensorMethods.tensor(a, "other");
    double rtol = a.number("rtol", RTOL);
    double atol = a.number("atol", ATOL);
    boolean nan = a.flag("equal_nan", false);
    long[] shape = Arithmetic.commonShape(x.data(), y.data());
    TensorValue result = Tensors.derived(DType.BOOL, shape, x.origin().and(y.origin()), interp);
    Elements left = Elements.of(x.data().buffer(), x.data().dtype());
    Elements right = Elements.of(y.data().buffer(), y.data().dtype());
    Elements out = Elements.of(result.data().buffer(), DType.BOOL);
    StridedLoop.over(
        shape,
        (p, at) -> {
          double u = left.getDouble(at[1]);
          double v = right.getDouble(at[2]);
          boolean close =
              u == v
                  || (nan && Double.isNaN(u) && Double.isNaN(v))
                  || (Double.isFinite(u - v) && Math.abs(u - v) <= atol + rtol * Math.abs(v));
          out.setLong(at[0], close ? 1 : 0);
        },
        result.data(),
        x.data(),
        y.data());
    return result.with(Lineage.difference(x, y).within(atol).equalNan(nan).whole(rtol < LOOSE));
  }

  private static double defaultRtol(DType type) {
    return switch (type) {
      case FP32 -> 1.3e-6;
      case FP64 -> 1e-7;
      case FP16 -> 1e-3;
      case BF16 -> 1.6e-2;
      default -> 0;
    };
  }

  private static double defaultAtol(DType type) {
    return switch (type) {
      case FP32, FP16, BF16 -> 1e-5;
      case FP64 -> 1e-7;
      default -> 0;
    };
  }

  private static Value assertClose(Bound a, Call call) {
    assertClose(a.get("actual"), a.get("expected"), "", a, call);
    return Value.NONE;
  }

  /**
   * Compares two tensors, or two containers of them one by one.
   *
   * @param item the place in the containers around, as {@code [0]['k']}
   */
  private static void assertClose(Value actual, Value expected, String item, Bound a, Call call) {
    Interp interp = call.interp();
    if (actual instanceof DictValue left && expected instanceof DictValue right) {
      requireKeys(left, right, item, a, interp);
      for (DictValue.Entry entry : left.entries()) {
        assertClose(
            entry.value(),
            right.get(entry.key()).orElseThrow(),
            item + "[" + interp.repr(entry.key()) + "]",
            a,
            call);
      }
      return;
    }
    Optional<List<Value>> left = tensorsIn(actual);
    Optional<List<Value>> right = tensorsIn(expected);
    if (left.isEmpty() || right.isEmpty()) {
      assertClose(tensor(actual, interp), tensor(expected, interp), item, a, call);
      return;
    }
    if (left.get().size() != right.get().size()) {
      throw failure(
          "The length of the sequences mismatch: "
              + left.get().size()
              + " != "
              + right.get().size(),
          item,
          a,
          interp);
    }
    for (int i = 0; i < left.get().size(); i++) {
      assertClose(left.get().get(i), right.get().get(i), item + "[" + i + "]", a, call);
    }
  }

  private static void requireKeys(
      DictValue actual, DictValue expected, String item, Bound a, Interp interp) {
    List<Value> missing = without(expected, actual);
    List<Value> additional = without(actual, expected);
    if (!missing.isEmpty() || !additional.isEmpty()) {
      throw failure(
          "The keys of the mappings do not match:\nMissing keys in the actual mapping: "
              + interp.repr(ListValue.of(missing))
              + "\nAdditional keys in the actual mapping: "
              + interp.repr(ListValue.of(additional)),
          item,
          a,
          interp);
    }
  }

  private static List<Value> without(DictValue all, DictValue others) {
    List<Value> keys = new ArrayList<>();
    all.entries()
        .forEach(
            entry -> {
              if (!others.contains(entry.key())) {
                keys.add(entry.key());
              }
            });
    return keys;
  }

  /** The elements of a list or tuple that holds more than numbers. */
  private static Optional<List<Value>> tensorsIn(Value value) {
    List<Value> items =
        switch (value) {
          case ListValue list -> list.items();
          case TupleValue tuple -> tuple.items();
          default -> List.of();
        };
    return items.stream()
            .anyMatch(
                one ->
                    one instanceof TensorValue
                        || one instanceof DictValue
                        || tensorsIn(one).isPresent())
        ? Optional.of(items)
        : Optional.empty();
  }

  private static void assertClose(
      TensorValue actual, TensorValue expected, String item, Bound a, Call call) {
    Interp interp = call.interp();
    DType left = actual.data().dtype();
    DType right = expected.data().dtype();
    if (!Arrays.equals(actual.data().shape(), expected.data().shape())) {
      throw failed(
          "The values for attribute 'shape' do not match: "
              + interp.repr(Tensors.size(actual.data().shape()))
              + " != "
              + interp.repr(Tensors.size(expected.data().shape()))
              + ".",
          item,
          a,
          actual,
          expected,
          call);
    }
    if (left != right && a.flag("check_dtype", true)) {
      throw failed(
          "The values for attribute 'dtype' do not match: torch."
              + Dtypes.nameOf(left)
              + " != torch."
              + Dtypes.nameOf(right)
              + ".",
          item,
          a,
          actual,
          expected,
          call);
    }
    if (a.has("rtol") != a.has("atol")) {
      throw Errors.value(
          "Both 'rtol' and 'atol' must be either specified or unspecified, but got no "
              + (a.has("rtol") ? "'atol'" : "'rtol'")
              + ".");
    }
    double rtol = a.number("rtol", Math.max(defaultRtol(left), defaultRtol(right)));
    double atol = a.number("atol", Math.max(defaultAtol(left), defaultAtol(right)));
    TensorComparison comparison =
        compare(actual, expected, rtol, atol, a.flag("equal_nan", false), interp);
    Value.Bool holds =
        recorded(
            "assert_close",
            named(call, " ~ ", 0) + item,
            actual,
            expected,
            comparison,
            rtol,
            atol,
            tolerance(a),
            call);
    if (!holds.value()) {
      boolean nan = a.flag("equal_nan", false);
      String text = new CloseMessage(actual.data(), expected.data(), rtol, atol, nan).text(interp);
      throw failure(text, item, a, interp);
    }
  }

  /** The exception, with the words of {@code msg=} where it was given. */
  private static PyError failure(String message, String item, Bound a, Interp interp) {
    String whole = item.isEmpty() ? message : message + "\n\nThe failure occurred for item " + item;
    if (!a.has("msg")) {
      return Errors.of(Exceptions.ASSERTION_ERROR, whole);
    }
    Value own = a.get("msg");
    return Errors.of(
        Exceptions.ASSERTION_ERROR,
        interp.str(
            Builtins.isCallable(own)
                ? interp.call(own, Arguments.of(Value.of(whole)), interp.session().budget().here())
                : own));
  }

  private static RuntimeException failed(
      String message, String item, Bound a, TensorValue actual, TensorValue expected, Call call) {
    Claim claim =
        Claim.of(
            "assert_close",
            named(call, " ~ ", 0) + item,
            call.span().line(),
            false,
            actual.origin().and(expected.origin()),
            () -> Facts.ofNumbers(false, message));
    CheckBook checks = call.interp().session().checks();
    Claim decided = checks.decided(claim);
    if (decided.holds()) {
      throw new KernelRuntime.RunStopped("the script went another way");
    }
    return failure(message, item, a, call.interp());
  }

  private static TensorValue tensor(Value value, Interp interp) {
    return value instanceof TensorValue tensor
        ? tensor
        : Tensors.ofData(value, Optional.empty(), interp);
  }
}
