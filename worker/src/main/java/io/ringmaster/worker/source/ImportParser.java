package io.ringmaster.worker.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads {@code import} and {@code from ... import}. */
final class ImportParser {

  private final TokenStream tokens;

  ImportParser(TokenStream tokens) {
    this.tokens = tokens;
  }

  Stmt plain() {
    Token start = tokens.next();
    var names = new ArrayList<Stmt.Alias>();
    do {
      Token first = tokens.peek();
      String module = dotted();
      names.add(alias(first, module));
    } while (tokens.accept(","));
    return new Stmt.Import(List.copyOf(names), tokens.spanFrom(start));
  }

  Stmt from() {
    Token start = tokens.next();
    int level = 0;
    while (tokens.at(".") || tokens.at("...")) {
      level += tokens.next().text().length();
    }
    String module = level > 0 && tokens.at("import") ? "" : dotted();
    tokens.expect("import");
    List<Stmt.Alias> names = names();
    return new Stmt.ImportFrom(module, names, level, tokens.spanFrom(start));
  }

  private List<Stmt.Alias> names() {
    Token first = tokens.peek();
    if (tokens.accept("*")) {
      return List.of(new Stmt.Alias("*", Optional.empty(), tokens.span(first)));
    }
    boolean bracketed = tokens.accept("(");
    var names = new ArrayList<Stmt.Alias>();
    do {
      Token name = tokens.expect(TokenKind.NAME, "a name");
      names.add(alias(name, name.text()));
    } while (tokens.accept(",") && !(bracketed && tokens.at(")")));
    if (bracketed) {
      tokens.expectClosing(first, ")");
    }
    return List.copyOf(names);
  }

  private String dotted() {
    var name = new StringBuilder(tokens.expect(TokenKind.NAME, "the name of a module").text());
    while (tokens.accept(".")) {
      name.append('.').append(tokens.expect(TokenKind.NAME, "a name").text());
    }
    return name.toString();
  }

  private Stmt.Alias alias(Token first, String name) {
    Optional<String> asName =
        tokens.accept("as")
            ? Optional.of(tokens.expect(TokenKind.NAME, "a name").text())
            : Optional.empty();
    return new Stmt.Alias(name, asName, tokens.spanFrom(first));
  }
}
