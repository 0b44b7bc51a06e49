package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.KernelErrors;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code DistributedWorker(first, second)}: a worker for several programs, of which {@code
 * rt.run(first, x, y)} names the one to run.
 */
final class WorkerValue implements NativeObject {

  private static final MethodTable<WorkerValue> METHODS =
      new MethodTable<WorkerValue>()
          .add("run", "program, *values", WorkerValue::run)
          .add(
              "close",
              "",
              (self, a, c) -> {
                self.exit();
                return Value.NONE;
              });

  private final Map<CompiledValue, PreparedValue> programs = new LinkedHashMap<>();

  private WorkerValue() {}

  static Value of(Bound a, Call call) {
    if (a.rest().isEmpty()) {
      throw KernelErrors.type("DistributedWorker() needs at least one compiled program");
    }
    WorkerValue worker = new WorkerValue();
    for (Value program : a.rest()) {
      if (!(program instanceof CompiledValue compiled)) {
        throw KernelErrors.misuse(
            Exceptions.TYPE_ERROR,
            "DistributedWorker() takes compiled programs, not " + Types.nameOf(program));
      }
      worker.programs.put(compiled, compiled.prepared(call));
    }
    return worker;
  }

  private static Value run(WorkerValue self, Bound a, Call call) {
    PreparedValue prepared =
        a.get("program") instanceof CompiledValue compiled ? self.programs.get(compiled) : null;
    if (prepared == null) {
      throw KernelErrors.misuse(
          Exceptions.VALUE_ERROR,
          "the program is none of those registered when this worker was constructed"
              + " (DistributedWorker(first, second, ...))");
    }
    return prepared.call(new Arguments(a.rest(), Map.of()), call);
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
    programs.values().forEach(PreparedValue::exit);
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
  public Value call(Arguments arguments, Call call) {
    if (programs.size() > 1) {
      throw KernelErrors.misuse(
          Exceptions.RUNTIME_ERROR,
          "rt(*args) is ambiguous on a multi-program DistributedWorker; name the program:"
              + " rt.run(compiled, *args)");
    }
    return List.copyOf(programs.values()).getFirst().call(arguments, call);
  }

  @Override
  public String repr(Interp interp) {
    return "<DistributedWorker of " + programs.size() + " programs>";
  }
}
