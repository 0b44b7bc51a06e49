package io.ringmaster.service.submissions;

import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.problems.RequestErrors;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import org.springframework.stereotype.Component;

/** Reads small JSON bodies by the same rules as submissions: every unknown field is named. */
@Component
public class ObjectBodies {

  private final RequestBodies bodies;

  ObjectBodies(RequestBodies bodies) {
    this.bodies = bodies;
  }

  /**
   * The fields of the body.
   *
   * @param known the fields that are possible
   * @throws ProblemException for a body that cannot be read
   */
  public Fields read(HttpServletRequest request, List<String> known, RequestErrors errors)
      throws IOException, ServletException {
    return new Fields(bodies.read(request, known, errors).members(), "", errors).known(known);
  }
}
