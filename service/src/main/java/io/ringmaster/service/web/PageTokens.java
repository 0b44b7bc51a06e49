package io.ringmaster.service.web;

import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.problems.RequestError;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/** Makes and reads the opaque tokens that lead from page to page. */
public final class PageTokens {

  private PageTokens() {}

  /**
   * The token of the page after a row.
   *
   * @param last id of the last row of the page
   * @param filters the list's filters; a token is good for the same ones only
   */
  static String after(String last, Object... filters) {
    var plain = last + " " + Integer.toHexString(Arrays.deepToString(filters).hashCode());
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(plain.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The id after which the page starts.
   *
   * @throws ProblemException INVALID_REQUEST for a token that this service did not make for these
   *     filters
   */
  public static Optional<String> read(@Nullable String token, Object... filters) {
    if (token == null) {
      return Optional.empty();
    }
    try {
      var plain = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
      int space = plain.indexOf(' ');
      if (plain.substring(0, Math.max(0, space)).matches("[0-9A-Za-z._-]{1,100}")
          && after(plain.substring(0, space), filters).equals(token)) {
        return Optional.of(plain.substring(0, space));
      }
    } catch (IllegalArgumentException e) {
      throw refusal(e);
    }
    throw refusal(null);
  }

  private static ProblemException refusal(@Nullable Throwable cause) {
    var problem =
        ProblemException.of(
            ProblemCode.INVALID_REQUEST,
            new RequestError(
                RequestError.Where.PARAMETER,
                "pageToken",
                RequestError.Kind.BAD_VALUE,
                "pageToken is not one that this list gave out for the same filters. Leave it out to"
                    + " start with the first page."));
    if (cause != null) {
      problem.initCause(cause);
    }
    return problem;
  }

  /** The {@code Link} header that leads to the next page of the current request, as a path. */
  static String link(String token) {
    var next =
        ServletUriComponentsBuilder.fromCurrentRequest()
            .scheme(null)
            .host(null)
            .port(null)
            .replaceQueryParam("pageToken", token)
            .build(true)
            .toUriString();
    return "<" + next + ">; rel=\"next\"";
  }
}
