package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A compiled free function with number parameters. The program is made for the numbers it was
 * compiled with; a call with others is compiled for those. Other shapes are refused.
 */
record CompiledForNumbers(KernelValue kernel, JitCall first, CompiledValue program)
    implements NativeObject {

  @Override
  public String typeName() {
    return program.typeName();
  }

  @Override
  public Optional<Value> attribute(String name) {
    return program.attribute(name);
  }

  @Override
  public Collection<String> attributeNames() {
    return program.attributeNames();
  }

  @Override
  public Value call(Arguments arguments, Call call) {
    List<Value> given = arguments.positional();
    boolean tensorsOnly = given.size() == program.parameterCount();
    if (tensorsOnly && arguments.named().keySet().stream().allMatch("config"::equals)) {
      return program.call(arguments, call);
    }
    JitCall now = kernel.match(given, arguments.named(), call);
    return now.hasShapesOf(first)
        ? kernel.run(now.with(first.platform(), first.devices()), call)
        : program.call(List.copyOf(now.tensors()), now.places(), call);
  }

  @Override
  public String repr(Interp interp) {
    return program.repr(interp);
  }
}
