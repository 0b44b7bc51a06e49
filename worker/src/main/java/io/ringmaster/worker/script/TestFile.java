package io.ringmaster.worker.script;

import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Module;
import io.ringmaster.worker.source.Stmt;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Tells a file of tests from a driver script, by its text. */
final class TestFile {

  private TestFile() {}

  /**
   * True for a file that {@code pytest FILE} would run and {@code python FILE} wouldn't: it has
   * tests, and neither a main part nor a call of its own that starts something.
   */
  static boolean isOnlyTests(Module module) {
    return hasTests(module.body()) && !startsSomething(module.body());
  }

  /** True when there is a test function or a class of tests. */
  static boolean hasTests(List<Stmt> body) {
    return body.stream().anyMatch(TestFile::holdsTest);
  }

  private static boolean holdsTest(Stmt statement) {
    return switch (statement) {
      case Stmt.FunctionDef def -> def.name().startsWith("test");
      case Stmt.ClassDef def ->
          (def.name().startsWith("Test") && isTestClass(def))
              || def.bases().stream().anyMatch(TestFile::isUnittestCase);
      case Stmt.If choice ->
          !isMainPart(choice) && (hasTests(choice.body()) || hasTests(choice.orElse()));
      case Stmt.Try attempt -> hasTests(attempt.body()) || hasTests(attempt.orElse());
      default -> false;
    };
  }

  /** {@code unittest.TestCase}, {@code TestCase}. */
  private static boolean isUnittestCase(Expr base) {
    return switch (base) {
      case Expr.Name name -> name.id().equals("TestCase");
      case Expr.Attribute attribute -> attribute.name().equals("TestCase");
      default -> false;
    };
  }

  /** A class that derives from another one may inherit its tests. */
  private static boolean isTestClass(Stmt.ClassDef def) {
    return !def.bases().isEmpty()
        || def.body().stream()
            .anyMatch(
                member ->
                    switch (member) {
                      case Stmt.FunctionDef method -> method.name().startsWith("test");
                      case Stmt.ClassDef inner -> holdsTest(inner);
                      default -> false;
                    });
  }

  private static boolean startsSomething(List<Stmt> body) {
    Set<String> own = new HashSet<>();
    for (Stmt statement : body) {
      if (statement instanceof Stmt.FunctionDef def) {
        own.add(def.name());
      }
    }
    return body.stream()
        .anyMatch(
            statement ->
                switch (statement) {
                  case Stmt.If choice -> isMainPart(choice);
                  case Stmt.ExprStmt expression -> calls(expression.value(), own);
                  case Stmt.Raise raise ->
                      raise.exception().filter(value -> calls(value, own)).isPresent();
                  default -> false;
                });
  }

  /** {@code if __name__ == "__main__":}. */
  private static boolean isMainPart(Stmt.If choice) {
    return choice.condition() instanceof Expr.Comparison comparison
        && Stream.concat(Stream.of(comparison.first()), comparison.rest().stream())
            .anyMatch(e -> e instanceof Expr.Name name && name.id().equals("__name__"));
  }

  /** {@code main()}, {@code sys.exit(main())}, {@code pytest.main([...])}. */
  private static boolean calls(Expr expression, Set<String> own) {
    if (!(expression instanceof Expr.Call call)) {
      return false;
    }
    boolean direct =
        switch (call.function()) {
          case Expr.Name name -> own.contains(name.id());
          case Expr.Attribute attribute ->
              attribute.name().equals("main")
                  && attribute.value() instanceof Expr.Name module
                  && (module.id().equals("pytest") || module.id().equals("unittest"));
          default -> false;
        };
    return direct || call.arguments().stream().anyMatch(argument -> calls(argument, own));
  }
}
