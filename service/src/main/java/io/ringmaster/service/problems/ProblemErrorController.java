package io.ringmaster.service.problems;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Problems for what never reached a controller: filters and the servlet container. */
@RestController
class ProblemErrorController implements ErrorController {

  /** Request attribute with a problem that is known better than its status tells. */
  static final String PROBLEM = ProblemErrorController.class.getName() + ".problem";

  /** Whoever refused this said no more than a status. */
  private static ProblemException bare(
      ProblemCode code, HttpServletRequest request, @Nullable Object path) {
    var detail = code.title() + ". The contract is at /openapi.yaml.";
    if (code == ProblemCode.METHOD_NOT_ALLOWED) {
      detail =
          method(request)
              + " is not possible here. Use GET, POST, PUT, PATCH or DELETE, as the contract at"
              + " /openapi.yaml says.";
    } else if (code == ProblemCode.INVALID_REQUEST) {
      detail = PathFault.of(String.valueOf(path)).orElse(detail);
    }
    return new ProblemException(code, detail);
  }

  /** The request itself has become a GET on its way here. */
  private static String method(HttpServletRequest request) {
    return request.getAttribute(RequestDispatcher.ERROR_METHOD) instanceof String method
        ? Quoting.shortened(method)
        : request.getMethod();
  }

  @RequestMapping("${server.error.path:${error.path:/error}}")
  ResponseEntity<Object> error(HttpServletRequest request) {
    int status =
        request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer code
            ? code
            : 404;
    var path = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
    var problem =
        request.getAttribute(PROBLEM) instanceof ProblemException known
            ? known
            : bare(ProblemCode.ofStatus(status), request, path);
    return ProblemReplies.reply(
        problem, path == null ? request.getRequestURI() : path.toString(), HttpHeaders.EMPTY);
  }
}
