package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.builtin.Attributes;
import io.ringmaster.worker.script.builtin.Environment;
import io.ringmaster.worker.script.builtin.Subscripts;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Optional;

/** {@code monkeypatch}: changes of the script's own objects that the end of the case undoes. */
record MonkeyPatch(Deque<Runnable> changes) implements NativeObject {

  private static final MethodTable<MonkeyPatch> METHODS =
      new MethodTable<MonkeyPatch>()
          .add("setenv", "name, value, prepend=", MonkeyPatch::setEnvironment)
          .add("delenv", "name, raising=", MonkeyPatch::deleteEnvironment)
          .add("setitem", "dic, name, value", MonkeyPatch::setItem)
          .add("delitem", "dic, name, raising=", MonkeyPatch::deleteItem)
          .add("setattr", "target, name, value=, raising=", MonkeyPatch::setAttribute)
          .add("context", "", (self, a, call) -> new Inner(new MonkeyPatch(new ArrayDeque<>())))
          .add("undo", "", (self, a, call) -> self.undo());

  private static Value setEnvironment(MonkeyPatch self, Bound a, Call call) {
    return self.put(Environment.of(call.interp().session()), a.get("name"), a.get("value"));
  }

  private static Value deleteEnvironment(MonkeyPatch self, Bound a, Call call) {
    DictValue variables = Environment.of(call.interp().session());
    Optional<Value> old = variables.remove(a.get("name"));
    old.ifPresent(value -> self.changes.push(() -> variables.put(a.get("name"), value)));
    if (old.isEmpty() && a.flag("raising", true)) {
      throw Subscripts.keyError(a.get("name"));
    }
    return Value.NONE;
  }

  private static Value deleteItem(MonkeyPatch self, Bound a, Call call) {
    DictValue dict = dict(a, "delitem");
    Optional<Value> old = dict.remove(a.get("name"));
    old.ifPresent(value -> self.changes.push(() -> dict.put(a.get("name"), value)));
    if (old.isEmpty() && a.flag("raising", true)) {
      throw Subscripts.keyError(a.get("name"));
    }
    return Value.NONE;
  }

  private static DictValue dict(Bound a, String method) {
    if (a.get("dic") instanceof DictValue dict) {
      return dict;
    }
    throw Errors.type("monkeypatch." + method + " needs a dict, not " + Types.nameOf(a.get("dic")));
  }

  /** Takes everything back, the latest change first. */
  Value undo() {
    while (!changes.isEmpty()) {
      changes.pop().run();
    }
    return Value.NONE;
  }

  /** {@code with monkeypatch.context() as m}: changes that the end of the block takes back. */
  private record Inner(MonkeyPatch patch) implements NativeObject {
    @Override
    public String typeName() {
      return "MonkeyPatch";
    }

    @Override
    public Value enter(Call call) {
      return patch;
    }

    @Override
    public void exit() {
      patch.undo();
    }

    @Override
    public String repr(Interp interp) {
      return "<MonkeyPatch>";
    }
  }

  private static Value setItem(MonkeyPatch self, Bound a, Call call) {
    DictValue dict = dict(a, "setitem");
    return self.put(dict, a.get("name"), a.get("value"));
  }

  private Value put(DictValue dict, Value key, Value value) {
    Optional<Value> old = dict.get(key);
    changes.push(
        () -> {
          if (old.isPresent()) {
            dict.put(key, old.get());
          } else {
            dict.remove(key);
          }
        });
    dict.put(key, value);
    return Value.NONE;
  }

  private static Value setAttribute(MonkeyPatch self, Bound a, Call call) {
    Value target = a.get("target");
    if (target instanceof ModuleValue module) {
      throw Attributes.unchangeable(module, a.string("name"), call.span());
    }
    if (!(target instanceof InstanceValue) && !(target instanceof ClassValue)) {
      throw Errors.refuse(
          "monkeypatch.setattr of a " + Types.nameOf(target) + " is not available in scripts",
          "only classes and objects of the script itself can be changed",
          call.span());
    }
    if (!a.has("value")) {
      throw Errors.type("monkeypatch.setattr() missing 1 required positional argument: 'value'");
    }
    String name = a.string("name");
    Value old = Attributes.get(target, name, call.interp(), call.span());
    Attributes.set(target, name, a.get("value"), call.interp(), call.span());
    self.changes.push(() -> Attributes.set(target, name, old, call.interp(), call.span()));
    return Value.NONE;
  }

  @Override
  public String typeName() {
    return "MonkeyPatch";
  }

  @Override
  public Optional<Value> attribute(String name) {
    return METHODS.bind(this, name);
  }

  @Override
  public Collection<String> attributeNames() {
    return METHODS.names();
  }

  @Override
  public String repr(Interp interp) {
    return "<MonkeyPatch>";
  }
}
