package io.ringmaster.worker.source;

import io.ringmaster.worker.source.Problems.ParseFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Reads statements with blocks. A broken first line is reported and its block is read as well. */
final class CompoundParser {

  private static final Expr UNREAD = new Expr.NoneLiteral(Span.NONE);

  private final TokenStream tokens;
  private final ExpressionParser expressions;
  private final StatementParser statements;
  private final Scopes scopes;
  private final DefinitionParser definitions;
  private final WithParser withs;
  private final MatchParser matches;
  private int depth;
  private boolean broken;

  CompoundParser(
      TokenStream tokens, ExpressionParser expressions, StatementParser statements, Scopes scopes) {
    this.tokens = tokens;
    this.expressions = expressions;
    this.statements = statements;
    this.scopes = scopes;
    this.definitions = new DefinitionParser(tokens, expressions, this, scopes);
    this.withs = new WithParser(tokens, expressions);
    this.matches = new MatchParser(tokens, expressions, this);
  }

  /**
   * What was read.
   *
   * @param whole false if something outside of the statement's blocks couldn't be read
   */
  record Read(Optional<Stmt> statement, boolean whole) {}

  /** A statement with a block, if one starts here. */
  Read statement() {
    boolean around = broken;
    broken = false;
    Optional<Stmt> read = compound();
    boolean whole = !broken;
    broken = around;
    return new Read(read, whole);
  }

  /** Notes that something about the statement being read can't be relied on. */
  void setBroken() {
    broken = true;
  }

  private Optional<Stmt> compound() {
    Token start = tokens.peek();
    if (start.isName("match") && matches.startsHere()) {
      return Optional.of(matches.statement());
    }
    if (start.is("@")) {
      return Optional.of(definitions.decorated());
    }
    if (start.kind() != TokenKind.KEYWORD) {
      return Optional.empty();
    }
    return switch (start.text()) {
      case "if" -> Optional.of(ifStatement());
      case "while" -> Optional.of(whileStatement());
      case "for" -> Optional.of(forStatement(start, false));
      case "with" -> Optional.of(withStatement(start, false));
      case "try" -> Optional.of(tryStatement());
      case "def" -> Optional.of(definitions.function(start, List.of(), false));
      case "class" -> Optional.of(definitions.classDefinition(List.of()));
      case "async" -> Optional.of(async());
      default -> Optional.empty();
    };
  }

  private Stmt async() {
    Token start = tokens.next();
    Token word = tokens.peek();
    return switch (word.kind() == TokenKind.KEYWORD ? word.text() : "") {
      case "def" -> definitions.function(start, List.of(), true);
      case "for" -> forStatement(start, true);
      case "with" -> withStatement(start, true);
      default -> throw tokens.unexpected("'def', 'for' or 'with' after 'async'");
    };
  }

  /** The first line of a clause and its block. */
  record Clause<T>(T header, List<Stmt> body) {}

  /**
   * Reads a clause after its keyword.
   *
   * @param ifBroken stands in for a header that can't be read
   */
  <T> Clause<T> clause(Token keyword, Supplier<T> header, T ifBroken) {
    int before = tokens.problems().reports();
    T read;
    try {
      read = header.get();
      if (!tokens.at(":")) {
        ParseFailure missing = tokens.unexpected("':'", missingColon(keyword));
        if (!tokens.at(TokenKind.NEWLINE) || tokens.problems().reports() != before) {
          throw missing;
        }
        return withoutColon(read, missing, ifBroken);
      }
      tokens.next();
      broken |= tokens.problems().reports() != before;
    } catch (ParseFailure failure) {
      broken = true;
      tokens.recover(failure, before, keyword.start());
      return new Clause<>(
          ifBroken, tokens.at(TokenKind.INDENT) ? nested(tokens.peek()) : List.of());
    }
    return new Clause<>(read, block(keyword));
  }

  /** A header that is whole but for its colon: the block below it is read as if it had one. */
  private <T> Clause<T> withoutColon(T header, ParseFailure missing, T ifBroken) {
    tokens.problems().add(missing.problem());
    tokens.next();
    if (!tokens.at(TokenKind.INDENT)) {
      broken = true;
      return new Clause<>(ifBroken, List.of());
    }
    List<Stmt> body = new ArrayList<>();
    // Stands for the colon: what is wrong has been said.
    body.add(new Stmt.Unread(Set.of(), Set.of(), missing.problem().span()));
    body.addAll(nested(tokens.peek()));
    return new Clause<>(header, List.copyOf(body));
  }

  private Clause<Expr> clause(Token keyword, Supplier<Expr> header) {
    return clause(keyword, header, UNREAD);
  }

  private List<Stmt> bareClause(Token keyword) {
    return clause(keyword, () -> "", "").body();
  }

  private String missingColon(Token keyword) {
    Token found = tokens.peek();
    if (TokenStream.endsLine(found)) {
      return "the line that starts with '" + keyword.text() + "' ends with ':'";
    }
    if (keyword.is("else") && found.is("if")) {
      return "write 'elif'";
    }
    return "";
  }

  /** What follows the colon: statements on the same line or an indented block. */
  private List<Stmt> block(Token keyword) {
    if (!tokens.at(TokenKind.NEWLINE)) {
      var body = new ArrayList<Stmt>();
      int before = tokens.problems().reports();
      statements.line(body);
      broken |= tokens.problems().reports() != before;
      return List.copyOf(body);
    }
    tokens.next();
    Token first = tokens.peek();
    if (first.kind() == TokenKind.INDENT) {
      return nested(keyword);
    }
    broken = true;
    tokens
        .problems()
        .error(
            first.start(),
            first.kind() == TokenKind.DEDENT ? first.start() : first.end(),
            "expected an indented block after '"
                + keyword.text()
                + "' on line "
                + tokens.line(keyword),
            "indent the lines that belong to it; write 'pass' for an empty block");
    return List.of();
  }

  /** A block without a header, which has been reported. */
  void orphan() {
    nested(tokens.peek());
  }

  private List<Stmt> nested(Token keyword) {
    if (++depth > tokens.limits().blockDepth()) {
      throw tokens
          .problems()
          .stop(
              keyword.start(),
              keyword.end(),
              "blocks are nested more than "
                  + tokens.limits().blockDepth()
                  + " levels deep, which is the limit",
              "move the inner ones into functions");
    }
    List<Stmt> body = statements.indented();
    depth--;
    return body;
  }

  /** A loop's block, in which {@code break} and {@code continue} are at home. */
  private <T> Clause<T> loop(Token keyword, Supplier<T> header, T ifBroken) {
    Scopes.Place outer = scopes.enterLoop();
    Clause<T> clause = clause(keyword, header, ifBroken);
    scopes.leave(outer);
    return clause;
  }

  private List<Stmt> otherwise() {
    return tokens.at("else") ? bareClause(tokens.next()) : List.of();
  }

  private Stmt ifStatement() {
    var starts = new ArrayList<Token>();
    var branches = new ArrayList<Clause<Expr>>();
    do {
      Token start = tokens.next();
      starts.add(start);
      branches.add(clause(start, expressions::named));
    } while (tokens.at("elif"));
    List<Stmt> orElse = otherwise();
    for (int i = branches.size() - 1; i > 0; i--) {
      orElse = List.of(branch(starts.get(i), branches.get(i), orElse));
    }
    return branch(starts.getFirst(), branches.getFirst(), orElse);
  }

  private Stmt branch(Token start, Clause<Expr> branch, List<Stmt> orElse) {
    return new Stmt.If(branch.header(), branch.body(), orElse, tokens.spanFrom(start));
  }

  private Stmt whileStatement() {
    Token start = tokens.next();
    Clause<Expr> loop = loop(start, expressions::named, UNREAD);
    List<Stmt> orElse = otherwise();
    return new Stmt.While(loop.header(), loop.body(), orElse, tokens.spanFrom(start));
  }

  /** What a {@code for} binds and what it goes through. */
  private record Iteration(Expr target, Expr iterable) {}

  private Stmt forStatement(Token start, boolean isAsync) {
    Token keyword = tokens.next();
    Clause<Iteration> loop = loop(keyword, this::iteration, new Iteration(UNREAD, UNREAD));
    List<Stmt> orElse = otherwise();
    return new Stmt.For(
        loop.header().target(),
        loop.header().iterable(),
        loop.body(),
        orElse,
        isAsync,
        tokens.spanFrom(start));
  }

  private Iteration iteration() {
    Expr target = expressions.targetList();
    tokens.expect("in");
    return new Iteration(target, expressions.list());
  }

  private Stmt withStatement(Token start, boolean isAsync) {
    Token keyword = tokens.next();
    Clause<List<Stmt.WithItem>> clause = clause(keyword, withs::items, List.of());
    return new Stmt.With(clause.header(), clause.body(), isAsync, tokens.spanFrom(start));
  }

  /** The first line of a handler. */
  private record Caught(boolean starred, Optional<Expr> type, Optional<String> name) {}

  private Stmt tryStatement() {
    Token start = tokens.next();
    List<Stmt> body = bareClause(start);
    var handlers = new ArrayList<Stmt.Handler>();
    boolean starred = false;
    while (tokens.at("except")) {
      Token keyword = tokens.next();
      boolean first = handlers.isEmpty();
      boolean others = starred;
      Clause<Caught> clause =
          clause(
              keyword,
              () -> caught(keyword, first, others),
              new Caught(others, Optional.of(UNREAD), Optional.empty()));
      starred = clause.header().starred();
      requireLast(keyword, handlers);
      handlers.add(
          new Stmt.Handler(
              clause.header().type(),
              clause.header().name(),
              clause.body(),
              tokens.spanFrom(keyword)));
    }
    List<Stmt> orElse = handlers.isEmpty() ? List.of() : otherwise();
    boolean hasFinally = tokens.at("finally");
    List<Stmt> finalBody = hasFinally ? bareClause(tokens.next()) : List.of();
    if (handlers.isEmpty() && !hasFinally) {
      broken = true;
      tokens
          .problems()
          .error(
              start.start(),
              start.end(),
              "this 'try' has neither 'except' nor 'finally'",
              "add one of them at the same indentation");
    }
    Span span = tokens.spanFrom(start);
    if (starred) {
      return new Stmt.Unsupported("except*", span);
    }
    return new Stmt.Try(body, List.copyOf(handlers), orElse, finalBody, span);
  }

  private Caught caught(Token keyword, boolean first, boolean othersStarred) {
    boolean starred = tokens.accept("*");
    if (!first && starred != othersStarred) {
      throw tokens.failure(keyword, "'except' and 'except*' can't be mixed in one 'try'", "");
    }
    if (tokens.at(":") && !starred) {
      return new Caught(false, Optional.empty(), Optional.empty());
    }
    Expr type = expressions.expression();
    if (tokens.at(",")) {
      throw tokens.failure(
          type.span(), "several exception types need parentheses", "write except (A, B):");
    }
    Optional<String> name =
        tokens.accept("as")
            ? Optional.of(tokens.expect(TokenKind.NAME, "a name").text())
            : Optional.empty();
    return new Caught(starred, Optional.of(type), name);
  }

  private void requireLast(Token keyword, List<Stmt.Handler> earlier) {
    if (!earlier.isEmpty() && earlier.getLast().type().isEmpty()) {
      broken = true;
      tokens
          .problems()
          .error(
              keyword.start(),
              keyword.end(),
              "nothing can follow an 'except:' that catches everything",
              "move the bare 'except:' to the end");
    }
  }
}
