package io.ringmaster.worker.source;

import io.ringmaster.worker.source.Stmt.If;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Writes a syntax tree as Python source that reads back as an equal tree, positions aside. Layout,
 * comments and superfluous brackets of the original are not in the tree and so not written.
 */
public final class AstPrinter {

  private static final String INDENT = "    ";

  private final StringBuilder out = new StringBuilder();
  private int depth;

  private AstPrinter() {}

  /** A whole file, each line ended by a line feed. */
  public static String print(Module module) {
    var printer = new AstPrinter();
    module.body().forEach(printer::statement);
    return printer.out.toString();
  }

  /** One expression, without a line feed. */
  public static String print(Expr expression) {
    return new ExprPrinter().print(expression);
  }

  private static String optional(String before, Optional<Expr> value) {
    return value.map(present -> before + print(present)).orElse("");
  }

  private static String list(List<Expr> values) {
    return values.stream().map(AstPrinter::print).collect(Collectors.joining(", "));
  }

  private void statement(Stmt statement) {
    switch (statement) {
      case Stmt.FunctionDef function -> function(function);
      case Stmt.ClassDef definition -> classDefinition(definition);
      case Stmt.Return r -> line("return" + optional(" ", r.value()));
      case Stmt.Assign assign -> assign(assign);
      case Stmt.AugmentedAssign assign ->
          line(
              print(assign.target())
                  + " "
                  + assign.operator().spelling()
                  + "= "
                  + print(assign.value()));
      case Stmt.AnnotatedAssign assign ->
          line(
              print(assign.target())
                  + ": "
                  + print(assign.annotation())
                  + optional(" = ", assign.value()));
      case Stmt.For loop -> {
        String head = "for " + print(loop.target()) + " in " + print(loop.iterable());
        block(async(loop.isAsync()) + head, loop.body());
        otherwise(loop.orElse());
      }
      case Stmt.While loop -> {
        block("while " + print(loop.condition()), loop.body());
        otherwise(loop.orElse());
      }
      case If branch -> branches(branch);
      case Stmt.With with -> block(async(with.isAsync()) + "with " + items(with), with.body());
      case Stmt.Raise raise ->
          line("raise" + optional(" ", raise.exception()) + optional(" from ", raise.cause()));
      case Stmt.Try attempt -> attempt(attempt);
      case Stmt.Match match -> match(match);
      case Stmt.Assert assertion ->
          line("assert " + print(assertion.condition()) + optional(", ", assertion.message()));
      case Stmt.Import imported -> line("import " + aliases(imported.names()));
      case Stmt.ImportFrom imported ->
          line(
              "from "
                  + ".".repeat(imported.level())
                  + imported.module()
                  + " import "
                  + aliases(imported.names()));
      case Stmt.Global global -> line("global " + String.join(", ", global.names()));
      case Stmt.Nonlocal nonlocal -> line("nonlocal " + String.join(", ", nonlocal.names()));
      case Stmt.ExprStmt expression -> line(print(expression.value()));
      case Stmt.Delete delete -> line("del " + list(delete.targets()));
      case Stmt.Pass _ -> line("pass");
      case Stmt.Break _ -> line("break");
      case Stmt.Continue _ -> line("continue");
      case Stmt.Unread _ -> line("<unread>");
      case Stmt.Unsupported unsupported -> unsupported(unsupported.keyword());
    }
  }

  private void line(String text) {
    out.repeat(INDENT, depth).append(text).append('\n');
  }

  private void block(String header, List<Stmt> body) {
    line(header + ":");
    depth++;
    if (body.isEmpty()) {
      line("pass");
    }
    body.forEach(this::statement);
    depth--;
  }

  private void otherwise(List<Stmt> body) {
    if (!body.isEmpty()) {
      block("else", body);
    }
  }

  private static String async(boolean isAsync) {
    return isAsync ? "async " : "";
  }

  private void decorators(List<Expr> decorators) {
    decorators.forEach(decorator -> line("@" + print(decorator)));
  }

  private void function(Stmt.FunctionDef function) {
    decorators(function.decorators());
    String parameters = new ExprPrinter().print(function.parameters());
    block(
        async(function.isAsync())
            + "def "
            + function.name()
            + "("
            + parameters
            + ")"
            + optional(" -> ", function.returns()),
        function.body());
  }

  private void classDefinition(Stmt.ClassDef definition) {
    decorators(definition.decorators());
    String bases = new ExprPrinter().print(definition.bases(), definition.keywords());
    block(
        "class " + definition.name() + (bases.isEmpty() ? "" : "(" + bases + ")"),
        definition.body());
  }

  private void assign(Stmt.Assign assign) {
    String targets =
        assign.targets().stream()
            .map(target -> print(target) + " = ")
            .collect(Collectors.joining());
    line(targets + print(assign.value()));
  }

  /** An {@code elif} chain is a loop here, so that its length costs no stack. */
  private void branches(If first) {
    If branch = first;
    String keyword = "if ";
    while (true) {
      block(keyword + print(branch.condition()), branch.body());
      if (branch.orElse().size() != 1 || !(branch.orElse().getFirst() instanceof If next)) {
        otherwise(branch.orElse());
        return;
      }
      branch = next;
      keyword = "elif ";
    }
  }

  /** A tuple as the only item gets a second pair of brackets: one pair alone holds items. */
  private static String items(Stmt.With with) {
    boolean alone = with.items().size() == 1 && with.items().getFirst().target().isEmpty();
    if (alone && with.items().getFirst().context() instanceof Expr.TupleDisplay tuple) {
      return "(" + print(tuple) + ")";
    }
    return with.items().stream()
        .map(item -> print(item.context()) + optional(" as ", item.target()))
        .collect(Collectors.joining(", "));
  }

  private void attempt(Stmt.Try attempt) {
    block("try", attempt.body());
    for (Stmt.Handler handler : attempt.handlers()) {
      String name = handler.name().map(n -> " as " + n).orElse("");
      block("except" + optional(" ", handler.type()) + name, handler.body());
    }
    otherwise(attempt.orElse());
    if (!attempt.finalBody().isEmpty()) {
      block("finally", attempt.finalBody());
    }
  }

  private void match(Stmt.Match match) {
    line("match " + print(match.subject()) + ":");
    depth++;
    for (Stmt.Case one : match.cases()) {
      block(
          "case " + PatternPrinter.print(one.pattern()) + optional(" if ", one.guard()),
          one.body());
    }
    depth--;
  }

  private static String aliases(List<Stmt.Alias> names) {
    return names.stream()
        .map(alias -> alias.name() + alias.asName().map(name -> " as " + name).orElse(""))
        .collect(Collectors.joining(", "));
  }

  /** Only the keyword is in the tree, so the shortest statement with it is written. */
  private void unsupported(String keyword) {
    switch (keyword) {
      case "type" -> line("type _ = ...");
      case "except*" -> {
        line("try:");
        line(INDENT + "pass");
        line("except* _:");
        line(INDENT + "pass");
      }
      default -> throw new IllegalArgumentException("no statement has the keyword " + keyword);
    }
  }
}
