package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.Iterator;
import java.util.List;

/** What {@code dict.keys()}, {@code .values()} and {@code .items()} return. */
record DictView(String typeName, List<Value> items) implements NativeObject {

  @Override
  public Iterator<Value> iterate(Interp interp) {
    return items.iterator();
  }

  @Override
  public long length() {
    return items.size();
  }

  @Override
  public boolean truth(Interp interp) {
    return !items.isEmpty();
  }

  @Override
  public boolean contains(Value value, Interp interp) {
    for (Value item : items) {
      if (interp.equal(item, value)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String repr(Interp interp) {
    return typeName
        + "("
        + interp.repr(new io.ringmaster.worker.script.value.ListValue(items))
        + ")";
  }
}
