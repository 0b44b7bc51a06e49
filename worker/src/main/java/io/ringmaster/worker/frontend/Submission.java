package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Expr.Attribute;
import io.ringmaster.worker.source.Expr.Call;
import io.ringmaster.worker.source.Expr.Keyword;
import io.ringmaster.worker.source.Expr.Name;
import io.ringmaster.worker.source.Expr.TupleDisplay;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * {@code y, tid = pl.submit(kernel, x, y, deps=[...])}: a call, and a handle of its task. Tasks of
 * a rank run in program order, so the call is made where it stands.
 *
 * @param call the call as a statement of its own
 * @param task the name of the handle
 */
record Submission(Stmt call, Optional<Name> task) {

  private static final Set<String> ORDERING =
      Set.of("deps", "allow_early_resolve", "sync_start", "name_hint");

  /** The submission that {@code statement} is; empty for any other statement. */
  static Optional<Submission> of(Stmt statement, Resolver resolver, Level level) {
    return switch (statement) {
      case Stmt.Assign(var targets, Call call, Span span) when targets.size() == 1 ->
          of(call, parts(targets.getFirst()), span, resolver, level);
      case Stmt.ExprStmt(Call call, Span span) -> of(call, List.of(), span, resolver, level);
      case Stmt other -> Optional.empty();
    };
  }

  private static List<Expr> parts(Expr target) {
    return target instanceof TupleDisplay(var elements, _) ? elements : List.of(target);
  }

  private static Optional<Submission> of(
      Call call, List<Expr> targets, Span span, Resolver resolver, Level level) {
    String path = resolver.path(call.function()).orElse("");
    boolean blocks = path.equals("pl.spmd_submit");
    if (!blocks && !path.equals("pl.submit")) {
      return Optional.empty();
    }
    if (level != Level.ORCHESTRATION) {
      throw Refusal.of(
          path + " stands in a function of level " + level,
          "a chip function submits tasks; HOST dispatches with device=",
          call.span());
    }
    if (call.arguments().isEmpty()) {
      throw Refusal.of(
          path + " needs the function to call", "y, tid = " + path + "(kernel, x, y)", call.span());
    }
    Call plain =
        new Call(
            call.arguments().getFirst(),
            call.arguments().subList(1, call.arguments().size()),
            kept(call, blocks),
            call.span());
    List<Expr> results = targets.isEmpty() ? List.of() : targets.subList(0, targets.size() - 1);
    Stmt made =
        switch (results.size()) {
          case 0 -> new Stmt.ExprStmt(plain, span);
          case 1 -> new Stmt.Assign(List.copyOf(results), plain, span);
          default -> new Stmt.Assign(List.of(new TupleDisplay(results, span)), plain, span);
        };
    Optional<Name> task = targets.isEmpty() ? Optional.empty() : Optional.of(task(targets));
    return Optional.of(new Submission(blocks ? spread(call, made, span) : made, task));
  }

  private static Name task(List<Expr> targets) {
    if (targets.getLast() instanceof Name name) {
      return name;
    }
    throw Refusal.of(
        "the last name that pl.submit is assigned to holds the task",
        "y, tid = pl.submit(kernel, x, y)",
        targets.getLast().span());
  }

  private static List<Keyword> kept(Call call, boolean blocks) {
    return call.keywords().stream()
        .filter(k -> k.name().filter(ORDERING::contains).isEmpty())
        .filter(k -> !blocks || k.name().filter("core_num"::equals).isEmpty())
        .toList();
  }

  /** The call once for each block, as {@code with pl.spmd(core_num):} makes it. */
  private static Stmt spread(Call call, Stmt made, Span span) {
    List<Expr> count = new ArrayList<>();
    call.keywords().stream()
        .filter(k -> k.name().filter("core_num"::equals).isPresent())
        .forEach(k -> count.add(k.value()));
    if (count.isEmpty() || !(call.function() instanceof Attribute submit)) {
      throw Refusal.of(
          "pl.spmd_submit needs core_num=",
          "y, tid = pl.spmd_submit(kernel, x, y, core_num=4)",
          call.span());
    }
    Expr spmd = new Attribute(submit.value(), "spmd", submit.nameSpan(), submit.span());
    Call head = new Call(spmd, count, List.of(), call.span());
    return new Stmt.With(
        List.of(new Stmt.WithItem(head, Optional.empty())), List.of(made), false, span);
  }
}
