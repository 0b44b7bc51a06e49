package io.ringmaster.worker.script.value;

import java.util.List;
import java.util.Optional;

/**
 * A Python tuple, or one of the tuple-like results that print under their own name.
 *
 * @param typeName {@code tuple}, {@code torch.Size}, ...
 * @param fields names of the elements for {@code result.values}; empty for a plain tuple
 * @param type the class of the script that it belongs to, with its methods; empty for any other
 */
public record TupleValue(
    List<Value> items, String typeName, List<String> fields, Optional<ClassValue> type)
    implements Value {

  public static final TupleValue EMPTY = new TupleValue(List.of());

  public TupleValue {
    items = List.copyOf(items);
    fields = List.copyOf(fields);
  }

  public TupleValue(List<? extends Value> items) {
    this(List.copyOf(items), "tuple", List.of());
  }

  /** A tuple of no class of the script. */
  public TupleValue(List<Value> items, String typeName, List<String> fields) {
    this(items, typeName, fields, Optional.empty());
  }

  public static TupleValue of(Value... items) {
    return new TupleValue(List.of(items));
  }
}
