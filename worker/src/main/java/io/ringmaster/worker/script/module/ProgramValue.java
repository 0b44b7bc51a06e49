package io.ringmaster.worker.script.module;

import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Value;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** What a {@code @pl.program} class's name stands for. */
public record ProgramValue(Program program, SubWorkers subWorkers) implements NativeObject {

  public ProgramValue(Program program) {
    this(program, SubWorkers.NONE);
  }

  @Override
  public String typeName() {
    return "Program";
  }

  @Override
  public Optional<Value> attribute(String name) {
    return name.equals("name") || name.equals("__name__")
        ? Optional.of(Value.of(program.name()))
        : Optional.empty();
  }

  @Override
  public Collection<String> attributeNames() {
    return List.of("name");
  }

  @Override
  public String repr(Interp interp) {
    return "<program " + program.name() + ">";
  }
}
