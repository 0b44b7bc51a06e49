package io.ringmaster.worker.codegen;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** Turns the body of one function into instructions. */
final class FunctionCompiler {

  /** A place in the code that jumps refer to before it is known. */
  private static final class Label {
    int pc = -1;
  }

  private record Loop(Label next, Label end) {}

  private final Function function;
  private final Map<String, CompiledFunction> functions;
  private final Registers registers;
  private final ExprCompiler expressions;
  private final OpCompiler operations;
  private final CallCompiler calls;
  private final List<Instruction> code = new ArrayList<>();
  private final List<Span> spans = new ArrayList<>();
  private final Deque<Loop> loops = new ArrayDeque<>();
  private int regions;

  FunctionCompiler(
      Function function,
      Map<String, CompiledFunction> functions,
      Registers registers,
      ExprCompiler expressions) {
    this.function = function;
    this.functions = functions;
    this.registers = registers;
    this.expressions = expressions;
    this.operations = new OpCompiler(this, expressions);
    this.calls = new CallCompiler(this, expressions);
  }

  void compileInto(CompiledFunction target) {
    OwnedTiles.in(function).forEach(registers::own);
    PassedOn.in(function).forEach(registers::passOn);
    block(function.body());
    emit(calls.returning(List.of()), function.span());
    target.complete(code, spans, registers.longCount(), registers.refCount());
  }

  Function function() {
    return function;
  }

  boolean isHost() {
    return function.level() == Function.Level.HOST;
  }

  CompiledFunction callee(String name) {
    CompiledFunction callee = functions.get(name);
    if (callee == null) {
      throw new IllegalArgumentException(
          "'" + function.name() + "' calls '" + name + "', which isn't in the program");
    }
    return callee;
  }

  Registers registers() {
    return registers;
  }

  void emit(Instruction instruction, Span span) {
    code.add(instruction);
    spans.add(span);
  }

  /** The register of a tensor, tile, context, buffer or array operand. */
  int reference(Expr expr) {
    if (expr instanceof Expr.Var variable) {
      return registers.of(variable);
    }
    int slot = registers.newRef();
    evaluate(expr, slot);
    return slot;
  }

  /** A scalar operand; an operation that touches memory is executed first. */
  LongExpr scalar(Expr expr) {
    if (expr instanceof Expr.Call || (expr instanceof Expr.Op op && !isQuery(op.code()))) {
      int slot = registers.newLong();
      evaluate(expr, slot);
      return frame -> frame.longs[slot];
    }
    return expressions.scalar(expr);
  }

  private static boolean isQuery(OpCode code) {
    return switch (code) {
      case WORLD_SIZE, RANK, NRANKS, DIM -> true;
      default -> false;
    };
  }

  private void block(List<Stmt> body) {
    for (Stmt statement : body) {
      statement(statement);
    }
  }

  private void statement(Stmt statement) {
    switch (statement) {
      case Stmt.Assign assign -> assign(assign);
      case Stmt.AssignTuple assign -> assignTuple(assign);
      case Stmt.Eval eval -> {
        switch (eval.value()) {
          case Expr.Op op when !isQuery(op.code()) -> operations.compile(op, -1, "");
          case Expr.Call call -> calls.call(call, List.of());
          default -> {}
        }
      }
      case Stmt.For loop -> forLoop(loop);
      case Stmt.While loop -> whileLoop(loop);
      case Stmt.If branch -> branch(branch);
      case Stmt.Return leave -> emit(calls.returning(leave.values()), leave.span());
      case Stmt.Break stop -> jump(loops.element().end(), stop.span());
      case Stmt.Continue next -> jump(loops.element().next(), next.span());
      case Stmt.Region region -> {
        int call = registers.newRef();
        emit(operations.enter(region, call), region.span());
        regions++;
        block(region.body());
        regions--;
        emit(operations.leave(call), region.span());
      }
    }
  }

  private void assign(Stmt.Assign assign) {
    Expr.Var target = assign.target();
    Expr value = assign.value();
    int slot = registers.of(target);
    if (target.type() instanceof Type.Scalar scalar && !needsInstruction(value)) {
      emit(moveScalar(slot, expressions.scalarAs(value, scalar.dtype())), assign.span());
      return;
    }
    switch (value) {
      case Expr.Op op -> operations.compile(op, slot, target.name());
      case Expr.Call call -> calls.call(call, List.of(target));
      default -> {
        int from = reference(value);
        emit(moveReference(slot, from), assign.span());
      }
    }
  }

  private static boolean needsInstruction(Expr value) {
    return value instanceof Expr.Call || (value instanceof Expr.Op op && !isQuery(op.code()));
  }

  private void assignTuple(Stmt.AssignTuple assign) {
    if (assign.value() instanceof Expr.Call call) {
      calls.call(call, assign.targets());
      return;
    }
    if (!(assign.value() instanceof Expr.TupleExpr tuple)
        || tuple.elements().size() != assign.targets().size()) {
      throw new IllegalArgumentException("can't unpack " + assign.value());
    }
    List<Instruction> moves = new ArrayList<>();
    for (int i = 0; i < assign.targets().size(); i++) {
      Expr.Var target = assign.targets().get(i);
      Expr value = tuple.elements().get(i);
      int slot = registers.of(target);
      if (target.type() instanceof Type.Scalar scalar) {
        int copy = registers.newLong();
        DType dtype = scalar.dtype();
        emit(moveScalar(copy, expressions.scalarAs(value, dtype)), assign.span());
        moves.add(moveScalar(slot, frame -> frame.longs[copy]));
      } else {
        int copy = registers.newRef();
        emit(moveReference(copy, reference(value)), assign.span());
        moves.add(moveReference(slot, copy));
      }
    }
    moves.forEach(move -> emit(move, assign.span()));
  }

  /** Executes an expression that stands alone and puts its value into a register. */
  private void evaluate(Expr expr, int slot) {
    switch (expr) {
      case Expr.Op op -> operations.compile(op, slot, "");
      case Expr.Call call -> calls.callInto(call, slot);
      default -> throw new IllegalArgumentException("not an operation: " + expr);
    }
  }

  private static Instruction moveScalar(int slot, LongExpr value) {
    return (machine, frame, pc) -> {
      frame.longs[slot] = value.eval(frame);
      return pc + 1;
    };
  }

  private static Instruction moveReference(int slot, int from) {
    return (machine, frame, pc) -> {
      frame.refs[slot] = frame.refs[from];
      return pc + 1;
    };
  }

  private void forLoop(Stmt.For loop) {
    int variable = registers.of(loop.variable());
    int counter = registers.newLong();
    int stop = registers.newLong();
    int step = registers.newLong();
    emit(moveScalar(counter, expressions.scalar(loop.start())), loop.span());
    emit(moveScalar(stop, expressions.scalar(loop.stop())), loop.span());
    emit(moveScalar(step, expressions.scalar(loop.step())), loop.span());
    Label test = new Label();
    Label next = new Label();
    Label end = new Label();
    boolean unordered = !isHost() && isUnordered(loop.kind());
    if (unordered) {
      emit(entering(loop), loop.span());
    } else if (loop.kind() == Stmt.LoopKind.TASKS_WITH_DEPS) {
      emit(
          (machine, frame, pc) -> {
            machine.unordered().unchecked(loop.span());
            return pc + 1;
          },
          loop.span());
    }
    place(test);
    emit(
        (machine, frame, pc) -> {
          long at = frame.longs[counter];
          long by = frame.longs[step];
          boolean more = by > 0 ? at < frame.longs[stop] : at > frame.longs[stop];
          if (!more || by == 0) {
            return end.pc;
          }
          frame.longs[variable] = at;
          if (unordered) {
            machine.unordered().next(at);
          }
          return pc + 1;
        },
        loop.span());
    loops.push(new Loop(next, end));
    block(loop.body());
    loops.pop();
    place(next);
    emit(
        (machine, frame, pc) -> {
          frame.longs[counter] += frame.longs[step];
          return test.pc;
        },
        loop.span());
    place(end);
    if (unordered) {
      emit(
          (machine, frame, pc) -> {
            machine.unordered().leave();
            return pc + 1;
          },
          loop.span());
    }
  }

  private static boolean isUnordered(Stmt.LoopKind kind) {
    return switch (kind) {
      case PARALLEL, BLOCKS, TASKS -> true;
      case RANGE, UNROLL, PIPELINE, LANES, TASKS_WITH_DEPS -> false;
    };
  }

  private static Instruction entering(Stmt.For loop) {
    String variable = OpCompiler.written(loop.variable().name());
    var head = new Iterations.Loop(loop.kind(), variable, loop.span());
    return (machine, frame, pc) -> {
      machine.unordered().enter(head);
      return pc + 1;
    };
  }

  private void whileLoop(Stmt.While loop) {
    Label test = new Label();
    Label end = new Label();
    place(test);
    LongExpr condition = expressions.scalar(loop.condition());
    emit((machine, frame, pc) -> condition.eval(frame) != 0 ? pc + 1 : end.pc, loop.span());
    loops.push(new Loop(test, end));
    block(loop.body());
    loops.pop();
    jump(test, loop.span());
    place(end);
  }

  private void branch(Stmt.If branch) {
    LongExpr condition = expressions.scalar(branch.condition());
    Label otherwise = new Label();
    Label end = new Label();
    boolean told = !isHost() && regions == 0 && branch.span().isKnown();
    Span span = branch.span();
    emit(
        (machine, frame, pc) -> {
          boolean taken = condition.eval(frame) != 0;
          if (told && machine.fabric().observed()) {
            machine.fabric().events().branched(machine.rank(), span, taken);
          }
          return taken ? pc + 1 : otherwise.pc;
        },
        span);
    block(branch.thenBody());
    if (branch.elseBody().isEmpty()) {
      place(otherwise);
      return;
    }
    jump(end, span);
    place(otherwise);
    block(branch.elseBody());
    place(end);
  }

  private void jump(Label label, Span span) {
    emit((machine, frame, pc) -> label.pc, span);
  }

  private void place(Label label) {
    label.pc = code.size();
  }
}
