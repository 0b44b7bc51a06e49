package io.ringmaster.service.problems;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.MediaType;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes problems for requests that the container refuses before any filter sees them: a first line
 * or a header it cannot read, a path it cannot decode.
 */
final class ProblemValve extends ErrorReportValve {

  private static final Logger LOG = LoggerFactory.getLogger(ProblemValve.class);
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
    var problem = UnreadableRequest.problem(request, status, cause);
    var path = Objects.requireNonNullElse(request.getRequestURI(), "/");
    try {
      response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
      response.setCharacterEncoding(StandardCharsets.UTF_8);
      response.setStatus(problem.code().status());
      var writer = response.getReporter();
      if (writer != null) {
        writer.write(JSON.writeValueAsString(ProblemReplies.body(problem, path)));
        response.finishResponse();
      }
    } catch (IOException e) {
      LOG.debug("The client is gone before its problem was written", e);
    }
  }
}
