package io.ringmaster.worker.source;

import io.ringmaster.worker.source.Stmt.WithItem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the items of a {@code with}, in parentheses or not. */
final class WithParser {

  private final TokenStream tokens;
  private final ExpressionParser expressions;

  WithParser(TokenStream tokens, ExpressionParser expressions) {
    this.tokens = tokens;
    this.expressions = expressions;
  }

  List<WithItem> items() {
    Token start = tokens.peek();
    Brackets brackets = brackets();
    if (brackets.endHeader && brackets.hold("as")) {
      return bracketed();
    }
    var items = new ArrayList<WithItem>();
    do {
      items.add(item());
    } while (tokens.accept(","));
    if (brackets.endHeader && !brackets.hold(":=")) {
      return unwrapped(tokens.spanFrom(start), items.getFirst());
    }
    return List.copyOf(items);
  }

  private WithItem item() {
    Expr context = expressions.expression();
    if (!tokens.accept("as")) {
      return new WithItem(context, Optional.empty());
    }
    Expr target = expressions.target();
    Targets.requireAssignable(tokens, target);
    return new WithItem(context, Optional.of(target));
  }

  private List<WithItem> bracketed() {
    Token open = tokens.next();
    var items = new ArrayList<WithItem>();
    do {
      items.add(item());
    } while (tokens.accept(",") && !tokens.at(")"));
    tokens.expectClosing(open, ")");
    return List.copyOf(items);
  }

  /** {@code with (a, b):} enters two contexts, not a tuple. */
  private static List<WithItem> unwrapped(Span whole, WithItem item) {
    if (item.target().isEmpty()
        && item.context() instanceof Expr.TupleDisplay tuple
        && tuple.span().equals(whole)
        && !tuple.elements().isEmpty()
        && tuple.elements().stream().noneMatch(Expr.Starred.class::isInstance)) {
      return tuple.elements().stream().map(e -> new WithItem(e, Optional.empty())).toList();
    }
    return List.of(item);
  }

  /**
   * What stands in the brackets that open here.
   *
   * @param endHeader whether the colon of the header follows them
   * @param words {@code as} and {@code :=} if they are directly in them
   */
  private record Brackets(boolean endHeader, Set<String> words) {
    boolean hold(String word) {
      return words.contains(word);
    }
  }

  private Brackets brackets() {
    int depth = 0;
    var words = new HashSet<String>();
    for (int i = 0; !TokenStream.endsLine(tokens.peek(i)); i++) {
      Token token = tokens.peek(i);
      if (token.is("(") || token.is("[") || token.is("{") || token.kind() == TokenKind.FIELD_OPEN) {
        depth++;
      } else if (token.is(")")
          || token.is("]")
          || token.is("}")
          || token.kind() == TokenKind.FIELD_CLOSE) {
        depth--;
      } else if (depth == 1 && (token.is("as") || token.is(":="))) {
        words.add(token.text());
      }
      if (depth == 0) {
        return new Brackets(token.is(")") && tokens.peek(i + 1).is(":"), words);
      }
    }
    return new Brackets(false, words);
  }
}
