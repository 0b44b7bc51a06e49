package io.ringmaster.worker.codegen;

import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.KernelFault;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Compiles calls, dispatches and returns. A result that is one of the arguments' storage comes back
 * as the caller's own view of it.
 */
final class CallCompiler {

  /** Reads one argument or result. */
  @FunctionalInterface
  private interface Value {
    @Nullable Object of(Frame frame);
  }

  private final FunctionCompiler owner;
  private final ExprCompiler expressions;

  CallCompiler(FunctionCompiler owner, ExprCompiler expressions) {
    this.owner = owner;
    this.expressions = expressions;
  }

  /** Emits a call whose results go to variables; fewer targets than results drop the rest. */
  void call(Expr.Call call, List<Expr.Var> targets) {
    int[] slots = new int[targets.size()];
    boolean[] scalar = new boolean[targets.size()];
    for (int i = 0; i < slots.length; i++) {
      slots[i] = owner.registers().of(targets.get(i));
      scalar[i] = Registers.isScalar(targets.get(i).type());
    }
    emit(call, new CallSite(slots, scalar));
  }

  /** Emits a call with one result. */
  void callInto(Expr.Call call, int slot) {
    emit(call, new CallSite(new int[] {slot}, new boolean[] {Registers.isScalar(call.type())}));
  }

  private void emit(Expr.Call call, CallSite site) {
    CompiledFunction callee = owner.callee(call.function());
    List<Function.Param> params = callee.source().params();
    if (params.size() != call.arguments().size()) {
      throw new IllegalArgumentException(
          "Function '"
              + call.function()
              + "' expects "
              + params.size()
              + " argument(s), got "
              + call.arguments().size());
    }
    List<Value> values = new ArrayList<>();
    for (int i = 0; i < params.size(); i++) {
      values.add(value(call.arguments().get(i), params.get(i)));
    }
    Value[] arguments = values.toArray(Value[]::new);
    boolean dispatch = owner.isHost() && callee.source().level() != Function.Level.HOST;
    if (dispatch) {
      DeviceExpr device = new DeviceExpr(call.device().map(expressions::scalar).orElse(null));
      owner.emit(dispatching(callee, arguments, device, site, call), call.span());
      return;
    }
    boolean task =
        owner.function().level() == Function.Level.ORCHESTRATION
            && callee.source().level() == Function.Level.INCORE;
    owner.emit(
        (machine, frame, pc) -> {
          frame.pc = pc + 1;
          if (task) {
            machine.unordered().beginTask(call.span());
          }
          Frame next = new Frame(machine, callee, frame, site, all(arguments, frame));
          callee.binding().bind(next, call.span());
          machine.enter(next);
          return Instruction.SWITCH;
        },
        call.span());
    if (task) {
      owner.emit(
          (machine, frame, pc) -> {
            machine.unordered().endTask();
            return pc + 1;
          },
          call.span());
    }
  }

  /** A {@code device=} that may be missing. */
  private record DeviceExpr(@Nullable LongExpr expr) {
    OptionalLong eval(Frame frame) {
      return expr == null ? OptionalLong.empty() : OptionalLong.of(expr.eval(frame));
    }
  }

  private Value value(Expr argument, Function.Param param) {
    if (param.type() instanceof Type.Scalar) {
      LongExpr scalar = ParameterBinding.argument(expressions, argument, param);
      return scalar::eval;
    }
    int slot = owner.reference(argument);
    return frame -> frame.refs[slot];
  }

  private static @Nullable Object[] all(Value[] values, Frame frame) {
    @Nullable Object[] result = new @Nullable Object[values.length];
    for (int i = 0; i < values.length; i++) {
      result[i] = values[i].of(frame);
    }
    return result;
  }

  private Instruction dispatching(
      CompiledFunction callee,
      Value[] arguments,
      DeviceExpr device,
      CallSite site,
      Expr.Call call) {
    return (machine, frame, pc) -> {
      @Nullable Object[] actual = all(arguments, frame);
      Map<String, Long> dims = new HashMap<>();
      frame.function.dims().forEach((name, slot) -> dims.put(name, frame.longs[slot]));
      List<TensorView> made =
          machine
              .environment()
              .dispatch(new DispatchCall(callee, actual, device.eval(frame), dims, call.span()));
      List<Object> outputs = written(callee.source(), actual);
      for (int i = 0; i < site.slots().length; i++) {
        Object result =
            i < outputs.size()
                ? outputs.get(i)
                : i - outputs.size() < made.size() ? made.get(i - outputs.size()) : null;
        if (site.slots()[i] >= 0 && !site.scalar()[i]) {
          frame.refs[site.slots()[i]] = result;
        }
      }
      return pc + 1;
    };
  }

  /** Emits what produces the values, and returns the instruction that leaves the function. */
  Instruction returning(List<Expr> values) {
    Value[] results = new Value[values.size()];
    for (int i = 0; i < results.length; i++) {
      Expr value = values.get(i);
      if (Registers.isScalar(value.type())) {
        LongExpr scalar = owner.scalar(value);
        results[i] = scalar::eval;
      } else if (value.type() instanceof Type.None) {
        results[i] = frame -> null;
      } else {
        int slot = owner.reference(value);
        results[i] = frame -> frame.refs[slot];
      }
    }
    Function function = owner.function();
    return (machine, frame, pc) -> {
      if (frame.caller == null && !machine.mayTouch()) {
        return Instruction.YIELD;
      }
      return leave(machine, frame, function, all(results, frame));
    };
  }

  private static int leave(
      Machine machine, Frame frame, Function function, @Nullable Object[] values) {
    machine.unordered().leave(frame.depth);
    List<Object> outputs = written(function, frame.arguments);
    Frame caller = frame.caller;
    CallSite site = frame.site;
    if (caller == null || site == null) {
      machine.finish(values);
      return Instruction.DONE;
    }
    for (int i = 0; i < site.slots().length; i++) {
      int slot = site.slots()[i];
      Object value =
          i < values.length
              ? alias(values[i], outputs)
              : i < outputs.size() ? outputs.get(i) : null;
      if (value == null) {
        throw KernelFault.of(
            Finding.Kind.RULE_BROKEN,
            machine.rank(),
            function.span(),
            "rank "
                + machine.rank()
                + ": '"
                + function.name()
                + "' ended without a value for result "
                + i
                + ", which its caller uses",
            "return a value on every path");
      }
      if (slot >= 0 && site.scalar()[i]) {
        caller.longs[slot] = (Long) value;
      } else if (slot >= 0) {
        caller.refs[slot] = value;
      }
    }
    machine.enter(caller);
    return Instruction.SWITCH;
  }

  /** The caller's view of the same storage, where the result is an argument. */
  private static @Nullable Object alias(@Nullable Object value, List<Object> outputs) {
    if (value instanceof TensorView view) {
      for (Object output : outputs) {
        if (output instanceof TensorView argument
            && argument.sameStart(view)
            && argument.payloadBytes() == view.payloadBytes()) {
          return argument;
        }
      }
    }
    return value;
  }

  private static List<Object> written(Function function, @Nullable Object[] arguments) {
    List<Object> outputs = new ArrayList<>();
    for (int i = 0; i < arguments.length; i++) {
      Object argument = arguments[i];
      if (argument != null && function.params().get(i).direction().isWritten()) {
        outputs.add(argument);
      }
    }
    return outputs;
  }
}
