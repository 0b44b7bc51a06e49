package io.ringmaster.worker.script.module;

import io.ringmaster.worker.frontend.ClosureScope;
import io.ringmaster.worker.frontend.ClosureValue;
import io.ringmaster.worker.frontend.FrontendOptions;
import io.ringmaster.worker.frontend.JitArgument;
import io.ringmaster.worker.frontend.JitBuilder;
import io.ringmaster.worker.frontend.JitBuilder.DriverParameter;
import io.ringmaster.worker.frontend.JitDecorators;
import io.ringmaster.worker.frontend.Jitted;
import io.ringmaster.worker.script.KernelRuntime;
import io.ringmaster.worker.script.check.ProgramText;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.KernelErrors;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Session;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Stmt;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A free function decorated for kernels: other kernels call it by its name, and the driver compiles
 * and calls it with tensors.
 */
public final class KernelValue implements NativeObject {

  private static final MethodTable<KernelValue> METHODS =
      new MethodTable<KernelValue>()
          .add("compile", "*samples, **named", KernelValue::compile)
          .add("lower", "*samples, **named", KernelValue::lower);

  private final Stmt.FunctionDef definition;
  private final ClosureScope scope;
  private final Map<Specialisation, CompiledValue> compiled = new HashMap<>();

  /** What one compiled form of the function is for. */
  private record Specialisation(
      List<JitArgument> arguments, String platform, List<Integer> devices) {}

  private record Parameters(List<DriverParameter> all) {}

  /**
   * Makes the function; its body is read when it is compiled.
   *
   * @throws io.ringmaster.worker.source.DiagnosticException when a decorator is wrong
   */
  public KernelValue(Stmt.FunctionDef definition, ClosureScope scope) {
    this.definition = definition;
    this.scope = scope;
    JitDecorators.check(definition, scope);
  }

  String name() {
    return definition.name();
  }

  /** The function as its text and what it sees. */
  public ClosureValue.Kernel closure() {
    return closure(scope);
  }

  private ClosureValue.Kernel closure(ClosureScope seen) {
    return new ClosureValue.Kernel(definition, seen);
  }

  @Override
  public String typeName() {
    return "kernel function";
  }

  @Override
  public Optional<Value> attribute(String name) {
    return name.equals("__name__")
        ? Optional.of(Value.of(definition.name()))
        : METHODS.bind(this, name);
  }

  @Override
  public Collection<String> attributeNames() {
    return List.of("compile", "lower");
  }

  private static Value compile(KernelValue self, Bound a, Call call) {
    JitCall given = self.match(a.rest(), a.named(), call);
    CompiledValue program = self.compiled(given, call);
    return given.hasNumbers() ? new CompiledForNumbers(self, given, program) : program;
  }

  /** The program before it is compiled for a platform. */
  private static Value lower(KernelValue self, Bound a, Call call) {
    Jitted built = self.build(self.match(a.rest(), a.named(), call), call);
    return new ProgramValue(built.built().program());
  }

  /** The call of a driver, its arguments matched with the parameters. */
  JitCall match(List<Value> positional, Map<String, Value> named, Call call) {
    Parameters parameters =
        KernelErrors.catchable(
            () ->
                call.interp()
                    .session()
                    .builds()
                    .get(
                        definition,
                        "parameters",
                        scope,
                        Parameters.class,
                        seen -> new Parameters(JitBuilder.parameters(closure(seen)))));
    return JitCall.match(definition.name(), parameters.all(), positional, named, call);
  }

  private Jitted build(JitCall given, Call call) {
    Session session = call.interp().session();
    List<JitArgument> arguments = given.arguments();
    Jitted built =
        KernelErrors.catchable(
            () ->
                session
                    .runtime()
                    .reading(
                        () ->
                            session
                                .builds()
                                .get(
                                    definition,
                                    arguments,
                                    scope,
                                    Jitted.class,
                                    seen ->
                                        JitBuilder.build(
                                            closure(seen), arguments, FrontendOptions.DEFAULTS))));
    session.warnings().addAll(built.built().warnings());
    return built;
  }

  private CompiledValue compiled(JitCall given, Call call) {
    Jitted built = build(given, call);
    KernelRuntime.Compiled program =
        call.interp()
            .session()
            .runtime()
            .compile(built.built().program(), given.platform(), given.devices(), call.span());
    CompiledValue value =
        new CompiledValue(
            program,
            new ProgramText(built.built().program()),
            "build_output/" + definition.name(),
            built.results());
    compiled.put(new Specialisation(given.arguments(), given.platform(), given.devices()), value);
    value.checkSamples(given.tensors(), given.places());
    return value;
  }

  /** Compiles at the first call with these shapes, and runs. */
  @Override
  public Value call(Arguments arguments, Call call) {
    return run(match(arguments.positional(), arguments.named(), call), call);
  }

  /** Runs the program for these arguments, compiled first when it wasn't yet. */
  Value run(JitCall given, Call call) {
    CompiledValue known =
        compiled.get(new Specialisation(given.arguments(), given.platform(), given.devices()));
    CompiledValue program = known == null ? compiled(given, call) : known;
    return program.call(List.copyOf(given.tensors()), given.places(), call);
  }

  @Override
  public String repr(Interp interp) {
    return "<kernel function " + definition.name() + ">";
  }
}
