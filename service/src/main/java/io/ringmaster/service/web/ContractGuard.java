package io.ringmaster.service.web;

import io.ringmaster.service.problems.Nearest;
import io.ringmaster.service.problems.PathFault;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.problems.Quoting;
import io.ringmaster.service.problems.RequestError.Kind;
import io.ringmaster.service.problems.RequestErrors;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Refuses parameters that the contract doesn't know or doesn't allow, before any controller sees
 * them: a misspelt filter would otherwise select everything, silently.
 */
@Component
class ContractGuard implements HandlerInterceptor {

  private final Contract contract;

  ContractGuard(Contract contract) {
    this.contract = contract;
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    PathFault.of(request.getRequestURI())
        .ifPresent(
            fault -> {
              throw new ProblemException(ProblemCode.INVALID_REQUEST, fault);
            });
    var path = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
    contract
        .parameters(request.getMethod(), String.valueOf(path))
        .ifPresent(known -> check(request, known));
    return true;
  }

  private static void check(HttpServletRequest request, List<Parameter> known) {
    var errors = new RequestErrors();
    checkPath(request, known);
    checkQuery(query(request), known, errors);
    for (var parameter : known) {
      var value = parameter.in().equals("header") ? request.getHeader(parameter.name()) : null;
      if (value != null) {
        headerFault(parameter, value)
            .ifPresent(fault -> errors.header(parameter.name(), Kind.BAD_VALUE, fault));
      }
    }
    errors.throwIfAny();
  }

  /** A header's bytes come as characters of Latin-1, whatever the client meant. */
  private static Optional<String> headerFault(Parameter parameter, String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (Character.isISOControl(c) && c != '\t') {
        return Optional.of(
            "The header %s has the byte 0x%02X at character %d. Headers hold visible ASCII characters."
                .formatted(parameter.name(), (int) c, i + 1));
      }
    }
    return parameter.faultOf(value);
  }

  /** An id that cannot exist is not found, rather than invalid: so says the contract. */
  private static void checkPath(HttpServletRequest request, List<Parameter> known) {
    var values =
        Contract.map(request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE));
    for (var parameter : known) {
      var value = String.valueOf(values.get(parameter.name()));
      if (parameter.in().equals("path") && parameter.faultOf(value).isPresent()) {
        throw ProblemException.notFound(
            "%s cannot be a %s. Give %s"
                .formatted(
                    Quoting.quote(value),
                    parameter.name(),
                    Character.toLowerCase(parameter.description().charAt(0))
                        + parameter.description().substring(1).strip()));
      }
    }
  }

  private static void checkQuery(
      Map<String, List<String>> query, List<Parameter> known, RequestErrors errors) {
    var byName = new LinkedHashMap<String, Parameter>();
    known.stream().filter(p -> p.in().equals("query")).forEach(p -> byName.put(p.name(), p));
    byName
        .values()
        .forEach(
            parameter -> {
              if (parameter.required() && !query.containsKey(parameter.name())) {
                errors.parameter(
                    parameter.name(),
                    Kind.MISSING,
                    "The parameter %s is missing. %s"
                        .formatted(parameter.name(), parameter.description()));
              }
            });
    query.forEach(
        (name, values) -> {
          var parameter = byName.get(name);
          if (parameter == null) {
            errors.parameter(
                name,
                Kind.UNKNOWN,
                "There is no parameter %s here. %s"
                    .formatted(Quoting.quote(name), Nearest.hint(name, byName.keySet())));
            return;
          }
          if (values.size() > 1 && !parameter.repeatable()) {
            errors.parameter(name, Kind.DUPLICATE, name + " may be given only once.");
          }
          for (var value : values) {
            parameter
                .faultOf(value)
                .ifPresent(fault -> errors.parameter(name, Kind.BAD_VALUE, fault));
          }
        });
  }

  /** The query alone: the servlet's parameters would mix in the fields of a form. */
  private static Map<String, List<String>> query(HttpServletRequest request) {
    var found = new LinkedHashMap<String, List<String>>();
    var text = request.getQueryString();
    if (text == null || text.isEmpty()) {
      return found;
    }
    for (var pair : text.split("&", -1)) {
      if (!pair.isEmpty()) {
        int equals = pair.indexOf('=');
        var name = equals < 0 ? pair : pair.substring(0, equals);
        var value = equals < 0 ? "" : pair.substring(equals + 1);
        found.computeIfAbsent(decode(name), _ -> new ArrayList<>()).add(decode(value));
      }
    }
    return found;
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text; // a lone percent sign; it fits no rule and is refused as it is
    }
  }
}
