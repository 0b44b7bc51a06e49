package io.ringmaster.worker.script.eval;

import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Parameters;
import io.ringmaster.worker.source.Stmt;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Finds the names of the module that statements read, in the bodies of functions too. */
final class Mentions {

  private static final Pattern WORDS = Pattern.compile("\\W+", Pattern.UNICODE_CHARACTER_CLASS);

  private final Set<String> names = new HashSet<>();

  private Mentions() {}

  static Set<String> of(Stmt statement) {
    Mentions mentions = new Mentions();
    mentions.statement(statement);
    return mentions.names;
  }

  static Set<String> of(Expr expression) {
    Mentions mentions = new Mentions();
    mentions.expression(expression);
    return mentions.names;
  }

  private void statement(Stmt statement) {
    StaticChecker.expressions(statement).forEach(this::expression);
    StaticChecker.blocks(statement).forEach(block -> block.forEach(this::statement));
    switch (statement) {
      case Stmt.FunctionDef def -> {
        around(def.parameters());
        def.returns().ifPresent(this::annotation);
        Mentions inside = new Mentions();
        def.body().forEach(inside::statement);
        addWithout(inside, Names.ofFunction(def.parameters(), def.body()).locals());
      }
      case Stmt.ClassDef def -> {
        def.bases().forEach(this::expression);
        def.keywords().forEach(keyword -> expression(keyword.value()));
        def.body().forEach(this::statement);
      }
      case Stmt.Unread unread -> names.addAll(unread.words());
      case Stmt.AnnotatedAssign assign -> annotation(assign.annotation());
      default -> {}
    }
  }

  private void addWithout(Mentions inside, Set<String> locals) {
    inside.names.removeAll(locals);
    names.addAll(inside.names);
  }

  private void around(Parameters parameters) {
    parameters.positional().forEach(this::parameter);
    parameters.keywordOnly().forEach(this::parameter);
    parameters.varArgs().ifPresent(this::parameter);
    parameters.keywordArgs().ifPresent(this::parameter);
  }

  private void parameter(Parameters.Parameter parameter) {
    parameter.annotation().ifPresent(this::annotation);
    parameter.defaultValue().ifPresent(this::expression);
  }

  /** Annotations may be written as text, so the words of a text are names there. */
  private void annotation(Expr annotation) {
    if (annotation instanceof Expr.StringLiteral text) {
      WORDS.splitAsStream(text.value()).forEach(names::add);
    }
    expression(annotation);
    Children.of(annotation).forEach(this::annotation);
  }

  private void expression(Expr expression) {
    switch (expression) {
      case Expr.Name name -> names.add(name.id());
      case Expr.Lambda lambda -> {
        around(lambda.parameters());
        Mentions inside = new Mentions();
        inside.expression(lambda.body());
        addWithout(inside, Names.ofFunction(lambda.parameters(), List.of()).locals());
      }
      default -> Children.of(expression).forEach(this::expression);
    }
  }
}
