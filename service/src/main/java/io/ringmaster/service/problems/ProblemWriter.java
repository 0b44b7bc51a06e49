package io.ringmaster.service.problems;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Answers with problems where no controller does: in filters. */
@Component
public class ProblemWriter {

  private final JsonMapper json;

  ProblemWriter(JsonMapper json) {
    this.json = json;
  }

  public void write(
      ProblemException problem, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    response.setStatus(problem.code().status());
    response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
    problem
        .retryAfterSeconds()
        .ifPresent(seconds -> response.setHeader(HttpHeaders.RETRY_AFTER, Long.toString(seconds)));
    var body = json.writeValueAsString(ProblemReplies.body(problem, request.getRequestURI()));
    response.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
  }
}
