package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Function.Param;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The order of parameters that every run time takes: tensors first, then scalars. Both orders run
 * here, so the other one is only remarked on.
 */
final class ParameterOrder {

  private ParameterOrder() {}

  private enum Kind {
    TENSOR,
    SCALAR,
    OTHER
  }

  private record Entry(String name, Kind kind, Span span) {}

  /** Warns of the first scalar in front of a tensor, with the order that is safe. */
  static void check(FunctionSignature signature, Messages messages) {
    check(
        signature.name(),
        signature.params().stream().map(ParameterOrder::entry).toList(),
        messages);
  }

  /** The same for a free function; inline code is no task and has no order. */
  static void check(JitHeader header, Messages messages) {
    if (header.role() != JitRole.INLINE) {
      check(header.name(), header.params().stream().map(ParameterOrder::entry).toList(), messages);
    }
  }

  private static void check(String function, List<Entry> entries, Messages messages) {
    for (int i = 0; i < entries.size(); i++) {
      Optional<Entry> tensor =
          entries.subList(i, entries.size()).stream()
              .filter(later -> later.kind() == Kind.TENSOR)
              .findFirst();
      Entry scalar = entries.get(i);
      if (scalar.kind() == Kind.SCALAR && tensor.isPresent()) {
        messages.warning(
            "scalar parameter '"
                + scalar.name()
                + "' of '"
                + function
                + "' stands before tensor parameter '"
                + tensor.get().name()
                + "': a run time that fills in arguments in this order stops with \"cannot add"
                + " tensor after scalar\"",
            "put the tensors first, here and in the calls: "
                + function
                + "("
                + String.join(", ", tensorsFirst(entries))
                + ")",
            scalar.span());
        return;
      }
    }
  }

  private static List<String> tensorsFirst(List<Entry> entries) {
    List<String> names = new ArrayList<>();
    for (boolean scalars : List.of(false, true)) {
      entries.stream()
          .filter(entry -> (entry.kind() == Kind.SCALAR) == scalars)
          .forEach(entry -> names.add(entry.name()));
    }
    return names;
  }

  private static Entry entry(Param param) {
    return new Entry(param.name(), kind(param.type()), param.span());
  }

  private static Entry entry(JitHeader.Parameter param) {
    Kind kind =
        switch (param.declared()) {
          case JitHeader.TensorParam _ -> Kind.TENSOR;
          case JitHeader.ScalarParam _ -> Kind.SCALAR;
          case JitHeader.ExactParam(Type type, _) -> kind(type);
          case JitHeader.AnyParam _ -> Kind.OTHER;
        };
    return new Entry(param.name(), kind, param.span());
  }

  private static Kind kind(Type type) {
    return switch (type) {
      case Type.Tensor _ -> Kind.TENSOR;
      case Type.Scalar _ -> Kind.SCALAR;
      default -> Kind.OTHER;
    };
  }
}
