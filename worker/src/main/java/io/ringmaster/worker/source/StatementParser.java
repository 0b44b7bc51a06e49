package io.ringmaster.worker.source;

import io.ringmaster.worker.source.Problems.ParseFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads simple statements and the lines they stand on, and goes on with the next statement after an
 * error, so that one reading finds as many errors as can be told apart.
 */
final class StatementParser {

  private final TokenStream tokens;
  private final ExpressionParser expressions;
  private final ImportParser imports;
  private final CompoundParser compounds;
  private final Scopes scopes;

  /** True after a decorator that couldn't be read: nobody knows what it makes of its function. */
  private boolean brokenDecorator;

  /** Where the statement before began, in the block that is being read. */
  private @Nullable Token lastStart;

  StatementParser(TokenStream tokens) {
    this.tokens = tokens;
    this.expressions = new ExpressionParser(tokens);
    this.imports = new ImportParser(tokens);
    this.scopes = new Scopes(tokens);
    this.compounds = new CompoundParser(tokens, expressions, this, scopes);
  }

  List<Stmt> file() {
    var body = new ArrayList<Stmt>();
    while (!tokens.at(TokenKind.END)) {
      statementInto(body);
    }
    return List.copyOf(body);
  }

  /** A file that holds one expression. */
  Optional<Expr> onlyExpression() {
    int before = tokens.problems().reports();
    Token start = tokens.peek();
    try {
      Expr value = expressions.list();
      tokens.expect(TokenKind.NEWLINE, "the end of the expression");
      tokens.expect(TokenKind.END, "the end of the expression");
      return Optional.of(value);
    } catch (ParseFailure failure) {
      tokens.recover(failure, before, start.start());
      return Optional.empty();
    }
  }

  /** The statements of a block after its first margin, up to and with its end. */
  List<Stmt> indented() {
    tokens.next();
    Token around = lastStart;
    lastStart = null;
    var body = new ArrayList<Stmt>();
    while (!tokens.at(TokenKind.DEDENT) && !tokens.at(TokenKind.END)) {
      statementInto(body);
    }
    if (tokens.at(TokenKind.DEDENT)) {
      tokens.next();
    }
    lastStart = around;
    return List.copyOf(body);
  }

  private void statementInto(List<Stmt> body) {
    int before = tokens.problems().reports();
    Token start = tokens.peek();
    boolean afterBrokenDecorator = brokenDecorator;
    brokenDecorator = false;
    int margin = tokens.problems().reports();
    List<Stmt> read = new ArrayList<>();
    boolean whole = true;
    try {
      switch (start.kind()) {
        case INDENT -> {
          unexpectedIndent();
          whole = false;
          // What stands before it may have been meant to go on here.
          if (!body.isEmpty() && lastStart != null) {
            body.removeLast();
            start = lastStart;
          }
        }
        case NEWLINE, DEDENT -> tokens.next();
        default -> whole = statement(read) && !afterBrokenDecorator;
      }
    } catch (ParseFailure failure) {
      whole = false;
      brokenDecorator = start.is("@");
      tokens.recover(failure, before, start.start());
      if (tokens.at(TokenKind.INDENT)) {
        compounds.orphan();
      }
    }
    lastStart = start;
    if (whole && margin == before) {
      body.addAll(read);
    } else {
      String text = tokens.textFrom(start);
      body.add(UnreadText.of(text, tokens.spanFrom(start)));
      // An open bracket takes the decorator of the next function for one of its operators.
      brokenDecorator |= UnreadText.holdsDecorator(text);
    }
  }

  private void unexpectedIndent() {
    Token margin = tokens.peek();
    tokens
        .problems()
        .error(
            margin.start(),
            margin.end(),
            "this line is indented deeper than the one before, but no block starts here",
            "give it the indentation of the line before");
    compounds.orphan();
  }

  /** False if something about it was reported, what stands in its blocks left out. */
  private boolean statement(List<Stmt> body) {
    int before = tokens.problems().reports();
    CompoundParser.Read compound = compounds.statement();
    if (compound.statement().isPresent()) {
      body.add(compound.statement().get());
      return compound.whole();
    }
    line(body);
    return tokens.problems().reports() == before;
  }

  /** Simple statements up to and with the line end. */
  void line(List<Stmt> body) {
    do {
      body.add(simple());
    } while (tokens.accept(";") && !TokenStream.endsLine(tokens.peek()));
    endLine(body);
  }

  private void endLine(List<Stmt> body) {
    if (tokens.at(TokenKind.NEWLINE)) {
      tokens.next();
      return;
    }
    if (body.getLast() instanceof Stmt.ExprStmt(Expr.Name name, Span span)
        && (name.id().equals("print") || name.id().equals("exec"))
        && tokens.peek().startsOperand()) {
      throw tokens.failure(
          span,
          "the arguments of '" + name.id() + "' need parentheses",
          "write " + name.id() + "(...)");
    }
    boolean operand = tokens.peek().startsOperand();
    throw tokens.unexpected(
        "the end of the line",
        operand ? "an operator or a comma may be missing, or a line break" : "");
  }

  private Stmt simple() {
    Token start = tokens.peek();
    if (start.isName("type") && tokens.peek(1).kind() == TokenKind.NAME) {
      return typeAlias();
    }
    if (start.kind() != TokenKind.KEYWORD) {
      return expressionStatement();
    }
    return switch (start.text()) {
      case "pass" -> {
        tokens.next();
        yield new Stmt.Pass(tokens.span(start));
      }
      case "break" -> {
        tokens.next();
        scopes.requireLoop(start);
        yield new Stmt.Break(tokens.span(start));
      }
      case "continue" -> {
        tokens.next();
        scopes.requireLoop(start);
        yield new Stmt.Continue(tokens.span(start));
      }
      case "return" -> returnStatement();
      case "raise" -> raise();
      case "assert" -> assertion();
      case "del" -> delete();
      case "global" -> {
        List<String> names = names();
        yield new Stmt.Global(names, tokens.spanFrom(start));
      }
      case "nonlocal" -> {
        List<String> names = names();
        scopes.requireNested(start);
        yield new Stmt.Nonlocal(names, tokens.spanFrom(start));
      }
      case "import" -> imports.plain();
      case "from" -> imports.from();
      case "else", "elif", "except", "finally" -> throw stray(start);
      case "if", "for", "while", "with", "try", "def", "class", "async" ->
          throw tokens.failure(
              start,
              "'" + start.text() + "' must start a line of its own",
              "put it, and its block, on lines of their own");
      default -> expressionStatement();
    };
  }

  private ParseFailure stray(Token word) {
    String opener =
        switch (word.text()) {
          case "elif" -> "'if'";
          case "else" -> "'if', 'for', 'while' or 'try'";
          default -> "'try'";
        };
    return tokens.failure(
        word,
        "'" + word.text() + "' has no matching " + opener,
        "it must have the indentation of the statement that it belongs to");
  }

  private Stmt returnStatement() {
    Token start = tokens.next();
    Optional<Expr> value =
        tokens.peek().startsOperand() ? Optional.of(expressions.list()) : Optional.empty();
    scopes.requireFunction(start);
    return new Stmt.Return(value, tokens.spanFrom(start));
  }

  private Stmt raise() {
    Token start = tokens.next();
    Optional<Expr> exception = Optional.empty();
    Optional<Expr> cause = Optional.empty();
    if (tokens.peek().startsOperand()) {
      exception = Optional.of(expressions.expression());
      if (tokens.accept("from")) {
        cause = Optional.of(expressions.expression());
      }
    }
    return new Stmt.Raise(exception, cause, tokens.spanFrom(start));
  }

  private Stmt assertion() {
    Token start = tokens.next();
    Expr condition = expressions.expression();
    Optional<Expr> message =
        tokens.accept(",") ? Optional.of(expressions.expression()) : Optional.empty();
    return new Stmt.Assert(condition, message, tokens.spanFrom(start));
  }

  private Stmt delete() {
    Token start = tokens.next();
    var targets = new ArrayList<Expr>();
    do {
      Expr target = expressions.target();
      Targets.requireDeletable(tokens, target);
      targets.add(target);
    } while (tokens.accept(",") && tokens.peek().startsOperand());
    return new Stmt.Delete(List.copyOf(targets), tokens.spanFrom(start));
  }

  private List<String> names() {
    tokens.next();
    var names = new ArrayList<String>();
    do {
      names.add(tokens.expect(TokenKind.NAME, "a name").text());
    } while (tokens.accept(","));
    return List.copyOf(names);
  }

  /** {@code type X = ...}, with or without type parameters. */
  private Stmt typeAlias() {
    Token start = tokens.next();
    tokens.next();
    if (tokens.at("[")) {
      Token open = tokens.next();
      do {
        if (!tokens.accept("*")) {
          tokens.accept("**");
        }
        tokens.expect(TokenKind.NAME, "a type parameter");
        if (tokens.accept(":")) {
          expressions.expression();
        }
      } while (tokens.accept(",") && !tokens.at("]"));
      tokens.expectClosing(open, "]");
    }
    tokens.expect("=");
    expressions.expression();
    return new Stmt.Unsupported("type", tokens.spanFrom(start));
  }

  /** An assignment of any kind, or an expression alone. */
  private Stmt expressionStatement() {
    Token start = tokens.peek();
    Expr first = expressions.listOrYield();
    Token sign = tokens.peek();
    if (sign.is("=")) {
      return assignment(start, first);
    }
    if (sign.is(":")) {
      return annotation(start, first);
    }
    Optional<Expr.BinaryOperator> operator = augmented(sign);
    if (operator.isPresent()) {
      Targets.requireSingle(tokens, first, "'" + sign.text() + "'");
      tokens.next();
      Expr value = expressions.listOrYield();
      return new Stmt.AugmentedAssign(first, operator.get(), value, tokens.spanFrom(start));
    }
    return new Stmt.ExprStmt(first, tokens.spanFrom(start));
  }

  private Stmt assignment(Token start, Expr first) {
    var targets = new ArrayList<Expr>();
    Expr value = first;
    while (tokens.at("=")) {
      Targets.requireAssignable(tokens, value);
      targets.add(value);
      tokens.next();
      value = expressions.listOrYield();
    }
    return new Stmt.Assign(List.copyOf(targets), value, tokens.spanFrom(start));
  }

  private Stmt annotation(Token start, Expr target) {
    Targets.requireSingle(tokens, target, "an annotation");
    tokens.next();
    Expr annotation = expressions.expression();
    Optional<Expr> value =
        tokens.accept("=") ? Optional.of(expressions.listOrYield()) : Optional.empty();
    return new Stmt.AnnotatedAssign(target, annotation, value, tokens.spanFrom(start));
  }

  private static Optional<Expr.BinaryOperator> augmented(Token sign) {
    if (sign.kind() != TokenKind.OPERATOR || !sign.text().endsWith("=")) {
      return Optional.empty();
    }
    return Operators.binary(sign.text().substring(0, sign.text().length() - 1));
  }
}
