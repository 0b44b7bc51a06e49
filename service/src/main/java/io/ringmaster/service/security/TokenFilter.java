package io.ringmaster.service.security;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Finds out from its bearer token (RFC 6750) who makes a request. One whose token is refused goes
 * on as nobody, with the reason: some paths are open to everybody.
 */
final class TokenFilter extends OncePerRequestFilter {

  /** The request's attribute with the {@link Login} that didn't work. */
  static final String REFUSED = TokenFilter.class.getName() + ".refused";

  private static final String SCHEME = "bearer ";
  private static final Pattern OTHER = Pattern.compile("([A-Za-z][A-Za-z0-9-]{0,30}) .*");

  private final Logins logins;

  TokenFilter(Logins logins) {
    this.logins = logins;
  }

  /** What is wrong with a header that holds no bearer token; it may hold a secret, so no value. */
  static Optional<String> otherScheme(HttpServletRequest request) {
    var header = request.getHeader("Authorization");
    if (header == null) {
      return Optional.empty();
    }
    var scheme = OTHER.matcher(header);
    return Optional.of(
        scheme.matches()
            ? "The header Authorization speaks %s; wanted is a bearer token."
                .formatted(scheme.group(1))
            : "The header Authorization names no scheme; wanted is a bearer token.");
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    var header = request.getHeader("Authorization");
    if (header != null && header.toLowerCase(Locale.ROOT).startsWith(SCHEME)) {
      switch (logins.find(header.substring(SCHEME.length()).strip())) {
        case Login.As(TokenAuthentication who) -> {
          var context = SecurityContextHolder.createEmptyContext();
          context.setAuthentication(who);
          SecurityContextHolder.setContext(context);
        }
        case Login.Refused refused -> request.setAttribute(REFUSED, refused);
        case Login.Unknowable unknowable -> request.setAttribute(REFUSED, unknowable);
      }
    }
    chain.doFilter(request, response);
  }
}
