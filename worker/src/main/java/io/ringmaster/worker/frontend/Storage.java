package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Whose storage the tensors of a function are: each variable with the parameters, window buffers
 * and new tensors that it may be a view of, on any way through the function.
 */
final class Storage {

  private final ProgramSignatures signatures;
  private final Map<String, Set<String>> roots = new HashMap<>();

  Storage(Function function, ProgramSignatures signatures) {
    this.signatures = signatures;
    function.params().forEach(param -> add(param.name(), Set.of(param.name())));
    boolean changed;
    do {
      changed = collect(function.body());
    } while (changed);
  }

  private boolean collect(List<Stmt> body) {
    boolean changed = false;
    for (Stmt statement : body) {
      changed |=
          switch (statement) {
            case Stmt.Assign(Expr.Var target, Expr value, _) ->
                add(target.name(), assigned(target, value));
            case Stmt.AssignTuple(var targets, Expr value, _) -> {
              boolean any = false;
              for (int i = 0; i < targets.size(); i++) {
                any |= add(targets.get(i).name(), result(value, i));
              }
              yield any;
            }
            case Stmt.For loop -> collect(loop.body());
            case Stmt.While loop -> collect(loop.body());
            case Stmt.If branch -> {
              boolean any = collect(branch.thenBody());
              yield collect(branch.elseBody()) || any;
            }
            case Stmt.Region region -> collect(region.body());
            case Stmt.Eval _, Stmt.Return _, Stmt.Break _, Stmt.Continue _ -> false;
          };
    }
    return changed;
  }

  private boolean add(String name, Set<String> more) {
    return roots.computeIfAbsent(name, _ -> new TreeSet<>()).addAll(more);
  }

  /** A new tensor or buffer is a root of its own, named after its variable. */
  private Set<String> assigned(Expr.Var target, Expr value) {
    if (value instanceof Expr.Op op) {
      return switch (op.code()) {
        case ALLOC_WINDOW, CREATE_TENSOR, FULL_TENSOR -> Set.of(target.name());
        case io.ringmaster.worker.ir.OpCode other -> of(op);
      };
    }
    return of(value);
  }

  /** The roots that the i-th value of a tuple-typed expression may be a view of. */
  Set<String> result(Expr value, int i) {
    return switch (value) {
      case Expr.TupleExpr(var elements, _) -> of(elements.get(i));
      case Expr.Call call -> ofResult(call, i);
      case Expr other -> i == 0 ? of(other) : Set.of();
    };
  }

  /** The roots that a tensor-valued expression may be a view of. */
  Set<String> of(Expr value) {
    return switch (value) {
      case Expr.Var(String name, _, _) -> roots.getOrDefault(name, Set.of());
      case Expr.Op op -> viewed(op).map(this::of).orElse(Set.of());
      case Expr.Call call -> ofResult(call, 0);
      case Expr.IntConst _,
          Expr.FloatConst _,
          Expr.BoolConst _,
          Expr.Dim _,
          Expr.Binary _,
          Expr.Unary _,
          Expr.Convert _,
          Expr.TupleExpr _ ->
          Set.of();
    };
  }

  private Set<String> ofResult(Expr.Call call, int i) {
    Set<String> all = new TreeSet<>();
    signatures
        .effects(call.function())
        .filter(effects -> i < effects.results().size())
        .ifPresent(
            effects ->
                effects
                    .results()
                    .get(i)
                    .forEach(index -> all.addAll(of(call.arguments().get(index)))));
    return all;
  }

  /** The operand that an operation's result is the same storage as. */
  private static Optional<Expr> viewed(Expr.Op op) {
    if (!(op.type() instanceof Type.Tensor)) {
      return Optional.empty();
    }
    return switch (op.code()) {
      case STORE -> Optional.of(op.operands().get(2));
      case ASSEMBLE,
          SLICE,
          RESHAPE,
          SET_VALID_SHAPE,
          WINDOW,
          BARRIER,
          BROADCAST,
          ALLREDUCE,
          REDUCE_SCATTER ->
          Optional.of(op.operands().get(0));
      case ALLGATHER, ALL_TO_ALL, ALL_TO_ALL_V -> Optional.of(op.operands().get(1));
      case io.ringmaster.worker.ir.OpCode other -> Optional.empty();
    };
  }
}
