package io.ringmaster.service.web;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;

/** Answers with one page of a list, and with the way to the next where there is one. */
public final class Pages {

  private Pages() {}

  /**
   * The answer.
   *
   * @param rows one more than the page has room for, if there are so many
   * @param size how many rows the page has room for
   * @param body shows the rows of the page
   * @param setNext puts the next page's token into the body
   * @param id what the next page starts after
   * @param filters the list's filters
   */
  public static <R, B> ResponseEntity<B> reply(
      List<R> rows,
      int size,
      Function<List<R>, B> body,
      BiConsumer<B, String> setNext,
      Function<R, String> id,
      Object... filters) {
    var page = rows.subList(0, Math.min(size, rows.size()));
    var shown = body.apply(page);
    if (rows.size() <= size) {
      return ResponseEntity.ok(shown);
    }
    var token = PageTokens.after(id.apply(page.getLast()), filters);
    setNext.accept(shown, token);
    return ResponseEntity.ok().header(HttpHeaders.LINK, PageTokens.link(token)).body(shown);
  }
}
