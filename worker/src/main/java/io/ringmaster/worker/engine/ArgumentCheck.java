package io.ringmaster.worker.engine;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;

/** Compares devices and host tensors with what the HOST function declares, before anything runs. */
final class ArgumentCheck {

  private ArgumentCheck() {}

  static void check(Function entry, RunRequest request) {
    List<Diagnostic> errors = new ArrayList<>();
    devices(request, entry.span(), errors);
    List<Function.Param> params = entry.params();
    List<HostTensor> arguments = request.arguments();
    if (params.size() != arguments.size()) {
      errors.add(
          Diagnostic.error(
              "'"
                  + entry.name()
                  + "' expects "
                  + params.size()
                  + " arguments, got "
                  + arguments.size(),
              "pass one tensor for each of: "
                  + String.join(", ", params.stream().map(Function.Param::name).toList()),
              entry.span()));
    } else {
      for (int i = 0; i < params.size(); i++) {
        argument(params.get(i), arguments.get(i), errors);
      }
    }
    if (!errors.isEmpty()) {
      throw new DiagnosticException(errors);
    }
  }

  private static void devices(RunRequest request, Span span, List<Diagnostic> errors) {
    List<Integer> ids = request.deviceIds();
    if (ids.isEmpty()) {
      errors.add(
          Diagnostic.error("device_ids must not be empty", "give at least one device", span));
    }
    for (int id : ids) {
      if (id < 0) {
        errors.add(
            Diagnostic.error(
                "device_ids must be non-negative device indices, got " + id,
                "devices are numbered from 0",
                span));
      }
    }
    if (new HashSet<>(ids).size() != ids.size()) {
      errors.add(
          Diagnostic.error("device_ids must be distinct, got " + ids, "name each once", span));
    }
  }

  private static void argument(Function.Param param, HostTensor tensor, List<Diagnostic> errors) {
    if (!(param.type() instanceof Type.Tensor type)) {
      errors.add(
          Diagnostic.error(
              "One-shot distributed programs only support host torch.Tensor parameters; '"
                  + param.name()
                  + "' is something else",
              "make it a constant of the factory",
              param.span()));
      return;
    }
    if (type.dtype() != tensor.dtype()) {
      errors.add(
          Diagnostic.error(
              "argument '"
                  + param.name()
                  + "' has dtype "
                  + tensor.dtype()
                  + ", the parameter is "
                  + type.dtype(),
              "create the tensor with the parameter's dtype",
              param.span()));
    }
    if (type.shape().size() != tensor.rank()) {
      errors.add(
          Diagnostic.error(
              "argument '"
                  + param.name()
                  + "' has shape "
                  + Arrays.toString(tensor.shape())
                  + " with "
                  + tensor.rank()
                  + " dimensions, the parameter has "
                  + type.shape().size(),
              "reshape the tensor to the parameter's annotation",
              param.span()));
      return;
    }
    for (int axis = 0; axis < tensor.rank(); axis++) {
      if (type.shape().get(axis) instanceof Expr.IntConst extent
          && extent.value() != tensor.shape()[axis]) {
        errors.add(
            Diagnostic.error(
                "argument '"
                    + param.name()
                    + "' has shape "
                    + Arrays.toString(tensor.shape())
                    + ", but dimension "
                    + axis
                    + " of the parameter is "
                    + extent.value(),
                "create the tensor with the parameter's shape",
                param.span()));
      }
    }
  }
}
