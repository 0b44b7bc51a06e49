package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Nearest;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.source.Stmt;
import java.util.List;
import java.util.Optional;

/** Reads {@code @pl.function(type=..., level=..., role=...)}. */
final class DecoratorReader {

  private static final List<String> KEYWORDS =
      List.of("type", "level", "role", "auto_scope", "strict_ssa", "attrs");
  private static final List<String> TYPES =
      List.of(
          "Opaque", "InCore", "Orchestration", "Inline", "AIC", "AIV", "Group", "Spmd", "Graph");
  private static final List<String> LEVELS = List.of("HOST", "CHIP", "CORE_GROUP", "AIC", "AIV");
  private static final List<String> ROLES = List.of("Orchestrator", "SubWorker");

  private final Resolver resolver;

  DecoratorReader(Resolver resolver) {
    this.resolver = resolver;
  }

  /** The level of a decorated method; empty when the method isn't a function of the program. */
  Optional<Level> read(Stmt.FunctionDef method) {
    for (Expr decorator : method.decorators()) {
      Expr callee = decorator instanceof Expr.Call call ? call.function() : decorator;
      if (resolver.path(callee).filter("pl.function"::equals).isPresent()) {
        return Optional.of(level(method, decorator));
      }
    }
    return Optional.empty();
  }

  /** Refuses a method with a decorator of the language that no method of a class has. */
  void refuseOthers(Stmt.FunctionDef method) {
    for (Expr decorator : method.decorators()) {
      Expr callee = decorator instanceof Expr.Call call ? call.function() : decorator;
      String path = resolver.path(callee).orElse("");
      if (path.startsWith("pl.") || path.startsWith("pld.")) {
        boolean free =
            path.equals("pl.inline") || path.equals("pl.jit") || path.startsWith("pl.jit.");
        throw Refusal.of(
            free
                ? "@" + path + " is for functions outside of classes"
                : "'" + path + "' is not a decorator of the kernel language",
            Nearest.hint(
                path,
                List.of("pl.function"),
                "a method of a program has @pl.function(type=...) or @pl.function(level=...,"
                    + " role=...)"),
            callee.span());
      }
    }
  }

  private Level level(Stmt.FunctionDef method, Expr decorator) {
    List<Expr.Keyword> keywords = decorator instanceof Expr.Call call ? call.keywords() : List.of();
    if (decorator instanceof Expr.Call call && !call.arguments().isEmpty()) {
      throw Refusal.of(
          "@pl.function takes keyword arguments only",
          "e.g. @pl.function(type=pl.FunctionType.InCore)",
          decorator.span());
    }
    for (Expr.Keyword keyword : keywords) {
      String name = keyword.name().orElse("**");
      if (!KEYWORDS.contains(name)) {
        throw Refusal.of(
            "@pl.function got an unexpected keyword argument '" + name + "'",
            Nearest.hint(name, KEYWORDS, "known: " + String.join(", ", KEYWORDS)),
            keyword.span());
      }
    }
    Optional<String> type = member(keywords, "type", "FunctionType", TYPES);
    Optional<String> level = member(keywords, "level", "Level", LEVELS);
    Optional<String> role = member(keywords, "role", "Role", ROLES);
    return decide(method, type, level, role, decorator.span());
  }

  private Level decide(
      Stmt.FunctionDef method,
      Optional<String> type,
      Optional<String> level,
      Optional<String> role,
      Span span) {
    boolean orchestrator = role.filter("Orchestrator"::equals).isPresent();
    String typeName = type.orElse("Opaque");
    if (level.filter("HOST"::equals).isPresent()) {
      if (role.filter("SubWorker"::equals).isPresent()) {
        requireNoSelf(method);
        // It is dispatched like a chip function; that it runs on the host is the runtime's affair.
        return Level.ORCHESTRATION;
      }
      if (!orchestrator) {
        throw Refusal.of(
            "'" + method.name() + "': a HOST function needs a role",
            "say role=pl.Role.Orchestrator or role=pl.Role.SubWorker",
            method.nameSpan());
      }
      return Level.HOST;
    }
    if (typeName.equals("Orchestration")
        || (type.filter("Opaque"::equals).isPresent() && level.isEmpty())) {
      return Level.ORCHESTRATION;
    }
    if (typeName.equals("InCore") || typeName.equals("AIV") || typeName.equals("AIC")) {
      return Level.INCORE;
    }
    if (typeName.equals("Opaque") && level.isPresent()) {
      if (level.get().equals("CHIP") && orchestrator) {
        return Level.ORCHESTRATION;
      }
      if (level.get().equals("CORE_GROUP")) {
        return Level.INCORE;
      }
    }
    throw Refusal.of(
        "'"
            + method.name()
            + "': a function is an InCore kernel, an Orchestration function or a HOST"
            + " orchestrator, this one is "
            + (level.isPresent() ? "level " + level.get() : "pl.FunctionType." + typeName),
        "say type=pl.FunctionType.InCore, type=pl.FunctionType.Orchestration, or"
            + " level=pl.Level.HOST with role=pl.Role.Orchestrator",
        span);
  }

  /** True for a function whose body stands in for each of its calls. */
  boolean isInline(Stmt.FunctionDef method) {
    return method.decorators().stream()
        .filter(Expr.Call.class::isInstance)
        .map(Expr.Call.class::cast)
        .filter(call -> resolver.path(call.function()).filter("pl.function"::equals).isPresent())
        .flatMap(call -> call.keywords().stream())
        .filter(keyword -> keyword.name().filter("type"::equals).isPresent())
        .anyMatch(
            keyword ->
                resolver
                    .path(keyword.value())
                    .filter("pl.FunctionType.Inline"::equals)
                    .isPresent());
  }

  /** True for a method whose body is ordinary Python and runs on the host. */
  boolean isSubWorker(Stmt.FunctionDef method) {
    return method.decorators().stream()
        .filter(Expr.Call.class::isInstance)
        .flatMap(decorator -> ((Expr.Call) decorator).keywords().stream())
        .filter(keyword -> keyword.name().filter("role"::equals).isPresent())
        .anyMatch(
            keyword ->
                resolver.path(keyword.value()).filter("pl.Role.SubWorker"::equals).isPresent());
  }

  private static void requireNoSelf(Stmt.FunctionDef method) {
    boolean self =
        method.parameters().positional().stream()
            .findFirst()
            .filter(parameter -> parameter.name().equals("self"))
            .isPresent();
    if (self) {
      throw Refusal.of(
          "HOST sub-worker '" + method.name() + "' must not declare 'self'",
          "its parameters are the tensors it gets",
          method.nameSpan());
    }
  }

  private Optional<String> member(
      List<Expr.Keyword> keywords, String name, String enumName, List<String> members) {
    for (Expr.Keyword keyword : keywords) {
      if (keyword.name().filter(name::equals).isEmpty()) {
        continue;
      }
      boolean literal = keyword.value() instanceof Expr.Attribute;
      Optional<String> path = resolver.path(keyword.value());
      if (!literal || path.isEmpty() || !path.get().startsWith("pl." + enumName + ".")) {
        throw Refusal.of(
            "@pl.function " + name + "= must be a literal pl." + enumName + " attribute",
            "e.g. " + name + "=pl." + enumName + "." + example(enumName),
            keyword.value().span());
      }
      String member = path.get().substring(("pl." + enumName + ".").length());
      if (!members.contains(member)) {
        throw Refusal.of(
            (members.equals(LEVELS) ? "unsupported pl." : "unknown pl.") + enumName + "." + member,
            Nearest.hint(member, members, "there are " + String.join(", ", members)),
            keyword.value().span());
      }
      return Optional.of(member);
    }
    return Optional.empty();
  }

  private static String example(String enumName) {
    return switch (enumName) {
      case "FunctionType" -> "InCore";
      case "Level" -> "HOST";
      default -> "Orchestrator";
    };
  }
}
