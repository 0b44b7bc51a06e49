package io.ringmaster.worker.script.module;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.script.HostFunctions;
import io.ringmaster.worker.script.check.ProgramText;
import io.ringmaster.worker.script.torch.TensorValue;
import io.ringmaster.worker.script.torch.Tensors;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.FunctionValue;
import io.ringmaster.worker.script.value.KernelErrors;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Stmt;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The HOST sub-workers of a program: ordinary functions of the script. One whose body is {@code
 * ...} is supplied when the program is prepared.
 */
public record SubWorkers(Map<String, Value> functions) {

  public static final SubWorkers NONE = new SubWorkers(Map.of());

  public SubWorkers {
    functions = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(functions));
  }

  /** True for a method decorated with {@code role=pl.Role.SubWorker}. */
  public static boolean isSubWorker(Stmt.FunctionDef method) {
    return method.decorators().stream()
        .filter(Expr.Call.class::isInstance)
        .flatMap(decorator -> ((Expr.Call) decorator).keywords().stream())
        .anyMatch(
            keyword ->
                keyword.name().filter("role"::equals).isPresent()
                    && keyword.value() instanceof Expr.Attribute role
                    && role.name().equals("SubWorker"));
  }

  /** The names of those that wait for a callback. */
  List<String> open() {
    return functions.entrySet().stream()
        .filter(entry -> entry.getValue() instanceof FunctionValue plain && isOpen(plain))
        .map(Map.Entry::getKey)
        .toList();
  }

  private static boolean isOpen(FunctionValue function) {
    List<Stmt> body =
        function.body() instanceof FunctionValue.Block block
            ? block.statements().stream().filter(s -> !isDocstring(s)).toList()
            : List.of();
    return body.size() == 1
        && body.getFirst() instanceof Stmt.ExprStmt only
        && only.value() instanceof Expr.EllipsisLiteral;
  }

  private static boolean isDocstring(Stmt statement) {
    return statement instanceof Stmt.ExprStmt text && text.value() instanceof Expr.StringLiteral;
  }

  /** The same with {@code callbacks={name: function}} in place of the open ones. */
  SubWorkers with(DictValue callbacks, Call call) {
    Map<String, Value> all = new LinkedHashMap<>(functions);
    List<String> unknown = new ArrayList<>();
    for (DictValue.Entry entry : callbacks.entries()) {
      String name = call.interp().str(entry.key());
      if (!functions.containsKey(name)) {
        unknown.add(name);
        continue;
      }
      requireArity(name, entry.value());
      all.put(name, entry.value());
    }
    if (!unknown.isEmpty()) {
      throw KernelErrors.misuse(
          Exceptions.VALUE_ERROR,
          "callbacks "
              + unknown
              + " are not sub-workers of this program (it has "
              + (functions.isEmpty() ? "none" : String.join(", ", functions.keySet()))
              + ")");
    }
    return new SubWorkers(all);
  }

  private void requireArity(String name, Value callback) {
    if (callback instanceof FunctionValue given
        && functions.get(name) instanceof FunctionValue declared
        && given.parameters().varArgs().isEmpty()) {
      int wanted = declared.parameters().positional().size();
      int most = given.parameters().positional().size();
      long least =
          given.parameters().positional().stream()
              .filter(p -> !given.defaults().containsKey(p.name()))
              .count();
      if (wanted > most || wanted < least) {
        throw KernelErrors.type(
            "callback for sub-worker '"
                + name
                + "' takes "
                + most
                + " argument(s), the sub-worker has "
                + wanted);
      }
    }
  }

  /** Refuses to run while a callback is missing. */
  SubWorkers complete() {
    if (!open().isEmpty()) {
      throw KernelErrors.misuse(
          Exceptions.VALUE_ERROR,
          "sub-workers "
              + open()
              + " are runtime-bound callbacks (declared with a `...` body) and must be supplied:"
              + " compiled.prepare(callbacks={'"
              + open().getFirst()
              + "': function})");
    }
    return this;
  }

  /** What the runtime calls; tensors are the host's own bytes. */
  HostFunctions functions(ProgramText program, List<TensorValue> launched, Call call) {
    return new HostFunctions() {
      @Override
      public Set<String> names() {
        return functions.keySet();
      }

      @Override
      public void call(String name, List<Object> arguments) {
        List<Value> values = arguments.stream().map(value -> value(value, launched)).toList();
        Value function = functions.getOrDefault(name, Value.NONE);
        for (Value value : values) {
          if (value instanceof TensorValue tensor) {
            tensor.storage().watch();
          }
        }
        call.interp().call(function, new Arguments(values, Map.of()), call.span());
        warn(name, values, program, call);
      }
    };
  }

  /** What a sub-worker writes into an input nobody waits for. */
  private static void warn(String name, List<Value> values, ProgramText program, Call call) {
    List<Function.Param> params = program.parameters(name);
    for (int i = 0; i < Math.min(params.size(), values.size()); i++) {
      if (values.get(i) instanceof TensorValue tensor
          && tensor.storage().isOverwritten()
          && !params.get(i).direction().isWritten()) {
        Diagnostic warning =
            new Diagnostic(
                Diagnostic.Severity.WARNING,
                "sub-worker '"
                    + name
                    + "' writes into its input '"
                    + params.get(i).name()
                    + "': no dispatch waits for that",
                "declare it as pl.Out or pl.InOut, or work on a clone of it",
                params.get(i).span());
        if (!call.interp().session().warnings().contains(warning)) {
          call.interp().session().warnings().add(warning);
        }
      }
    }
  }

  private static Value value(Object argument, List<TensorValue> launched) {
    return switch (argument) {
      case HostTensor tensor -> Tensors.viewing(tensor, launched);
      case Double number -> Value.of(number);
      case Number number -> Value.of(number.longValue());
      default -> throw new IllegalStateException("argument " + argument);
    };
  }
}
