package io.ringmaster.worker.codegen;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.KernelFault;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Puts arguments into a callee's registers. Dynamic dimensions are solved from the actual extents;
 * what they don't determine comes from the caller's dimension of the same name. A tensor parameter
 * then sees the argument's bytes with its own declared shape.
 */
final class ParameterBinding {

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Param(
      String name, Type type, int slot, LongExpr[] shape, List<@Nullable DimForm> forms) {}

  private final String function;
  private final List<Param> params;
  private final Map<String, Integer> dims;

  private ParameterBinding(String function, List<Param> params, Map<String, Integer> dims) {
    this.function = function;
    this.params = params;
    this.dims = dims;
  }

  static ParameterBinding of(Function function, Registers registers, ExprCompiler expressions) {
    List<Param> params = new ArrayList<>();
    for (Function.Param param : function.params()) {
      LongExpr[] shape = {};
      List<@Nullable DimForm> forms = new ArrayList<>();
      if (param.type() instanceof Type.Tensor tensor) {
        shape = tensor.shape().stream().map(expressions::scalar).toArray(LongExpr[]::new);
        for (Expr extent : tensor.shape()) {
          forms.add(DimForm.of(extent).orElse(null));
        }
      }
      int slot = registers.of(param.name(), param.type());
      params.add(new Param(param.name(), param.type(), slot, shape, forms));
    }
    return new ParameterBinding(function.name(), params, registers.dims());
  }

  /** Register of each dynamic dimension the function mentions. */
  Map<String, Integer> dims() {
    return dims;
  }

  /** Binds {@code frame.arguments}; {@code span} is the call's place. */
  void bind(Frame frame, Span span) {
    if (frame.arguments.length != params.size()) {
      throw fault(
          frame,
          span,
          "Function '"
              + function
              + "' expects "
              + params.size()
              + " argument(s), got "
              + frame.arguments.length);
    }
    if (!dims.isEmpty()) {
      bindDims(frame, span);
    }
    for (int i = 0; i < params.size(); i++) {
      bind(frame, params.get(i), frame.arguments[i], span);
    }
  }

  private void bind(Frame frame, Param param, @Nullable Object argument, Span span) {
    switch (param.type()) {
      case Type.Scalar scalar -> {
        if (!(argument instanceof Long raw)) {
          throw fault(frame, span, "argument '" + param.name() + "' must be a scalar");
        }
        frame.longs[param.slot()] = raw;
      }
      case Type.Tensor tensor -> {
        if (!(argument instanceof TensorView view)) {
          throw fault(frame, span, "argument '" + param.name() + "' must be a tensor");
        }
        frame.refs[param.slot()] = declared(frame, param, tensor.dtype(), view, span);
      }
      default -> frame.refs[param.slot()] = argument;
    }
  }

  private TensorView declared(Frame frame, Param param, DType dtype, TensorView view, Span span) {
    long[] shape = LongExpr.all(param.shape(), frame);
    if (dtype == view.dtype() && Arrays.equals(shape, view.shape())) {
      return view;
    }
    long needed = dtype.bytes();
    for (long extent : shape) {
      needed *= Math.max(extent, -1);
      if (extent < 0) {
        throw fault(
            frame,
            span,
            "argument '" + param.name() + "' would have extents " + Arrays.toString(shape));
      }
    }
    if (needed > view.payloadBytes()) {
      throw KernelFault.of(
          Finding.Kind.OUT_OF_BOUNDS,
          frame.machine.rank(),
          span,
          "argument '"
              + param.name()
              + "' of '"
              + function
              + "' has "
              + view
              + " with "
              + view.payloadBytes()
              + " bytes, its declared shape "
              + Arrays.toString(shape)
              + " of "
              + dtype
              + " needs "
              + needed,
          "hand over a tensor that is at least as large as the parameter's annotation says");
    }
    TensorView result = view.as(shape, dtype);
    if (result == null) {
      throw fault(
          frame,
          span,
          "argument '"
              + param.name()
              + "' is a view with gaps of shape "
              + Arrays.toString(view.shape())
              + " and can't be seen as "
              + dtype
              + Arrays.toString(shape));
    }
    return result;
  }

  private void bindDims(Frame frame, Span span) {
    Map<String, String> origins = new java.util.HashMap<>();
    for (int i = 0; i < params.size(); i++) {
      Param param = params.get(i);
      if (!(frame.arguments[i] instanceof TensorView view) || view.rank() != param.forms().size()) {
        continue;
      }
      for (int axis = 0; axis < view.rank(); axis++) {
        DimForm form = param.forms().get(axis);
        if (form == null) {
          continue;
        }
        String origin =
            "dimension " + axis + " of '" + param.name() + "' (" + view.shape()[axis] + ")";
        OptionalLong value = form.solve(view.shape()[axis]);
        if (value.isPresent()) {
          set(frame, form.dim(), value.getAsLong(), origin, origins, form.isBare(), span);
        }
      }
    }
    for (int i = 0; i < params.size(); i++) {
      if (frame.arguments[i] instanceof TensorView view) {
        bindByCount(frame, params.get(i), view, origins, span);
      }
    }
    for (Map.Entry<String, Integer> dim : dims.entrySet()) {
      if (!origins.containsKey(dim.getKey())) {
        frame.longs[dim.getValue()] = outer(frame, dim.getKey(), span);
      }
    }
  }

  /** One open dimension in a parameter of another rank than the argument follows from the count. */
  private void bindByCount(
      Frame frame, Param param, TensorView view, Map<String, String> origins, Span span) {
    if (view.rank() == param.forms().size() || param.shape().length == 0) {
      return;
    }
    int open = -1;
    long others = 1;
    for (int axis = 0; axis < param.forms().size(); axis++) {
      DimForm form = param.forms().get(axis);
      if (form != null && !origins.containsKey(form.dim())) {
        if (open >= 0) {
          return;
        }
        open = axis;
      } else {
        others *= param.shape()[axis].eval(frame);
      }
    }
    if (open < 0 || others <= 0 || view.elements() % others != 0) {
      return;
    }
    DimForm form = param.forms().get(open);
    if (form == null) {
      return;
    }
    OptionalLong value = form.solve(view.elements() / others);
    if (value.isPresent()) {
      String origin = "the " + view.elements() + " elements of '" + param.name() + "'";
      set(frame, form.dim(), value.getAsLong(), origin, origins, false, span);
    }
  }

  private void set(
      Frame frame,
      String dim,
      long value,
      String origin,
      Map<String, String> origins,
      boolean strict,
      Span span) {
    Integer slot = dims.get(dim);
    if (slot == null) {
      return;
    }
    String earlier = origins.putIfAbsent(dim, origin);
    if (earlier == null) {
      frame.longs[slot] = value;
    } else if (strict && frame.longs[slot] != value) {
      throw fault(
          frame,
          span,
          "Dynamic type variable '"
              + dim
              + "' has conflicting bindings: "
              + frame.longs[slot]
              + " from "
              + earlier
              + ", "
              + value
              + " from "
              + origin);
    }
  }

  private long outer(Frame frame, String dim, Span span) {
    if (frame.caller != null) {
      Integer slot = frame.caller.function.dims().get(dim);
      if (slot != null) {
        return frame.caller.longs[slot];
      }
    }
    Long value = frame.machine.outerDim(dim);
    if (value == null) {
      throw fault(
          frame,
          span,
          "Cannot recover dynamic dimension '"
              + dim
              + "' of '"
              + function
              + "': no tensor parameter exposes it");
    }
    return value;
  }

  private KernelFault fault(Frame frame, Span span, String message) {
    return KernelFault.of(
        Finding.Kind.RULE_BROKEN,
        frame.machine.rank(),
        span,
        message,
        "compare the call with the parameters of '" + function + "'");
  }

  /** Raw scalar of an argument converted to the parameter's type. */
  static LongExpr argument(ExprCompiler expressions, Expr argument, Function.Param param) {
    return param.type() instanceof Type.Scalar scalar
        ? expressions.scalarAs(argument, scalar.dtype())
        : expressions.scalar(argument);
  }
}
