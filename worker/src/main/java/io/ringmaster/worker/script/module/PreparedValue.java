package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.torch.TensorValue;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.KernelErrors;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Span;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** What {@code with compiled.prepare() as rt} binds: a worker that runs one program many times. */
final class PreparedValue implements NativeObject {

  private final CompiledValue program;
  private final SubWorkers subWorkers;
  private final long preparedAt;
  private boolean closed;

  /**
   * Prepares a program.
   *
   * @param preparedAt the script's step count; shared tensors must be older
   */
  PreparedValue(CompiledValue program, SubWorkers subWorkers, long preparedAt) {
    this.program = program;
    this.subWorkers = subWorkers;
    this.preparedAt = preparedAt;
  }

  @Override
  public String typeName() {
    return "DistributedWorker";
  }

  @Override
  public Value enter(Call call) {
    return this;
  }

  @Override
  public void exit() {
    closed = true;
  }

  @Override
  public Optional<Value> attribute(String name) {
    return name.equals("close")
        ? Optional.of(
            NativeFunction.of(
                "close",
                "",
                (a, c) -> {
                  closed = true;
                  return Value.NONE;
                }))
        : Optional.empty();
  }

  @Override
  public Collection<String> attributeNames() {
    return List.of("close");
  }

  @Override
  public Value call(Arguments arguments, Call call) {
    if (closed) {
      throw KernelErrors.misuse(Exceptions.RUNTIME_ERROR, "DistributedWorker called after close()");
    }
    int wanted = program.parameterCount();
    if (arguments.positional().size() != wanted || !arguments.named().isEmpty()) {
      throw KernelErrors.misuse(
          Exceptions.TYPE_ERROR,
          "DistributedWorker expects "
              + wanted
              + " arguments (in-place, one per parameter), got "
              + (arguments.positional().size() + arguments.named().size()));
    }
    List<Span> places = call.places(wanted);
    List<TensorValue> tensors = CompiledValue.tensors(arguments.positional(), places);
    for (int i = 0; i < tensors.size(); i++) {
      if (!tensors.get(i).storage().isSharedBefore(preparedAt)) {
        throw KernelErrors.type(
                "argument "
                    + i
                    + " must be shared memory allocated BEFORE prepare(): call .share_memory_() on"
                    + " it first")
            .from(places.get(i));
      }
    }
    program.run(tensors, places, subWorkers, call);
    return Value.NONE;
  }

  @Override
  public String repr(Interp interp) {
    return "<DistributedWorker" + (closed ? " closed" : "") + ">";
  }
}
