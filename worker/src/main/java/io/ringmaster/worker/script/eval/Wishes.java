package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.script.check.Claim;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import java.math.BigInteger;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Works out which outcome of a comparison the script wants, from what it does with it. */
final class Wishes {

  /** Calls that end a script as failed. */
  private static final Set<String> FAILING_CALLS = Set.of("exit", "_exit", "fail", "quit", "abort");

  /** Calls that end a test as skipped. */
  private static final Set<String> SKIPPING_CALLS = Set.of("skip", "skipTest", "xfail");

  private static final List<String> FAILURE_WORDS =
      List.of("fail", "bad", "err", "mismatch", "wrong");

  private Wishes() {}

  /**
   * An asserted claim is wanted as asserted.
   *
   * @return whether the script goes on
   */
  static boolean ofAssertion(Value.Bool truth, CheckBook checks) {
    if (truth.claim().isEmpty()) {
      return truth.value();
    }
    Claim claim = truth.claim().get();
    claim.want(!truth.inverted());
    checks.record(claim);
    return checks.wayOn(claim.line(), truth.value());
  }

  /**
   * When exactly one branch of an {@code if} fails, the other is wanted. A comparison of plain
   * numbers that only chooses a way is no check.
   *
   * @return whether the script goes into the body
   */
  static boolean ofBranches(Stmt.If choice, Value.Bool truth, CheckBook checks) {
    if (truth.claim().isEmpty()) {
      return truth.value();
    }
    Claim claim = truth.claim().get();
    boolean ofKernel = claim.origin().fromKernel();
    boolean bodyFails = fails(choice.body()) || (ofKernel && skips(choice.body()));
    boolean elseFails = fails(choice.orElse()) || (ofKernel && skips(choice.orElse()));
    if (bodyFails == elseFails) {
      return truth.value();
    }
    claim.want(elseFails ^ truth.inverted());
    checks.record(claim);
    return checks.wayOn(claim.line(), truth.value());
  }

  /**
   * A statement that ends as a success or as a failure, said with branches: {@code return 0 if ok
   * else 1}, {@code sys.exit(1 if bad else 0)}, {@code sys.exit(not ok)}. The other way round, a
   * {@code return 1 if ok else 0} may be a count of what is right.
   */
  static Optional<Stmt.If> asBranches(Stmt statement) {
    return switch (statement) {
      case Stmt.Return(var value, Span span)
          when value.isPresent()
              && value.get() instanceof Expr.Conditional choice
              && (choice.whenTrue() instanceof Expr.BoolLiteral
                  || (choice.whenTrue() instanceof Expr.IntLiteral
                      && !meansFailure(choice.whenTrue()))) ->
          Optional.of(branches(choice, way -> new Stmt.Return(Optional.of(way), span), span));
      case Stmt.ExprStmt(Expr.Call call, Span span)
          when call.arguments().size() == 1 && FAILING_CALLS.contains(called(call)) ->
          exitCode(call.arguments().getFirst())
              .map(
                  choice ->
                      branches(
                          choice,
                          way ->
                              new Stmt.ExprStmt(
                                  new Expr.Call(
                                      call.function(), List.of(way), call.keywords(), call.span()),
                                  span),
                          span));
      default -> Optional.empty();
    };
  }

  private static Stmt.If branches(
      Expr.Conditional choice, Function<Expr, Stmt> statement, Span span) {
    return new Stmt.If(
        choice.condition(),
        List.of(statement.apply(choice.whenTrue())),
        List.of(statement.apply(choice.whenFalse())),
        span);
  }

  /**
   * The choice between exit codes in {@code 0 if ok else 1}, {@code not ok}, {@code int(not ok)}.
   */
  private static Optional<Expr.Conditional> exitCode(Expr code) {
    return switch (code) {
      case Expr.Conditional choice -> Optional.of(choice);
      case Expr.Unary(Expr.UnaryOperator operator, Expr operand, Span span)
          when operator == Expr.UnaryOperator.NOT ->
          Optional.of(
              new Expr.Conditional(
                  operand,
                  new Expr.IntLiteral(BigInteger.ZERO, span),
                  new Expr.IntLiteral(BigInteger.ONE, span),
                  span));
      case Expr.Call call when called(call).equals("int") && call.arguments().size() == 1 ->
          call.arguments().getFirst() instanceof Expr.Unary inverted
              ? exitCode(inverted)
              : Optional.empty();
      default -> Optional.empty();
    };
  }

  /** True for a block that ends the script or the function as failed. */
  private static boolean fails(List<Stmt> block) {
    return block.stream().anyMatch(Wishes::fails);
  }

  /** True for a block that skips the test: after a look at an output that hides a failure. */
  private static boolean skips(List<Stmt> block) {
    return block.stream()
        .anyMatch(
            statement ->
                statement instanceof Stmt.ExprStmt(Expr.Call call, Span _)
                    && SKIPPING_CALLS.contains(called(call)));
  }

  private static boolean fails(Stmt statement) {
    return switch (statement) {
      case Stmt.Raise raise -> true;
      case Stmt.ExprStmt expression -> isFailingCall(expression.value());
      case Stmt.Return end -> end.value().filter(Wishes::meansFailure).isPresent();
      case Stmt.Assign assign ->
          assign.value() instanceof Expr.BoolLiteral literal
              && (!literal.value() || assign.targets().stream().anyMatch(Wishes::countsFailures));
      case Stmt.AugmentedAssign assign -> countsFailures(assign.target());
      case Stmt.Assert check ->
          check.condition() instanceof Expr.BoolLiteral literal && !literal.value();
      default -> false;
    };
  }

  /** True for a name like {@code failures}, {@code bad}, {@code num_errors}. */
  private static boolean countsFailures(Expr target) {
    return target instanceof Expr.Name name
        && FAILURE_WORDS.stream().anyMatch(name.id().toLowerCase(Locale.ROOT)::contains);
  }

  private static boolean meansFailure(Expr value) {
    return switch (value) {
      case Expr.BoolLiteral literal -> !literal.value();
      case Expr.IntLiteral literal -> literal.value().signum() != 0;
      default -> false;
    };
  }

  private static boolean isFailingCall(Expr value) {
    if (!(value instanceof Expr.Call call)) {
      return false;
    }
    if (call.function() instanceof Expr.Attribute method && method.name().equals("append")) {
      return countsFailures(method.value());
    }
    String name = called(call);
    boolean succeeds =
        call.arguments().size() == 1
            && call.arguments().getFirst() instanceof Expr.IntLiteral code
            && code.value().signum() == 0;
    return FAILING_CALLS.contains(name)
        && !succeeds
        && !((name.equals("exit") || name.equals("quit")) && call.arguments().isEmpty());
  }

  private static String called(Expr.Call call) {
    return switch (call.function()) {
      case Expr.Name plain -> plain.id();
      case Expr.Attribute attribute -> attribute.name();
      default -> "";
    };
  }
}
