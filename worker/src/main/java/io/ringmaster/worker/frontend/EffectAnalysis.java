package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Direction;
import io.ringmaster.worker.ir.Function.Param;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds out what a function does to its parameters, through views and calls, and widens the
 * declared directions by it: a parameter declared In that is written becomes InOut.
 */
final class EffectAnalysis {

  private final ProgramSignatures signatures;
  private final Storage storage;
  private final Set<String> written = new TreeSet<>();
  private final Set<String> read = new TreeSet<>();
  private final List<Set<String>> results = new ArrayList<>();

  private EffectAnalysis(Function function, ProgramSignatures signatures) {
    this.signatures = signatures;
    this.storage = new Storage(function, signatures);
    visit(function.body());
  }

  static Effects of(Function function, ProgramSignatures signatures) {
    EffectAnalysis analysis = new EffectAnalysis(function, signatures);
    List<String> names = function.params().stream().map(Param::name).toList();
    return new Effects(
        names.stream().map(analysis.written::contains).toList(),
        names.stream().map(analysis.read::contains).toList(),
        analysis.results.stream().map(roots -> indices(roots, names)).toList());
  }

  /** The function with directions widened by what its body does. */
  static Function widened(Function function, Effects effects) {
    List<Param> params = new ArrayList<>();
    for (int i = 0; i < function.params().size(); i++) {
      Param param = function.params().get(i);
      boolean widens = param.direction() == Direction.IN && effects.written().get(i);
      params.add(
          widens ? new Param(param.name(), param.type(), Direction.INOUT, param.span()) : param);
    }
    return new Function(
        function.name(),
        function.level(),
        params,
        function.returns(),
        function.body(),
        function.span());
  }

  private static Set<Integer> indices(Set<String> roots, List<String> names) {
    Set<Integer> indices = new TreeSet<>();
    roots.stream().map(names::indexOf).filter(i -> i >= 0).forEach(indices::add);
    return indices;
  }

  private void visit(List<Stmt> body) {
    for (Stmt statement : body) {
      switch (statement) {
        case Stmt.Assign(_, Expr value, _) -> visit(value);
        case Stmt.AssignTuple(_, Expr value, _) -> visit(value);
        case Stmt.Eval(Expr value, _) -> visit(value);
        case Stmt.For loop -> visit(loop.body());
        case Stmt.While loop -> visit(loop.body());
        case Stmt.If branch -> {
          visit(branch.thenBody());
          visit(branch.elseBody());
        }
        case Stmt.Region region -> visit(region.body());
        case Stmt.Return(var values, _) -> {
          values.forEach(this::visit);
          returned(values);
        }
        case Stmt.Break _, Stmt.Continue _ -> {}
      }
    }
  }

  private void returned(List<Expr> values) {
    if (values.size() == 1 && values.getFirst().type() instanceof Type.Tuple(var elements)) {
      for (int i = 0; i < elements.size(); i++) {
        result(i).addAll(storage.result(values.getFirst(), i));
      }
      return;
    }
    for (int i = 0; i < values.size(); i++) {
      result(i).addAll(storage.of(values.get(i)));
    }
  }

  private Set<String> result(int i) {
    while (results.size() <= i) {
      results.add(new TreeSet<>());
    }
    return results.get(i);
  }

  private void visit(Expr value) {
    switch (value) {
      case Expr.Op op -> visitOp(op);
      case Expr.Call call -> visitCall(call);
      case Expr.IntConst _,
          Expr.FloatConst _,
          Expr.BoolConst _,
          Expr.Var _,
          Expr.Dim _,
          Expr.Binary _,
          Expr.Unary _,
          Expr.Convert _,
          Expr.TupleExpr _ -> {}
    }
  }

  private void visitCall(Expr.Call call) {
    signatures
        .effects(call.function())
        .ifPresent(
            effects -> {
              for (int i = 0; i < call.arguments().size(); i++) {
                Set<String> roots = storage.of(call.arguments().get(i));
                if (effects.written().get(i)) {
                  written.addAll(roots);
                }
                if (effects.read().get(i)) {
                  read.addAll(roots);
                }
              }
            });
  }

  private void visitOp(Expr.Op op) {
    List<Expr> operands = op.operands();
    switch (op.code()) {
      case STORE, REMOTE_STORE -> write(operands.get(op.code() == OpCode.STORE ? 2 : 1));
      case WRITE, NOTIFY, ARRAY_SET -> write(operands.getFirst());
      case ASSEMBLE -> {
        write(operands.get(0));
        read(operands.get(1));
      }
      case PUT, GET -> {
        write(operands.get(0));
        read(operands.get(2));
      }
      case BARRIER -> update(operands.get(0));
      case BROADCAST, ALLREDUCE, REDUCE_SCATTER -> operands.forEach(this::update);
      case ALLGATHER, ALL_TO_ALL -> {
        read(operands.get(0));
        update(operands.get(1));
        update(operands.get(2));
      }
      case ALL_TO_ALL_V -> {
        read(operands.get(0));
        update(operands.get(1));
        update(operands.get(2));
        read(operands.get(3));
        update(operands.get(4));
      }
      case OpCode other -> operands.forEach(this::read);
    }
  }

  private void update(Expr operand) {
    write(operand);
    read(operand);
  }

  private void write(Expr operand) {
    written.addAll(storage.of(operand));
  }

  private void read(Expr operand) {
    read.addAll(storage.of(operand));
  }
}
