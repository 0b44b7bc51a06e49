package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.script.builtin.Attributes;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import java.util.Optional;

/** What {@code super()} gives inside a method: the members of the classes further up. */
record SuperObject(Value self, ClassValue type, ClassValue after, Interp interp)
    implements NativeObject {

  /** What a class calls for each class that derives from it. */
  static final String INIT_SUBCLASS = "__init_subclass__";

  /** Names under which a call leaves its method's class and receiver in the scope. */
  static final String OWNER = "class of the running method";

  static final String RECEIVER = "receiver of the running method";

  /** A class as a value that scripts can't reach. */
  record Owner(ClassValue type, Interp interp) implements NativeObject {
    @Override
    public String typeName() {
      return "type";
    }

    @Override
    public String repr(Interp by) {
      return type.name();
    }
  }

  static Value find(Scope scope) {
    Optional<Value> owner = scope.find(OWNER);
    Optional<Value> receiver = scope.find(RECEIVER);
    if (owner.isPresent() && owner.get() instanceof Owner type && receiver.isPresent()) {
      switch (receiver.get()) {
        case InstanceValue self -> {
          return new SuperObject(self, self.type(), type.type(), type.interp());
        }
        case ClassValue self -> {
          return new SuperObject(self, self, type.type(), type.interp());
        }
        default -> {}
      }
    }
    throw Errors.runtime("super(): no arguments");
  }

  @Override
  public String typeName() {
    return "super";
  }

  @Override
  public Optional<Value> attribute(String name) {
    Optional<Value> member = type.memberAfter(after, name);
    if (member.isPresent()) {
      return Optional.of(
          Attributes.bound(member.get(), self, type, interp, interp.session().budget().here()));
    }
    if (name.equals(INIT_SUBCLASS)) {
      return Optional.of(NativeFunction.of(name, "", (a, c) -> Value.NONE));
    }
    if (name.equals("__init__")) {
      return Optional.of(NativeFunction.of(name, "*args", (a, c) -> initialise(a.rest())));
    }
    return Optional.empty();
  }

  private Value initialise(java.util.List<Value> arguments) {
    if (self instanceof InstanceValue instance && type.isSubclassOf(Exceptions.BASE_EXCEPTION)) {
      instance.attributes().put("args", new TupleValue(arguments));
    }
    return Value.NONE;
  }

  @Override
  public String repr(Interp by) {
    return "<super: " + after.name() + ">";
  }
}
