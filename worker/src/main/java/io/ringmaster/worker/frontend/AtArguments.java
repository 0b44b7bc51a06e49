package io.ringmaster.worker.frontend;

import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.ir.Function.Level;
import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Expr.Call;
import io.ringmaster.worker.source.Expr.Keyword;
import io.ringmaster.worker.source.Expr.StringLiteral;
import io.ringmaster.worker.source.Span;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The arguments of {@code pl.at(level=..., role=..., name_hint="...")}. Dependencies between tasks
 * and early resolution change nothing here: tasks of a rank run in program order. The blocks of
 * {@code pl.spmd(n)} are such tasks too.
 */
record AtArguments(Level level, Optional<String> nameHint) {

  private static final Set<String> OPTIMIZATIONS =
      Set.of("pl.split", "pl.cross_core_slot", "pl.auto_chunk");

  static AtArguments of(Call call, Resolver resolver, Level around) {
    Optional<String> level = Optional.empty();
    Optional<String> role = Optional.empty();
    Optional<String> hint = Optional.empty();
    if (!call.arguments().isEmpty()) {
      throw Refusal.of(
          "pl.at takes keyword arguments only", "pl.at(level=pl.Level.CORE_GROUP)", call.span());
    }
    for (Keyword keyword : call.keywords()) {
      switch (keyword.name().orElse("**")) {
        case "level" -> level = resolver.path(keyword.value());
        case "role" -> role = resolver.path(keyword.value());
        case "name_hint" -> hint = Optional.of(name(keyword));
        case "deps", "allow_early_resolve" -> {}
        case "optimizations" -> requireOptimizations(keyword, resolver);
        case String other ->
            throw Refusal.of(
                "pl.at() got an unexpected keyword argument '" + other + "'",
                "it takes level, role, name_hint, deps, allow_early_resolve, optimizations",
                keyword.span());
      }
    }
    return new AtArguments(target(level.orElse(""), role.orElse(""), around, call.span()), hint);
  }

  /** The arguments of {@code pl.spmd(n, name_hint="...")}, the number of blocks left out. */
  static AtArguments ofSpmd(Call call, Level around) {
    if (around != Level.ORCHESTRATION) {
      throw Refusal.of(
          "pl.spmd stands in a function of level " + around,
          "it launches kernels: write it in the chip function",
          call.span());
    }
    Optional<String> hint = Optional.empty();
    for (Keyword keyword : call.keywords()) {
      switch (keyword.name().orElse("**")) {
        case "name_hint" -> hint = Optional.of(name(keyword));
        case "core_num", "deps", "allow_early_resolve", "sync_start" -> {}
        case String other ->
            throw Refusal.of(
                "pl.spmd() got an unexpected keyword argument '" + other + "'",
                "it takes core_num, name_hint, deps, allow_early_resolve, sync_start",
                keyword.span());
      }
    }
    return new AtArguments(Level.INCORE, hint);
  }

  /**
   * Slots between cores and splits say how a kernel is spread over the cores of a group, which
   * changes no value here.
   */
  private static void requireOptimizations(Keyword keyword, Resolver resolver) {
    List<Expr> entries =
        switch (keyword.value()) {
          case Expr.ListDisplay(var elements, _) -> elements;
          case Expr.TupleDisplay(var elements, _) -> elements;
          case Expr other -> List.of(other);
        };
    for (Expr entry : entries) {
      Optional<String> path =
          entry instanceof Call call ? resolver.path(call.function()) : resolver.path(entry);
      if (path.isEmpty() || !OPTIMIZATIONS.contains(path.get())) {
        throw Refusal.of(
            "optimizations= takes a list of pl.split(...) and pl.cross_core_slot(slot_num=n)",
            "leave it away: it changes no value",
            entry.span());
      }
      boolean slots = entry instanceof Call && path.get().equals("pl.cross_core_slot");
      if (slots && !hasSlots((Call) entry)) {
        throw Refusal.of(
            "pl.cross_core_slot: slot_num must be a positive integer",
            "pl.cross_core_slot(slot_num=4)",
            entry.span());
      }
    }
  }

  private static boolean hasSlots(Call slot) {
    return slot.arguments().isEmpty()
        && slot.keywords().size() == 1
        && slot.keywords().getFirst().name().filter("slot_num"::equals).isPresent()
        && !(slot.keywords().getFirst().value() instanceof Expr.Unary)
        && !(slot.keywords().getFirst().value() instanceof Expr.IntLiteral(var number, _)
            && number.signum() <= 0);
  }

  private static String name(Keyword keyword) {
    if (keyword.value() instanceof StringLiteral(String text, _)
        && text.matches("[A-Za-z_][A-Za-z0-9_]*")
        && !text.contains("__")) {
      return text;
    }
    throw Refusal.of(
        "name_hint must be a string literal that is an identifier",
        "name_hint=\"load_weights\"",
        keyword.value().span());
  }

  private static Level target(String level, String role, Level around, Span span) {
    return switch (level) {
      case "pl.Level.CORE_GROUP" -> {
        if (!role.isEmpty()) {
          throw Refusal.of(
              "role= is not supported with level=pl.Level.CORE_GROUP", "leave role away", span);
        }
        if (around != Level.ORCHESTRATION) {
          throw Refusal.of(
              "pl.at(level=pl.Level.CORE_GROUP) stands in a function of level " + around,
              around == Level.HOST
                  ? "put it inside with pl.at(level=pl.Level.CHIP, role=pl.Role.Orchestrator)"
                  : "a kernel runs on its core group already",
              span);
        }
        yield Level.INCORE;
      }
      case "pl.Level.CHIP" -> {
        if (!role.equals("pl.Role.Orchestrator")) {
          throw Refusal.of(
              "pl.at(level=pl.Level.CHIP) with "
                  + (role.isEmpty() ? "no role" : role)
                  + " is not supported",
              "role=pl.Role.Orchestrator",
              span);
        }
        if (around != Level.HOST) {
          throw Refusal.of(
              "pl.at(level=pl.Level.CHIP) stands in a function of level " + around,
              "only HOST dispatches to chips",
              span);
        }
        yield Level.ORCHESTRATION;
      }
      default ->
          throw Refusal.of(
              "pl.at needs level=pl.Level.CORE_GROUP or level=pl.Level.CHIP; "
                  + (level.isEmpty() ? "nothing else" : level)
                  + " is not supported",
              "with pl.at(level=pl.Level.CORE_GROUP):",
              span);
    };
  }
}
