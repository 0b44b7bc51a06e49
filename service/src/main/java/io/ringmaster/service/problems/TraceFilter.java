package io.ringmaster.service.problems;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Gives every request a trace id: the one of its W3C {@code traceparent}, else a new one. It stands
 * in problems and in the log, and goes back to the client in {@code traceparent}.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class TraceFilter extends OncePerRequestFilter {

  private static final String TRACE_ID = "traceId";
  private static final Pattern TRACEPARENT =
      Pattern.compile("[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

  /** The trace id of the request that this thread serves. */
  static String current() {
    var id = MDC.get(TRACE_ID);
    return id == null ? randomHex(16) : id;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    var traceId = traceId(request.getHeader("traceparent"));
    response.setHeader("traceparent", "00-" + traceId + "-" + randomHex(8) + "-01");
    try (var _ = MDC.putCloseable(TRACE_ID, traceId)) {
      chain.doFilter(request, response);
    }
  }

  /** An error is dispatched after this filter has gone; its problem needs the id again. */
  @Override
  protected boolean shouldNotFilterErrorDispatch() {
    return false;
  }

  private static String traceId(@Nullable String traceparent) {
    var match = TRACEPARENT.matcher(traceparent == null ? "" : traceparent);
    return match.matches() ? match.group(1) : randomHex(16);
  }

  private static String randomHex(int bytes) {
    byte[] id = new byte[bytes];
    ThreadLocalRandom.current().nextBytes(id);
    id[0] |= 1; // all zeros means "no id"
    return HexFormat.of().formatHex(id);
  }
}
