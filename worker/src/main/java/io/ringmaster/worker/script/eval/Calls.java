package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.script.builtin.Attributes;
import io.ringmaster.worker.script.builtin.Sequences;
import io.ringmaster.worker.script.module.EnumModule;
import io.ringmaster.worker.script.module.NamedTuples;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.IteratorValue;
import io.ringmaster.worker.script.value.MethodValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.Scope;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Parameters;
import io.ringmaster.worker.source.Parameters.Parameter;
import io.ringmaster.worker.source.Span;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Calls functions, classes and native objects. */
final class Calls {

  private final Interpreter interp;
  private final Budget budget;
  private final IdentityHashMap<Parameters, Scope.Names> names = new IdentityHashMap<>();

  private final IdentityHashMap<FunctionValue.Block, Boolean> generators = new IdentityHashMap<>();

  Calls(Interpreter interp) {
    this.interp = interp;
    this.budget = interp.session().budget();
  }

  Value call(Value callee, Arguments arguments, Call call) {
    budget.step();
    return switch (callee) {
      case FunctionValue function -> function(function, arguments, call);
      case MethodValue method ->
          function(method.function(), withFirst(method.self(), arguments), call);
      case NativeFunction function ->
          function.body().apply(function.signature().bind(arguments, call.span()), call);
      case NativeObject object -> object.call(arguments, call);
      case ClassValue type -> instance(type, arguments, call);
      case InstanceValue instance when instance.type().member("__call__").isPresent() ->
          call(
              Attributes.bound(
                  instance.type().member("__call__").get(),
                  instance,
                  instance.type(),
                  interp,
                  call.span()),
              arguments,
              call);
      default -> throw Errors.type("'" + Types.nameOf(callee) + "' object is not callable");
    };
  }

  private static Arguments withFirst(Value first, Arguments arguments) {
    List<Value> positional = new ArrayList<>();
    positional.add(first);
    positional.addAll(arguments.positional());
    return new Arguments(positional, arguments.named());
  }

  private Value instance(ClassValue type, Arguments arguments, Call call) {
    if (type.enumMembers().isPresent() && arguments.positional().size() == 1) {
      return EnumModule.ofValue(type, arguments.positional().getFirst(), interp);
    }
    if (type.isSubclassOf(EnumModule.ENUM)) {
      return EnumModule.made(type, arguments, interp);
    }
    budget.objects(128);
    if (type.member(ClassValue.ABSTRACT).isPresent()) {
      AbstractMethods.refuseMissing(type);
    }
    if (NamedTuples.isTuples(type)) {
      return NamedTuples.made(type, arguments, call);
    }
    boolean exception = type.isSubclassOf(Exceptions.BASE_EXCEPTION);
    InstanceValue instance =
        exception ? Exceptions.make(type, arguments.positional()) : new InstanceValue(type);
    Optional<Value> init = type.member("__init__");
    if (init.isPresent()) {
      call(Attributes.bound(init.get(), instance, type, interp, call.span()), arguments, call);
    } else if (!arguments.named().isEmpty() || (!exception && !arguments.positional().isEmpty())) {
      throw Errors.type(type.name() + "() takes no arguments");
    }
    return instance;
  }

  private Value function(FunctionValue function, Arguments arguments, Call call) {
    Scope scope =
        new Scope(
            Scope.Kind.FUNCTION,
            function.scope(),
            names.computeIfAbsent(function.parameters(), p -> namesOf(function)));
    bind(function, arguments, scope);
    function
        .owner()
        .ifPresent(
            owner -> {
              scope.values().put(SuperObject.OWNER, new SuperObject.Owner(owner, interp));
              if (!arguments.positional().isEmpty()) {
                scope.values().put(SuperObject.RECEIVER, arguments.positional().getFirst());
              }
            });
    if (function.body() instanceof FunctionValue.Block block && isGenerator(block)) {
      return new IteratorValue(
          "generator", new Generator(function.name(), block.statements(), scope, interp));
    }
    Span caller = budget.isInScript(call.span()) ? call.span() : budget.here();
    budget.enterCall();
    try {
      Value value =
          switch (function.body()) {
            case FunctionValue.Result result -> interp.eval(result.expression(), scope);
            case FunctionValue.Block block ->
                interp.statements().block(block.statements(), scope) instanceof Flow.Return end
                    ? end.value()
                    : Value.NONE;
          };
      budget.moveTo(caller);
      return value;
    } catch (PyError error) {
      error.at(budget.here());
      if (budget.isInScript(place(function))) {
        error.leaves(function.name(), caller);
      }
      budget.moveTo(caller);
      throw error;
    } catch (DiagnosticException refusal) {
      DiagnosticException told = budget.inScript(refusal);
      budget.moveTo(caller);
      throw told;
    } finally {
      // What ends the whole script is told with the place where it came, the innermost one.
      budget.leaveCall();
    }
  }

  private static Span place(FunctionValue function) {
    return switch (function.body()) {
      case FunctionValue.Result result -> result.expression().span();
      case FunctionValue.Block block -> block.statements().getFirst().span();
    };
  }

  private boolean isGenerator(FunctionValue.Block block) {
    return generators.computeIfAbsent(block, b -> Yields.in(b.statements()));
  }

  private static Scope.Names namesOf(FunctionValue function) {
    return switch (function.body()) {
      case FunctionValue.Block block -> Names.ofFunction(function.parameters(), block.statements());
      case FunctionValue.Result result -> Names.ofFunction(function.parameters(), List.of());
    };
  }

  /** Matches arguments with parameters as Python does. */
  private void bind(FunctionValue function, Arguments arguments, Scope scope) {
    Parameters parameters = function.parameters();
    Map<String, Value> values = scope.values();
    List<Parameter> positional = parameters.positional();
    List<Value> given = arguments.positional();
    for (int i = 0; i < Math.min(given.size(), positional.size()); i++) {
      values.put(positional.get(i).name(), given.get(i));
    }
    if (parameters.varArgs().isPresent()) {
      List<Value> rest =
          given.size() > positional.size()
              ? given.subList(positional.size(), given.size())
              : List.of();
      budget.objects(rest.size() * Sequences.ELEMENT_BYTES);
      values.put(parameters.varArgs().get().name(), new TupleValue(rest));
    } else if (given.size() > positional.size()) {
      throw tooMany(function, given.size());
    }
    Map<String, Value> extra = new LinkedHashMap<>();
    arguments.named().forEach((name, value) -> named(function, name, value, values, extra));
    parameters
        .keywordArgs()
        .ifPresent(
            parameter -> {
              budget.objects(extra.size() * Sequences.ELEMENT_BYTES * 2);
              DictValue dict = new DictValue();
              extra.forEach((name, value) -> dict.put(Value.of(name), value));
              values.put(parameter.name(), dict);
            });
    fillDefaults(function, values);
  }

  private static void named(
      FunctionValue function,
      String name,
      Value value,
      Map<String, Value> values,
      Map<String, Value> extra) {
    Parameters parameters = function.parameters();
    int at = 0;
    while (at < parameters.positional().size()
        && !parameters.positional().get(at).name().equals(name)) {
      at++;
    }
    boolean byPosition = at < parameters.positional().size() && at >= parameters.positionalOnly();
    boolean byName = parameters.keywordOnly().stream().anyMatch(p -> p.name().equals(name));
    if (byPosition || byName) {
      if (values.containsKey(name)) {
        throw Errors.type(function.name() + "() got multiple values for argument '" + name + "'");
      }
      values.put(name, value);
    } else if (parameters.keywordArgs().isPresent()) {
      extra.put(name, value);
    } else {
      throw Errors.type(function.name() + "() got an unexpected keyword argument '" + name + "'");
    }
  }

  private static void fillDefaults(FunctionValue function, Map<String, Value> values) {
    List<String> missing = new ArrayList<>();
    for (Parameter parameter : function.parameters().positional()) {
      fillDefault(function, parameter.name(), values, missing);
    }
    if (!missing.isEmpty()) {
      throw missing(function, missing, "positional");
    }
    for (Parameter parameter : function.parameters().keywordOnly()) {
      fillDefault(function, parameter.name(), values, missing);
    }
    if (!missing.isEmpty()) {
      throw missing(function, missing, "keyword-only");
    }
  }

  private static void fillDefault(
      FunctionValue function, String name, Map<String, Value> values, List<String> missing) {
    if (values.containsKey(name)) {
      return;
    }
    Value otherwise = function.defaults().get(name);
    if (otherwise == null) {
      missing.add("'" + name + "'");
    } else {
      values.put(name, otherwise);
    }
  }

  private static RuntimeException missing(FunctionValue function, List<String> names, String kind) {
    int last = names.size() - 1;
    String list =
        last == 0
            ? names.getFirst()
            : String.join(", ", names.subList(0, last))
                + (last > 1 ? "," : "")
                + " and "
                + names.get(last);
    return Errors.type(
        function.name()
            + "() missing "
            + names.size()
            + " required "
            + kind
            + (last == 0 ? " argument: " : " arguments: ")
            + list);
  }

  private static RuntimeException tooMany(FunctionValue function, int given) {
    int most = function.parameters().positional().size();
    int least =
        (int)
            function.parameters().positional().stream()
                .filter(p -> !function.defaults().containsKey(p.name()))
                .count();
    String takes = least == most ? Integer.toString(most) : "from " + least + " to " + most;
    return Errors.type(
        function.name()
            + "() takes "
            + takes
            + (most == 1 && least == most
                ? " positional argument but "
                : " positional arguments but ")
            + given
            + (given == 1 ? " was given" : " were given"));
  }
}
