package io.ringmaster.service.problems;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
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

  @RequestMapping("${server.error.path:${error.path:/error}}")
  ResponseEntity<Object> error(HttpServletRequest request) {
    int status =
        request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer code
            ? code
            : 404;
    var path = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
    var code = ProblemCode.ofStatus(status);
    var problem =
        request.getAttribute(PROBLEM) instanceof ProblemException known
            ? known
            : new ProblemException(code, code.title() + ". The contract is at /openapi.yaml.");
    return ProblemReplies.reply(
        problem, path == null ? request.getRequestURI() : path.toString(), HttpHeaders.EMPTY);
  }
}
