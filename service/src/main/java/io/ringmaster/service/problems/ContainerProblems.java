package io.ringmaster.service.problems;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Problems for requests that the container refuses before any filter sees them: a path it can't
 * read.
 */
@Component
@Order(Ordered.LOWEST_PRECEDENCE)
class ContainerProblems implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

  private static final Logger LOG = LoggerFactory.getLogger(ContainerProblems.class);

  @Override
  public void customize(TomcatServletWebServerFactory factory) {
    factory.addContextCustomizers(
        context -> context.getParent().getPipeline().addValve(new ProblemValve()));
  }

  private static final class ProblemValve extends ErrorReportValve {

    private static final JsonMapper JSON =
        JsonMapper.builder()
            .changeDefaultPropertyInclusion(
                all -> all.withValueInclusion(JsonInclude.Include.NON_NULL))
            .build();

    @Override
    protected void report(Request request, Response response, @Nullable Throwable cause) {
      int status = response.getStatus();
      if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
        return;
      }
      var code = status < 500 ? ProblemCode.INVALID_REQUEST : ProblemCode.INTERNAL;
      var problem =
          new ProblemException(
              code, "The server cannot read this request; check its path and headers.");
      try {
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.setCharacterEncoding(StandardCharsets.UTF_8);
        response.setStatus(code.status());
        var writer = response.getReporter();
        if (writer != null) {
          writer.write(
              JSON.writeValueAsString(ProblemReplies.body(problem, request.getRequestURI())));
          response.finishResponse();
        }
      } catch (IOException e) {
        LOG.debug("The client is gone before its problem was written", e);
      }
    }
  }
}
