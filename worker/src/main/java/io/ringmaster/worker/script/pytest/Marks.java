package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/** The marks that stand on the functions and classes of a script. */
final class Marks {

  private final IdentityHashMap<Value, List<Mark>> standing = new IdentityHashMap<>();

  static Marks of(Interp interp) {
    return interp.session().shared(Marks.class, session -> new Marks());
  }

  void add(Value target, Mark mark) {
    standing.computeIfAbsent(target, t -> new ArrayList<>()).add(mark);
  }

  /** The marks of a function, nearest to it first. */
  List<Mark> ofFunction(Value function) {
    List<Mark> own = standing.getOrDefault(function, List.of());
    if (!(function instanceof FunctionValue plain) || plain.wrapped().isEmpty()) {
      return own;
    }
    List<Mark> all = new ArrayList<>(own);
    all.addAll(ofFunction(plain.wrapped().get()));
    return all;
  }

  /** The marks of a class and of the classes it derives from. */
  List<Mark> ofClass(ClassValue type) {
    List<Mark> all = new ArrayList<>();
    for (ClassValue at : type.ancestry()) {
      all.addAll(standing.getOrDefault(at, List.of()));
      Value list = at.members().get("pytestmark");
      if (list != null) {
        all.addAll(listed(list));
      }
    }
    return all;
  }

  /** The marks in {@code pytestmark = ...}: one, or a list. */
  static List<Mark> listed(Value value) {
    List<Value> items =
        switch (value) {
          case ListValue list -> list.items();
          case TupleValue tuple -> tuple.items();
          default -> List.of(value);
        };
    List<Mark> marks = new ArrayList<>();
    for (Value item : items) {
      if (!(item instanceof MarkValue(Mark mark))) {
        throw Errors.type("pytestmark must hold marks such as pytest.mark.skip(reason=...)");
      }
      marks.add(mark);
    }
    return marks;
  }
}
