package io.ringmaster.service.problems;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Gives a problem to replies that say nothing but a bad status, as some operational endpoints do
 * for what they don't know.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
class BareErrors extends OncePerRequestFilter {

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    var watched = new Watched(response);
    chain.doFilter(request, watched);
    if (watched.isBareError() && !response.isCommitted()) {
      response.sendError(response.getStatus());
    }
  }

  /** Holds back the flush that would send a bad status without a body. */
  private static final class Watched extends HttpServletResponseWrapper {
    private boolean written;

    Watched(HttpServletResponse response) {
      super(response);
    }

    boolean isBareError() {
      return !written && getStatus() >= HttpServletResponse.SC_BAD_REQUEST;
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
      written = true;
      return super.getOutputStream();
    }

    @Override
    public PrintWriter getWriter() throws IOException {
      written = true;
      return super.getWriter();
    }

    @Override
    public void flushBuffer() throws IOException {
      if (!isBareError()) {
        super.flushBuffer();
      }
    }
  }
}
