package io.ringmaster.worker.script.module;

import io.ringmaster.worker.frontend.ClosureValue;
import io.ringmaster.worker.frontend.JitArgument;
import io.ringmaster.worker.frontend.JitBuilder.DriverParameter;
import io.ringmaster.worker.script.torch.TensorValue;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.KernelErrors;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.Nearest;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a driver hands to a free function: an argument for each parameter, and the configuration.
 *
 * @param arguments what the program is compiled for, one for each parameter
 * @param tensors the tensors among them, in order
 * @param places where each of these is written
 */
record JitCall(
    List<JitArgument> arguments,
    List<TensorValue> tensors,
    List<Span> places,
    String platform,
    List<Integer> devices) {

  JitCall {
    arguments = List.copyOf(arguments);
  }

  private static final String RUNTIME_MARK = "pypto.language.RUNTIME";

  /**
   * Matches values with parameters. Outputs may be left out, all together: the call returns them.
   *
   * @throws io.ringmaster.worker.script.value.PyError TypeError for arguments that don't fit
   */
  static JitCall match(
      String function,
      List<DriverParameter> parameters,
      List<Value> positional,
      Map<String, Value> named,
      Call call) {
    Map<String, Value> values = new HashMap<>();
    Map<String, Span> places = new HashMap<>();
    List<Span> written = call.places(positional.size());
    List<DriverParameter> inputs = parameters.stream().filter(p -> !p.output()).toList();
    List<DriverParameter> order =
        !fits(parameters, positional, named) && fits(inputs, positional, named)
            ? inputs
            : parameters;
    if (positional.size() > parameters.size()) {
      throw KernelErrors.type(
          function
              + "() expects "
              + parameters.size()
              + " (in-place) or "
              + inputs.size()
              + " (return) arguments, got "
              + positional.size());
    }
    for (int i = 0; i < positional.size(); i++) {
      values.put(order.get(i).name(), positional.get(i));
      places.put(order.get(i).name(), written.get(i));
    }
    for (Map.Entry<String, Value> entry : named.entrySet()) {
      String name = entry.getKey();
      if (parameters.stream().noneMatch(p -> p.name().equals(name))) {
        if (name.equals("config")) {
          continue;
        }
        throw Errors.refuse(
            function + "() got an unexpected keyword argument '" + name + "'",
            Nearest.hint(name, parameters.stream().map(DriverParameter::name).toList()),
            call.place(name));
      }
      if (values.put(name, entry.getValue()) != null) {
        throw KernelErrors.type(function + "() got multiple values for argument '" + name + "'")
            .from(call.place(name));
      }
      places.put(name, call.place(name));
    }
    return of(function, parameters, values, places, config(function, named, call));
  }

  /** True when every value is of its parameter's kind, and nothing but outputs is left out. */
  private static boolean fits(
      List<DriverParameter> order, List<Value> positional, Map<String, Value> named) {
    if (positional.size() > order.size()) {
      return false;
    }
    for (int i = 0; i < order.size(); i++) {
      DriverParameter parameter = order.get(i);
      boolean fits =
          i < positional.size()
              ? parameter.scalar() != positional.get(i) instanceof TensorValue
              : parameter.output() || parameter.optional() || named.containsKey(parameter.name());
      if (!fits) {
        return false;
      }
    }
    return true;
  }

  private static JitCall of(
      String function,
      List<DriverParameter> parameters,
      Map<String, Value> values,
      Map<String, Span> places,
      Optional<ConfigValue> config) {
    List<JitArgument> arguments = new ArrayList<>();
    List<TensorValue> tensors = new ArrayList<>();
    List<Span> tensorPlaces = new ArrayList<>();
    for (DriverParameter parameter : parameters) {
      Value value = values.get(parameter.name());
      if (value instanceof TensorValue tensor && !parameter.scalar()) {
        tensors.add(tensor);
        tensorPlaces.add(places.getOrDefault(parameter.name(), Span.NONE));
        arguments.add(sample(tensor));
      } else if (value != null && !(value instanceof Value.None)) {
        arguments.add(new JitArgument.Number(number(function, parameter, value, places)));
      } else if (parameter.scalar() && !parameter.optional()) {
        throw KernelErrors.type(
            function + "(): scalar parameter '" + parameter.name() + "' has no value");
      } else {
        arguments.add(new JitArgument.Missing());
      }
    }
    return new JitCall(
        arguments,
        tensors,
        tensorPlaces,
        config.flatMap(ConfigValue::platform).orElse(PyptoModule.DEFAULT_PLATFORM),
        config.map(ConfigValue::deviceIds).filter(ids -> !ids.isEmpty()).orElse(List.of(0)));
  }

  private static JitArgument sample(TensorValue tensor) {
    return new JitArgument.Sample(
        Arrays.stream(tensor.data().shape()).boxed().toList(), tensor.data().dtype());
  }

  private static ClosureValue number(
      String function, DriverParameter parameter, Value value, Map<String, Span> places) {
    if (PathValue.isNamed(value, RUNTIME_MARK)) {
      throw KernelErrors.type(
              function
                  + "(): pl.RUNTIME can't be passed as the argument '"
                  + parameter.name()
                  + "': pass its value")
          .from(places.getOrDefault(parameter.name(), Span.NONE));
    }
    ClosureValue number = ScopeView.convert(value);
    boolean fits =
        parameter.scalar()
            && (number instanceof ClosureValue.Int
                || number instanceof ClosureValue.Float
                || number instanceof ClosureValue.Bool);
    if (!fits) {
      throw KernelErrors.type(
              function
                  + "() argument '"
                  + parameter.name()
                  + "' must be a "
                  + (parameter.scalar() ? "number" : "torch.Tensor")
                  + ", not "
                  + Types.nameOf(value))
          .from(places.getOrDefault(parameter.name(), Span.NONE));
    }
    return number;
  }

  private static Optional<ConfigValue> config(
      String function, Map<String, Value> named, Call call) {
    Value config = named.getOrDefault("config", Value.NONE);
    if (config instanceof Value.None) {
      return Optional.empty();
    }
    if (config instanceof ConfigValue settings && settings.typeName().equals("RunConfig")) {
      return Optional.of(settings);
    }
    if (config instanceof NativeObject fixture && fixture.typeName().equals("RunConfig")) {
      return Optional.of(ConfigValue.of(fixture));
    }
    throw KernelErrors.type(
            function + "() argument 'config' must be a RunConfig, not " + Types.nameOf(config))
        .from(call.place("config"));
  }

  /** True when the program is made for numbers of this call. */
  boolean hasNumbers() {
    return arguments.stream().anyMatch(JitArgument.Number.class::isInstance);
  }

  /** True when the tensors are as large as those of another call. */
  boolean hasShapesOf(JitCall other) {
    return samples().equals(other.samples());
  }

  private List<JitArgument> samples() {
    return arguments.stream().filter(JitArgument.Sample.class::isInstance).toList();
  }

  /** The same arguments elsewhere. */
  JitCall with(String otherPlatform, List<Integer> otherDevices) {
    return new JitCall(arguments, tensors, places, otherPlatform, otherDevices);
  }
}
