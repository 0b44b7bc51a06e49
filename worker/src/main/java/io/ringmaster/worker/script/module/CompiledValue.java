package io.ringmaster.worker.script.module;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.script.KernelRuntime;
import io.ringmaster.worker.script.check.Launch;
import io.ringmaster.worker.script.check.Output;
import io.ringmaster.worker.script.check.ProgramText;
import io.ringmaster.worker.script.check.Reads;
import io.ringmaster.worker.script.torch.TensorValue;
import io.ringmaster.worker.script.torch.Tensors;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.KernelErrors;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Session;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What {@code ir.compile(...)} and a free function's {@code compile} return: call it with tensors,
 * and it runs.
 */
final class CompiledValue implements NativeObject {

  /** What is remembered of a launch. */
  private static final long LAUNCH_BYTES = 512;

  private static final String TYPE = "DistributedCompiledProgram";

  private static final MethodTable<CompiledValue> METHODS =
      new MethodTable<CompiledValue>()
          .add(
              "prepare",
              "*, persistent=, reset_persistent_windows=, callbacks=",
              CompiledValue::prepare);

  private final KernelRuntime.Compiled compiled;
  private final ProgramText program;
  private final String outputFolder;
  private final List<Integer> results;
  private final SubWorkers subWorkers;

  /** A class: its outputs are what it returns. */
  CompiledValue(
      KernelRuntime.Compiled compiled,
      ProgramText program,
      String outputFolder,
      SubWorkers subWorkers) {
    this(compiled, program, outputFolder, outputIndices(compiled.entry().params()), subWorkers);
  }

  /** {@code results} are the numbers of the parameters that a call returns. */
  CompiledValue(
      KernelRuntime.Compiled compiled,
      ProgramText program,
      String outputFolder,
      List<Integer> results) {
    this(compiled, program, outputFolder, results, SubWorkers.NONE);
  }

  private CompiledValue(
      KernelRuntime.Compiled compiled,
      ProgramText program,
      String outputFolder,
      List<Integer> results,
      SubWorkers subWorkers) {
    this.compiled = compiled;
    this.program = program;
    this.outputFolder = outputFolder;
    this.results = results;
    this.subWorkers = subWorkers;
  }

  private static List<Integer> outputIndices(List<Function.Param> params) {
    return IntStream.range(0, params.size())
        .filter(i -> params.get(i).direction() == Function.Direction.OUT)
        .boxed()
        .toList();
  }

  /** Refuses samples that give one dynamic dim two values. */
  void checkSamples(List<TensorValue> samples, List<Span> places) {
    if (samples.size() == compiled.entry().params().size()) {
      checkFit(samples, places);
    }
  }

  /** Refuses tensors of other types or shapes than the parameters have, one for each. */
  void checkFit(List<TensorValue> tensors, List<Span> places) {
    ArgumentRules.check(parameters(), tensors.stream().map(TensorValue::data).toList(), places);
  }

  /** Those of the function that is called. */
  List<Function.Param> parameters() {
    return compiled.entry().params();
  }

  /** Sub-workers that a call has to be given functions for. */
  List<String> open() {
    return subWorkers.open();
  }

  @Override
  public String typeName() {
    return TYPE;
  }

  @Override
  public Optional<Value> attribute(String name) {
    return name.equals("output_dir")
        ? Optional.of(Value.of(outputFolder))
        : METHODS.bind(this, name);
  }

  @Override
  public Collection<String> attributeNames() {
    return List.of("output_dir", "prepare");
  }

  private static Value prepare(CompiledValue self, Bound a, Call call) {
    boolean persistent = a.flag("persistent", false);
    if (a.flag("reset_persistent_windows", false) && !persistent) {
      throw KernelErrors.misuse(
              Exceptions.VALUE_ERROR, "reset_persistent_windows=True requires persistent=True")
          .from(call.place("reset_persistent_windows"));
    }
    SubWorkers workers = self.subWorkers;
    if (a.has("callbacks")) {
      if (!(a.get("callbacks") instanceof DictValue callbacks)) {
        throw KernelErrors.type("callbacks must be a dict of functions by sub-worker name")
            .from(call.place("callbacks"));
      }
      workers = workers.with(callbacks, call);
    }
    boolean keeps = persistent && !a.flag("reset_persistent_windows", true);
    CompiledValue program = keeps ? self.keepingWindows() : self;
    return new PreparedValue(program, workers.complete(), call.interp().session().budget().steps());
  }

  /** The one-shot call, in place or with the outputs returned. */
  @Override
  public Value call(Arguments arguments, Call call) {
    for (Map.Entry<String, Value> named : arguments.named().entrySet()) {
      if (!named.getKey().equals("config")) {
        throw Errors.refuse(
            TYPE + " call got an unexpected keyword argument '" + named.getKey() + "'",
            "pass tensors by position, one per parameter",
            call.place(named.getKey()));
      }
    }
    List<Value> given = arguments.positional();
    return call(given, call.places(given.size()), call);
  }

  /**
   * The same.
   *
   * @param places where each of {@code given} is written
   */
  Value call(List<Value> given, List<Span> places, Call call) {
    List<Function.Param> params = compiled.entry().params();
    List<Function.Param> inputs =
        params.stream().filter(p -> p.direction() != Function.Direction.OUT).toList();
    boolean returns = !compiled.entry().returns().isEmpty();
    if (given.size() == params.size()) {
      List<TensorValue> all = tensors(given, places);
      run(all, places, subWorkers.complete(), call);
      return returns ? outputs(all) : Value.NONE;
    }
    if (!returns || given.size() != inputs.size()) {
      String inPlace = params.size() + " (in-place)";
      throw KernelErrors.type(
          TYPE
              + " expects "
              + (returns ? inPlace + " or " + inputs.size() + " (return)" : inPlace)
              + " arguments, got "
              + given.size());
    }
    List<TensorValue> all = withOutputs(tensors(given, places), call);
    List<Span> allPlaces = new ArrayList<>();
    Iterator<Span> next = places.iterator();
    for (Function.Param param : params) {
      allPlaces.add(param.direction() == Function.Direction.OUT ? call.span() : next.next());
    }
    run(all, allPlaces, subWorkers.complete(), call);
    return outputs(all);
  }

  /**
   * Launches the program.
   *
   * @param places where each of the tensors is written
   */
  void run(List<TensorValue> tensors, List<Span> places, SubWorkers workers, Call call) {
    List<HostTensor> views = tensors.stream().map(TensorValue::data).toList();
    List<Function.Param> params = compiled.entry().params();
    ArgumentRules.check(params, views, places);
    List<HostTensor> inputs = new ArrayList<>();
    for (int i = 0; i < Math.min(params.size(), views.size()); i++) {
      if (params.get(i).direction() == Function.Direction.IN) {
        inputs.add(views.get(i));
      } else if (params.get(i).direction() == Function.Direction.OUT
          && tensors.get(i).coversItsBuffer()) {
        tensors.get(i).storage().expectOutput();
      }
    }
    call.interp().session().kernelInputs().set(inputs);
    List<Output> outputs = begun(tensors, call);
    compiled.run(views, workers.functions(program, tensors, call), call.span());
    outputs.forEach(Output::ended);
    call.interp().session().budget().moveTo(call.span());
  }

  /** What the launch that is about to begin writes; its tensors know from now on. */
  private List<Output> begun(List<TensorValue> tensors, Call call) {
    List<Function.Param> params = compiled.entry().params();
    Session session = call.interp().session();
    Reads read = Reads.NONE;
    for (int i = 0; i < Math.min(params.size(), tensors.size()); i++) {
      if (params.get(i).direction() != Function.Direction.OUT) {
        read = read.and(tensors.get(i).reads());
      }
    }
    session.budget().objects(LAUNCH_BYTES);
    Launch launch =
        session
            .launches()
            .begin(program, compiled.ranks(), call.span().line(), read, session.checks().running());
    List<Launch.Given> given = new ArrayList<>();
    for (int i = 0; i < Math.min(params.size(), tensors.size()); i++) {
      TensorValue tensor = tensors.get(i);
      boolean ofKernel = !tensor.reads().isEmpty();
      int line = tensor.storage().line();
      given.add(new Launch.Given(params.get(i), tensor.data(), line, ofKernel));
    }
    launch.given(given);
    List<Output> outputs = new ArrayList<>();
    for (int i = 0; i < Math.min(params.size(), tensors.size()); i++) {
      if (params.get(i).direction().isWritten()) {
        Output output = launch.writes(params.get(i).name(), tensors.get(i).data());
        if (compiled.ranks() > 1) {
          boolean readable = params.get(i).direction() == Function.Direction.INOUT;
          output.remember(tensors.get(i).data(), readable);
        }
        tensors.get(i).writtenBy(output);
        outputs.add(output);
      }
    }
    return outputs;
  }

  /** A worker for this program, its sub-workers as they are. */
  PreparedValue prepared(Call call) {
    return new PreparedValue(this, subWorkers.complete(), call.interp().session().budget().steps());
  }

  private CompiledValue keepingWindows() {
    return new CompiledValue(compiled.keepingWindows(), program, outputFolder, results, subWorkers);
  }

  int parameterCount() {
    return compiled.entry().params().size();
  }

  /**
   * The arguments as tensors.
   *
   * @param places where each is written
   */
  static List<TensorValue> tensors(List<Value> given, List<Span> places) {
    List<TensorValue> tensors = new ArrayList<>();
    for (int i = 0; i < given.size(); i++) {
      if (!(given.get(i) instanceof TensorValue tensor)) {
        throw KernelErrors.type(
                "One-shot distributed programs only support host torch.Tensor parameters (argument "
                    + i
                    + " is "
                    + Types.nameOf(given.get(i))
                    + ")")
            .from(places.get(i));
      }
      tensors.add(tensor);
    }
    return tensors;
  }

  private List<TensorValue> withOutputs(List<TensorValue> inputs, Call call) {
    List<TensorValue> all = new ArrayList<>();
    int next = 0;
    for (Function.Param param : compiled.entry().params()) {
      all.add(
          param.direction() == Function.Direction.OUT
              ? allocated(param, call)
              : inputs.get(next++));
    }
    return all;
  }

  private static TensorValue allocated(Function.Param param, Call call) {
    if (!(param.type() instanceof Type.Tensor tensor)) {
      throw KernelErrors.type("output parameter '" + param.name() + "' is not a tensor");
    }
    long[] shape = new long[tensor.shape().size()];
    for (int axis = 0; axis < shape.length; axis++) {
      if (!(tensor.shape().get(axis) instanceof Expr.IntConst extent)) {
        throw KernelErrors.type(
            "output parameter '"
                + param.name()
                + "' contains dynamic dimensions: pass a tensor for it (in-place style)");
      }
      shape[axis] = extent.value();
    }
    return Tensors.zeros(tensor.dtype(), shape, call.interp());
  }

  private Value outputs(List<TensorValue> all) {
    List<Value> outputs = results.stream().<Value>map(all::get).toList();
    if (outputs.isEmpty()) {
      return Value.NONE;
    }
    return outputs.size() == 1 ? outputs.getFirst() : new TupleValue(outputs);
  }

  @Override
  public String repr(Interp interp) {
    return "<" + TYPE + " " + compiled.entry().name() + ">";
  }
}
