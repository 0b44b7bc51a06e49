package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.IteratorValue;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** {@code request.node}: the running case. */
record ItemNode(TestItem item) implements NativeObject {

  private static final MethodTable<ItemNode> METHODS =
      new MethodTable<ItemNode>()
          .add(
              "get_closest_marker",
              "name, default=",
              (node, a, c) ->
                  node.item
                      .mark(a.string("name"))
                      .<Value>map(MarkValue::new)
                      .orElse(a.find("default").orElse(Value.NONE)))
          .add("iter_markers", "name=", ItemNode::markers)
          .add(
              "add_marker",
              "marker, append=",
              (node, a, c) -> {
                throw Errors.refuse(
                    "node.add_marker is not available in scripts",
                    "write the mark above the test, or in pytest.param(..., marks=...)",
                    c.span());
              });

  /** The names by which the case can be chosen, as a dict. */
  Value keywords() {
    DictValue names = new DictValue();
    names.put(Value.of(item.name()), Value.TRUE);
    names.put(Value.of(item.key()), Value.TRUE);
    item.marks().forEach(mark -> names.put(Value.of(mark.name()), new MarkValue(mark)));
    return names;
  }

  private static Value markers(ItemNode node, Bound a, Call call) {
    List<Value> found = new ArrayList<>();
    for (Mark mark : node.item.marks()) {
      if (!a.has("name") || mark.name().equals(a.string("name"))) {
        found.add(new MarkValue(mark));
      }
    }
    return new IteratorValue("generator", found.iterator());
  }

  @Override
  public String typeName() {
    return "Function";
  }

  @Override
  public Optional<Value> attribute(String name) {
    return switch (name) {
      case "name" -> Optional.of(Value.of(item.name()));
      case "originalname" -> Optional.of(Value.of(item.key()));
      case "nodeid" -> Optional.of(Value.of(item.nodeId()));
      case "callspec" -> Optional.of(new Parameters(item));
      case "keywords" -> Optional.of(keywords());
      case "own_markers" ->
          Optional.of(ListValue.of(item.marks().stream().<Value>map(MarkValue::new).toList()));
      default -> METHODS.bind(this, name);
    };
  }

  @Override
  public Collection<String> attributeNames() {
    List<String> names = new ArrayList<>(METHODS.names());
    names.addAll(List.of("name", "originalname", "nodeid", "callspec", "own_markers", "keywords"));
    return names;
  }

  @Override
  public String repr(Interp interp) {
    return "<Function " + item.name() + ">";
  }

  /** {@code request.node.callspec}. */
  private record Parameters(TestItem item) implements NativeObject {
    @Override
    public String typeName() {
      return "CallSpec2";
    }

    @Override
    public Optional<Value> attribute(String name) {
      return switch (name) {
        case "params" -> {
          DictValue dict = new DictValue();
          item.direct().forEach((key, value) -> dict.put(Value.of(key), value));
          item.indirect().forEach((key, value) -> dict.put(Value.of(key), value.value()));
          yield Optional.of(dict);
        }
        case "id" -> {
          int bracket = item.name().indexOf('[');
          yield Optional.of(
              Value.of(
                  bracket < 0 ? "" : item.name().substring(bracket + 1, item.name().length() - 1)));
        }
        default -> Optional.empty();
      };
    }

    @Override
    public Collection<String> attributeNames() {
      return List.of("params", "id");
    }

    @Override
    public String repr(Interp interp) {
      return "<CallSpec2>";
    }
  }
}
