package io.ringmaster.service.security;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/** Finds out from its bearer token (RFC 6750) who makes a request. */
final class TokenFilter extends OncePerRequestFilter {

  private static final String SCHEME = "bearer ";

  private final Tokens tokens;

  TokenFilter(Tokens tokens) {
    this.tokens = tokens;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    var header = request.getHeader("Authorization");
    if (header != null && header.toLowerCase(Locale.ROOT).startsWith(SCHEME)) {
      tokens
          .find(header.substring(SCHEME.length()).strip())
          .ifPresent(
              token -> {
                var context = SecurityContextHolder.createEmptyContext();
                context.setAuthentication(new TokenAuthentication(token));
                SecurityContextHolder.setContext(context);
              });
    }
    chain.doFilter(request, response);
  }
}
