package io.ringmaster.worker.script.value;

import io.ringmaster.worker.source.Expr;
import io.ringmaster.worker.source.Span;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The circumstances of a call from the script.
 *
 * @param site the call as written; empty when no call expression stands for it
 */
public record Call(Interp interp, Span span, Optional<Expr.Call> site) {

  /** Where an argument is written that goes by keyword; the whole call when it isn't there. */
  public Span place(String keyword) {
    return site.stream()
        .flatMap(call -> call.keywords().stream())
        .filter(given -> given.name().filter(keyword::equals).isPresent())
        .map(given -> given.value().span())
        .findFirst()
        .orElse(span);
  }

  /** Where an argument is written that may go by position, counted from 0, or by keyword. */
  public Span place(int position, String keyword) {
    List<Expr> given = positional();
    return position < given.size() ? given.get(position).span() : place(keyword);
  }

  /** Where the last {@code count} positional arguments are written, the whole call if unknown. */
  public List<Span> places(int count) {
    List<Expr> given = positional();
    return given.size() < count
        ? Collections.nCopies(count, span)
        : given.subList(given.size() - count, given.size()).stream().map(Expr::span).toList();
  }

  /** The positional arguments as written; none when {@code *values} is among them. */
  private List<Expr> positional() {
    return site.map(Expr.Call::arguments)
        .filter(given -> given.stream().noneMatch(Expr.Starred.class::isInstance))
        .orElse(List.of());
  }
}
