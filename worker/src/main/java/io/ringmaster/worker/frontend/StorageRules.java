package io.ringmaster.worker.frontend;

import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.Function.Direction;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.ir.Function.Param;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.ir.Stmt;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Span;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Rules about whose storage a name or an operation touches. */
final class StorageRules {

  private final Function function;
  private final Storage storage;
  private final Messages messages;
  private final Map<String, Span> stored = new HashMap<>();
  private final Set<String> filled = new HashSet<>();
  private final Set<String> written = new HashSet<>();

  private StorageRules(Function function, Storage storage, Messages messages) {
    this.function = function;
    this.storage = storage;
    this.messages = messages;
  }

  static void check(Function function, Storage storage, Messages messages) {
    StorageRules rules = new StorageRules(function, storage, messages);
    rules.visit(function.body(), true);
    if (function.level() == Level.INCORE) {
      IrWalk.expressions(function.body(), rules::refuseMixedStores);
    }
  }

  private void visit(List<Stmt> body, boolean topLevel) {
    for (Stmt statement : body) {
      switch (statement) {
        case Stmt.Assign assign -> {
          warnOfLostOutput(assign);
          refuseTwoWindows(assign);
          noteStore(assign.value(), topLevel);
        }
        case Stmt.Eval(Expr value, _) -> noteStore(value, topLevel);
        case Stmt.Return(var values, _) -> values.forEach(value -> noteStore(value, topLevel));
        case Stmt.For loop -> visit(loop.body(), false);
        case Stmt.While loop -> visit(loop.body(), false);
        case Stmt.If branch -> {
          visit(branch.thenBody(), false);
          visit(branch.elseBody(), false);
        }
        case Stmt.Region region -> visit(region.body(), topLevel);
        case Stmt.AssignTuple _, Stmt.Break _, Stmt.Continue _ -> {}
      }
    }
  }

  /** An output parameter's name that gets another tensor loses its output. */
  private void warnOfLostOutput(Stmt.Assign assign) {
    String name = assign.target().name();
    for (Param param : function.params()) {
      if (param.name().equals(name)
          && param.direction() != Direction.IN
          && param.type() instanceof Type.Tensor
          && !storage.of(assign.value()).contains(name)) {
        messages.warning(
            "'"
                + name
                + "' is an output parameter and gets an unrelated value: the write is dropped",
            "store into the parameter, or use another name",
            assign.span());
      }
    }
  }

  /** A window keeps its identity: a name can't stand for two of them. */
  private void refuseTwoWindows(Stmt.Assign assign) {
    boolean window = assign.target().type() instanceof Type.Tensor tensor && tensor.window();
    if (!window || function.level() == Level.HOST) {
      return;
    }
    Set<String> all = storage.of(assign.target());
    Set<String> here = storage.of(assign.value());
    if (all.size() > 1 && here.size() < all.size()) {
      messages.error(
          "'"
              + assign.target().name()
              + "' stands for several windows ("
              + String.join(", ", all)
              + "): Assigning a different DistributedTensor in each branch of an `if` is not"
              + " supported, and rebinding one to a different DistributedTensor neither",
          "use one name for each window",
          assign.span());
    }
  }

  private void noteStore(Expr value, boolean topLevel) {
    if (!(value instanceof Expr.Op op)) {
      return;
    }
    if (op.code() == OpCode.WRITE) {
      written.addAll(storage.of(op.operands().getFirst()));
    }
    if (op.code() == OpCode.STORE || op.code() == OpCode.ASSEMBLE) {
      Expr target = op.operands().get(op.code() == OpCode.STORE ? 2 : 0);
      for (String root : storage.of(target)) {
        if (topLevel
            && !stored.containsKey(root)
            && !written.contains(root)
            && fillsWhole(op, target)) {
          filled.add(root);
        } else {
          filled.remove(root);
        }
        stored.putIfAbsent(root, op.span());
      }
    }
  }

  /** A whole initial fill may be followed by element writes. */
  private static boolean fillsWhole(Expr.Op op, Expr target) {
    return op.code() == OpCode.STORE
        && op.operands().getFirst().type() instanceof Type.Tile tile
        && tile.valid().isEmpty()
        && target.type() instanceof Type.Tensor tensor
        && tensor.shape().stream()
            .map(extent -> extent instanceof Expr.IntConst(long value, _, _) ? value : -1L)
            .toList()
            .equals(tile.shape());
  }

  private void refuseMixedStores(Expr expr) {
    if (!(expr instanceof Expr.Op op) || op.code() != OpCode.WRITE) {
      return;
    }
    for (String root : storage.of(op.operands().getFirst())) {
      if (stored.containsKey(root) && !filled.contains(root)) {
        messages.error(
            "function '"
                + function.name()
                + "' mixes MTE3 and scalar stores in one InCore function: '"
                + root
                + "' is written by pl.store at line "
                + stored.get(root).line()
                + " and by pl.write here",
            "use one of the two for a tensor, or two kernels",
            op.span());
      }
    }
  }
}
