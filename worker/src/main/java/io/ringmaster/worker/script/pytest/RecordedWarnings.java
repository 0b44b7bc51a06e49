package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.builtin.Subscripts;
import io.ringmaster.worker.script.module.Warnings;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** What {@code pytest.warns} and {@code recwarn} give: the warnings so far, as a sequence. */
record RecordedWarnings(ListValue all) implements NativeObject {

  private static final MethodTable<RecordedWarnings> METHODS =
      new MethodTable<RecordedWarnings>()
          .add("pop", "cls=", RecordedWarnings::pop)
          .add(
              "clear",
              "",
              (self, a, c) -> {
                self.all.items().clear();
                return Value.NONE;
              });

  private static Value pop(RecordedWarnings self, Bound a, Call call) {
    List<Value> items = self.all.items();
    for (int i = 0; i < items.size(); i++) {
      if (!a.has("cls") || Warnings.isOf(items.get(i), a.get("cls"))) {
        return items.remove(i);
      }
    }
    throw Outcomes.raise(
        Exceptions.ASSERTION_ERROR,
        (a.has("cls") ? call.interp().repr(a.get("cls")) : "a warning")
            + " not found in warning list");
  }

  @Override
  public String typeName() {
    return "WarningsRecorder";
  }

  @Override
  public Optional<Value> attribute(String name) {
    return name.equals("list") ? Optional.of(all) : METHODS.bind(this, name);
  }

  @Override
  public Collection<String> attributeNames() {
    return List.of("list", "pop", "clear");
  }

  @Override
  public Value item(Value index, Interp interp) {
    return Subscripts.item(all, index, interp);
  }

  @Override
  public Iterator<Value> iterate(Interp interp) {
    return interp.iterate(all);
  }

  @Override
  public long length() {
    return all.items().size();
  }

  @Override
  public boolean truth(Interp interp) {
    return !all.items().isEmpty();
  }

  @Override
  public String repr(Interp interp) {
    return "WarningsRecorder(record=True)";
  }
}
