package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Resumable;
import io.ringmaster.worker.script.value.Value;
import java.util.List;

/** What a generator can be told beside going on: {@code send}, {@code throw}, {@code close}. */
final class GeneratorMethods {

  static final MethodTable<Resumable> TABLE =
      new MethodTable<Resumable>()
          .add("send", "value", GeneratorMethods::send)
          .add("throw", "exception", GeneratorMethods::raise)
          .add("close", "", (generator, a, c) -> close(generator));

  private GeneratorMethods() {}

  /** The end of a generator, with what its {@code return} gave. */
  static PyError stopped(Resumable generator) {
    List<Value> value =
        generator.returned() instanceof Value.None ? List.of() : List.of(generator.returned());
    return new PyError(Exceptions.make(Exceptions.STOP_ITERATION, value));
  }

  private static Value following(Resumable generator) {
    if (generator.hasNext()) {
      return generator.next();
    }
    throw stopped(generator);
  }

  private static Value send(Resumable generator, Bound a, Call call) {
    generator.send(a.get("value"));
    return following(generator);
  }

  private static Value raise(Resumable generator, Bound a, Call call) {
    Value given = a.get("exception");
    Value exception =
        given instanceof ClassValue type && type.isSubclassOf(Exceptions.BASE_EXCEPTION)
            ? call.interp().call(type, Arguments.of(), call.span())
            : given;
    if (!(exception instanceof InstanceValue instance)
        || !instance.type().isSubclassOf(Exceptions.BASE_EXCEPTION)) {
      throw Errors.type(
          "exceptions must be classes or instances deriving from BaseException, not "
              + call.interp().repr(given));
    }
    generator.raise(new PyError(instance));
    return following(generator);
  }

  private static Value close(Resumable generator) {
    try {
      generator.raise(new PyError(Exceptions.make(Exceptions.GENERATOR_EXIT, List.of())));
    } catch (PyError error) {
      if (!error.is(Exceptions.GENERATOR_EXIT) && !error.is(Exceptions.STOP_ITERATION)) {
        throw error;
      }
      return Value.NONE;
    }
    if (generator.hasNext()) {
      throw Errors.runtime("generator ignored GeneratorExit");
    }
    return Value.NONE;
  }
}
