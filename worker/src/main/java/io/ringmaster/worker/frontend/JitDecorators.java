package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Nearest;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Stmt;
import java.util.List;
import java.util.Optional;

/** Reads {@code @pl.jit}, {@code @pl.jit.incore}, {@code @pl.jit.host} and their relatives. */
public final class JitDecorators {

  private static final List<String> MEMBERS = List.of("incore", "host", "inline", "opaque");
  private static final List<String> CORE_LEVELS =
      List.of("pl.Level.CORE_GROUP", "pl.Level.AIC", "pl.Level.AIV");

  private JitDecorators() {}

  /**
   * Checks the decorators of a free function, which is all that is looked at before it is compiled.
   *
   * @throws DiagnosticException when one of them isn't known or has a wrong argument
   */
  public static void check(Stmt.FunctionDef function, ClosureScope scope) {
    try {
      role(function, new Resolver(scope, _ -> false));
    } catch (Refusal refusal) {
      throw new DiagnosticException(refusal.diagnostic().stream().toList());
    }
  }

  /** The role; empty for a function that no decorator of the JIT form stands above. */
  static Optional<JitRole> role(Stmt.FunctionDef function, Resolver resolver) {
    for (Expr decorator : function.decorators()) {
      Expr callee = decorator instanceof Expr.Call call ? call.function() : decorator;
      String path = resolver.path(callee).orElse("");
      Optional<JitRole> role =
          path.equals("pl.inline") ? Optional.of(JitRole.INLINE) : named(path, decorator);
      if (role.isPresent()) {
        if (decorator instanceof Expr.Call call) {
          checkArguments(role.get(), call, resolver);
        }
        return role;
      }
    }
    return Optional.empty();
  }

  private static Optional<JitRole> named(String path, Expr decorator) {
    if (path.equals("pl.jit")) {
      return Optional.of(JitRole.CHIP);
    }
    if (!path.startsWith("pl.jit.")) {
      return Optional.empty();
    }
    String member = path.substring("pl.jit.".length());
    return switch (member) {
      case "host" -> Optional.of(JitRole.HOST);
      case "incore" -> Optional.of(JitRole.INCORE);
      case "inline" -> Optional.of(JitRole.INLINE);
      case "opaque" -> Optional.of(JitRole.OPAQUE);
      case "extern" ->
          throw Refusal.of(
              "@pl.jit.extern is not supported: its kernel is compiled elsewhere",
              "write the kernel in this language, as @pl.jit.incore",
              decorator.span());
      default ->
          throw Refusal.of(
              "unknown decorator @pl.jit." + member,
              Nearest.hint(
                  member, MEMBERS, "there are @pl.jit and @pl.jit.incore, host, inline, opaque"),
              decorator.span());
    };
  }

  private static Refusal doesNotAccept(String decorator, String what, Expr.Keyword keyword) {
    return Refusal.of(
        decorator + " does not accept " + what + " argument", "leave it away", keyword.span());
  }

  private static void checkArguments(JitRole role, Expr.Call call, Resolver resolver) {
    String decorator = role.decorator();
    if (!call.arguments().isEmpty()) {
      throw Refusal.of(
          decorator + " takes keyword arguments only",
          "write " + decorator + " above the def",
          call.span());
    }
    for (Expr.Keyword keyword : call.keywords()) {
      switch (keyword.name().orElse("**")) {
        case "level" -> {
          if (role != JitRole.INCORE) {
            throw doesNotAccept(decorator, "a level=", keyword);
          }
          if (resolver.path(keyword.value()).filter(CORE_LEVELS::contains).isEmpty()) {
            throw Refusal.of(
                decorator + " level= must be one of " + String.join(", ", CORE_LEVELS),
                "e.g. level=pl.Level.CORE_GROUP",
                keyword.value().span());
          }
        }
        case "auto_scope" -> {
          if (role == JitRole.INCORE || role == JitRole.OPAQUE) {
            throw doesNotAccept(decorator, "an auto_scope=", keyword);
          }
        }
        case String other ->
            throw Refusal.of(
                decorator + " got an unexpected keyword argument '" + other + "'",
                Nearest.hint(other, List.of("level", "auto_scope"), "write it without"),
                keyword.span());
      }
    }
  }
}
