package io.ringmaster.worker.script.module;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.script.value.KernelErrors;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Compares the tensors of a call with the parameters they are for. A wrong element type or shape
 * would be read as other values, and nothing further down could tell.
 */
final class ArgumentRules {

  private final Map<String, Long> dims = new HashMap<>();
  private final Map<String, String> boundBy = new HashMap<>();
  private final Map<String, Diagnostic> found = new LinkedHashMap<>();

  private ArgumentRules() {}

  /**
   * Checks one tensor per parameter.
   *
   * @param places where each tensor is written
   * @throws io.ringmaster.worker.script.value.PyError for all that don't fit; a script that doesn't
   *     catch it is refused
   */
  static void check(List<Function.Param> params, List<HostTensor> tensors, List<Span> places) {
    KernelErrors.catchable(() -> new ArgumentRules().checkAll(params, tensors, places));
  }

  private boolean checkAll(
      List<Function.Param> params, List<HostTensor> tensors, List<Span> places) {
    for (int i = 0; i < params.size(); i++) {
      if (params.get(i).type() instanceof Type.Tensor type) {
        plain(params.get(i).name(), type, tensors.get(i), places.get(i));
      }
    }
    for (int i = 0; i < params.size(); i++) {
      if (params.get(i).type() instanceof Type.Tensor type
          && !found.containsKey(params.get(i).name())) {
        computed(params.get(i).name(), type, tensors.get(i), places.get(i));
      }
    }
    if (!found.isEmpty()) {
      throw new DiagnosticException(List.copyOf(found.values()));
    }
    return true;
  }

  /** The first that is wrong with an argument says it. */
  private void wrong(String argument, String message, String hint, Span place) {
    found.putIfAbsent(argument, Diagnostic.error(message, hint, place));
  }

  private void plain(String name, Type.Tensor type, HostTensor tensor, Span place) {
    if (type.dtype() != tensor.dtype()) {
      wrong(
          name,
          "argument '"
              + name
              + "' has dtype "
              + tensor.dtype()
              + ", the parameter is "
              + type.dtype(),
          "convert the tensor with .to(...) before the call",
          place);
    }
    if (type.shape().size() != tensor.rank()) {
      wrong(
          name,
          "argument '"
              + name
              + "' has "
              + tensor.rank()
              + " dimensions "
              + Arrays.toString(tensor.shape())
              + ", the parameter has "
              + type.shape().size(),
          "reshape the tensor before the call to " + shape(type),
          place);
      return;
    }
    for (int axis = 0; axis < tensor.rank(); axis++) {
      if (type.shape().get(axis) instanceof Expr.Dim dim) {
        bind(dim.name(), tensor.shape()[axis], name, place);
      }
    }
  }

  private void bind(String dim, long extent, String argument, Span place) {
    Long before = dims.putIfAbsent(dim, extent);
    String first = boundBy.putIfAbsent(dim, argument);
    if (before != null && before != extent) {
      wrong(
          argument,
          "dynamic dimension "
              + dim
              + " is "
              + before
              + " in argument '"
              + first
              + "' and "
              + extent
              + " in argument '"
              + argument
              + "'",
          "give both the same extent",
          place);
    }
  }

  private void computed(String name, Type.Tensor type, HostTensor tensor, Span place) {
    for (int axis = 0; axis < tensor.rank(); axis++) {
      Optional<Long> wanted = value(type.shape().get(axis));
      if (wanted.isPresent() && wanted.get() != tensor.shape()[axis]) {
        wrong(
            name,
            "argument '"
                + name
                + "' has shape "
                + Arrays.toString(tensor.shape())
                + ", the parameter wants "
                + wanted.get()
                + " in dimension "
                + axis,
            "create the tensor with the parameter's shape, " + shape(type),
            place);
      }
    }
  }

  /** The extents as far as they are known: {@code [2, M, 16]}. */
  private String shape(Type.Tensor type) {
    return type.shape().stream()
        .map(
            extent ->
                value(extent)
                    .map(String::valueOf)
                    .orElse(extent instanceof Expr.Dim dim ? dim.name() : "?"))
        .collect(Collectors.joining(", ", "[", "]"));
  }

  /** The value of an extent; empty when it can't be told here. */
  private Optional<Long> value(Expr extent) {
    return switch (extent) {
      case Expr.IntConst constant -> Optional.of(constant.value());
      case Expr.Dim dim -> Optional.ofNullable(dims.get(dim.name()));
      case Expr.Binary binary -> {
        Optional<Long> left = value(binary.left());
        Optional<Long> right = value(binary.right());
        yield left.isPresent() && right.isPresent()
            ? value(binary.op(), left.get(), right.get())
            : Optional.empty();
      }
      default -> Optional.empty();
    };
  }

  private static Optional<Long> value(Expr.BinaryOp op, long left, long right) {
    return switch (op) {
      case ADD -> Optional.of(left + right);
      case SUB -> Optional.of(left - right);
      case MUL -> Optional.of(left * right);
      case FLOOR_DIV -> right == 0 ? Optional.empty() : Optional.of(Math.floorDiv(left, right));
      default -> Optional.empty();
    };
  }
}
