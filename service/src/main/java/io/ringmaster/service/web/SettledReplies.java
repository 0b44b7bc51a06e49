package io.ringmaster.service.web;

import io.ringmaster.api.server.SubmissionsApi;
import io.ringmaster.service.config.EmbeddedDatabase;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Set;
import org.springframework.http.HttpMethod;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Lets no reply to a change out before the change survives a kill of this process. The embedded
 * database writes commits some time later by itself.
 */
@Component
class SettledReplies extends OncePerRequestFilter {

  private static final Set<String> READING =
      Set.of(HttpMethod.GET.name(), HttpMethod.HEAD.name(), HttpMethod.OPTIONS.name());

  private final EmbeddedDatabase database;

  SettledReplies(EmbeddedDatabase database) {
    this.database = database;
  }

  /** A submission is settled before its end is waited for; there are many of them. */
  @Override
  protected boolean shouldNotFilter(HttpServletRequest request) {
    return !database.isEmbedded()
        || READING.contains(request.getMethod())
        || request.getRequestURI().equals(SubmissionsApi.PATH_SUBMIT_JOB);
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    var settled = new Settled(response);
    chain.doFilter(request, settled);
    settled.settle();
  }

  private final class Settled extends HttpServletResponseWrapper {
    private boolean done;

    Settled(HttpServletResponse response) {
      super(response);
    }

    void settle() {
      if (!done) {
        done = true;
        database.settle();
      }
    }

    @Override
    public ServletOutputStream getOutputStream() throws IOException {
      settle();
      return super.getOutputStream();
    }

    @Override
    public PrintWriter getWriter() throws IOException {
      settle();
      return super.getWriter();
    }

    @Override
    public void flushBuffer() throws IOException {
      settle();
      super.flushBuffer();
    }

    @Override
    public void sendError(int status) throws IOException {
      settle();
      super.sendError(status);
    }

    @Override
    public void sendError(int status, String message) throws IOException {
      settle();
      super.sendError(status, message);
    }
  }
}
