package io.ringmaster.service.submissions;

import io.ringmaster.service.jobs.DeviceRequest;
import io.ringmaster.service.problems.Nearest;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.problems.Quoting;
import io.ringmaster.service.problems.RequestError.Kind;
import io.ringmaster.service.problems.RequestErrors;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** Brings a form into the shape of the JSON submission, so that one set of rules judges both. */
final class FormBody {

  private static final String SCRIPT = "script";
  private static final String LIMITS = "limits.";
  private static final List<String> NUMBERS = List.of("seed", "schedules", "scheduleSeed");

  /** Quotes hold together what has spaces. */
  private static final Pattern WORD = Pattern.compile("(?:\"[^\"]*\"|'[^']*'|\\S)+");

  private final RequestErrors errors;
  private final LinkedHashMap<String, Json> members = new LinkedHashMap<>();
  private final LinkedHashMap<String, Json> limits = new LinkedHashMap<>();

  private FormBody(RequestErrors errors) {
    this.errors = errors;
  }

  static RequestBodies.Body read(
      HttpServletRequest request, List<String> known, RequestErrors errors, long maxScript)
      throws IOException, ServletException {
    Optional<byte[]> script = Optional.empty();
    Optional<String> fileName = Optional.empty();
    Map<String, List<String>> texts = new LinkedHashMap<>();
    var parts = request.getParts();
    if (parts.isEmpty()) {
      throw new ProblemException(
          ProblemCode.MALFORMED_BODY,
          "The form has no fields: the boundary that its Content-Type names occurs nowhere in it,"
              + " or no part has a name. Let the client make the Content-Type, as curl -F does.");
    }
    for (Part part : parts) {
      if (part.getName().equals(SCRIPT)) {
        if (part.getSize() > maxScript) {
          throw RequestBodies.tooLarge("The script", OptionalLong.of(part.getSize()), maxScript);
        }
        if (script.isPresent()) {
          errors.body("/script", Kind.DUPLICATE, "script is given twice; a job has one.");
        }
        script = Optional.of(part.getInputStream().readAllBytes());
        fileName = Optional.ofNullable(part.getSubmittedFileName());
      } else {
        var text = Utf8.decode(part.getInputStream().readAllBytes(), "The field " + part.getName());
        texts.computeIfAbsent(part.getName(), _ -> new ArrayList<>()).add(text);
      }
    }
    var form = new FormBody(errors);
    texts.forEach((name, values) -> form.field(name, values, known));
    if (!form.limits.isEmpty()) {
      form.members.put("limits", new Json.Members(form.limits));
    }
    return new RequestBodies.Body(new Json.Members(form.members), script, fileName);
  }

  private void field(String name, List<String> values, List<String> known) {
    if (name.equals("arguments") && known.contains(name)) {
      members.put(name, arguments(values));
    } else if (name.equals("labels") && known.contains(name)) {
      members.put(name, labels(values));
    } else if (name.equals("conditions") && known.contains(name)) {
      members.put(name, texts(values, name));
    } else if (values.size() > 1) {
      errors.body("/" + name, Kind.DUPLICATE, name + " may be given only once.");
      // The first one stands in for both, so that it isn't said to be missing as well.
      field(name, values.subList(0, 1), known);
    } else if (name.startsWith(LIMITS) && known.contains("limits")) {
      limits.put(name.substring(LIMITS.length()), scalar(values.getFirst().strip()));
    } else if (!known.contains(name) || name.equals("limits")) {
      refuseUnknown(name, known);
    } else if (name.equals("devices")) {
      members.put(name, devices(values.getFirst().strip()));
    } else if (name.equals("declaration")) {
      members.put(
          name, JsonReader.read(values.getFirst(), "The field declaration", "/declaration"));
    } else if (name.equals("argumentSets")) {
      members.put(
          name, JsonReader.read(values.getFirst(), "The field argumentSets", "/argumentSets"));
    } else if (name.equals("platforms")) {
      members.put(name, texts(List.of(values.getFirst().split(",", -1)), name));
    } else if (NUMBERS.contains(name)) {
      members.put(name, scalar(values.getFirst().strip()));
    } else if (name.equals("cacheLines") && values.getFirst().strip().matches("true|false")) {
      members.put(name, new Json.Flag(Boolean.parseBoolean(values.getFirst().strip())));
    } else {
      members.put(name, new Json.Text(values.getFirst()));
    }
  }

  /** The field once for each text, or once with a JSON list. */
  private static Json texts(List<String> values, String name) {
    return values.getFirst().stripLeading().startsWith("[")
        ? JsonReader.read(String.join(",", values), "The field " + name, "/" + name)
        : new Json.Items(values.stream().map(text -> (Json) new Json.Text(text.strip())).toList());
  }

  private void refuseUnknown(String name, List<String> known) {
    var names = new ArrayList<>(known);
    if (names.remove("limits")) {
      SubmissionReader.LIMITS.forEach(limit -> names.add(LIMITS + limit));
    }
    errors.body(
        "/" + name,
        Kind.UNKNOWN,
        "There is no field %s here. %s".formatted(Quoting.quote(name), Nearest.hint(name, names)));
  }

  /** {@code 0,1,2,3}, {@code auto:4}, or JSON. */
  private static Json devices(String text) {
    if (text.startsWith("[")) {
      return JsonReader.read(text, "The field devices", "/devices");
    }
    if (text.isEmpty()) {
      return new Json.Items(List.of());
    }
    if (text.startsWith(DeviceRequest.AUTO)) {
      return new Json.Text(text);
    }
    var ids = new ArrayList<Json>();
    int start = 0;
    while (start <= text.length() && ids.size() <= DeviceLists.MOST_IDS) {
      int comma = text.indexOf(',', start);
      int end = comma < 0 ? text.length() : comma;
      ids.add(scalar(text.substring(start, end).strip()));
      start = end + 1;
    }
    return new Json.Items(ids);
  }

  /**
   * The field once for each argument, or once with a JSON list, or once with options as a command
   * line has them: {@code --mode hand -k "a or b"}.
   */
  private static Json arguments(List<String> values) {
    if (values.size() == 1 && values.getFirst().stripLeading().startsWith("[")) {
      return JsonReader.read(values.getFirst(), "The field arguments", "/arguments");
    }
    if (values.size() == 1 && values.getFirst().stripLeading().startsWith("-")) {
      return new Json.Items(
          WORD.matcher(values.getFirst())
              .results()
              .map(word -> (Json) new Json.Text(word.group().replaceAll("[\"']", "")))
              .toList());
    }
    return new Json.Items(values.stream().map(value -> (Json) new Json.Text(value)).toList());
  }

  /** The field once for each label, as {@code key:value}, or once with a JSON object. */
  private Json labels(List<String> values) {
    if (values.size() == 1 && values.getFirst().stripLeading().startsWith("{")) {
      return JsonReader.read(values.getFirst(), "The field labels", "/labels");
    }
    var labels = new LinkedHashMap<String, Json>();
    for (var value : values) {
      int colon = value.indexOf(':');
      if (colon <= 0) {
        errors.body(
            "/labels",
            Kind.BAD_VALUE,
            "A label is written key:value, got %s.".formatted(Quoting.quote(value)));
      } else if (labels.put(value.substring(0, colon), new Json.Text(value.substring(colon + 1)))
          != null) {
        errors.body(
            "/labels",
            Kind.DUPLICATE,
            "The label %s is given twice.".formatted(Quoting.quote(value.substring(0, colon))));
      }
    }
    return new Json.Members(labels);
  }

  /** A number if it is one; the rules say what they want where it isn't. */
  private static Json scalar(String text) {
    return text.matches("-?(0|[1-9][0-9]{0,300})(\\.[0-9]{1,300})?([eE][+-]?[0-9]{1,9})?")
        ? new Json.Numeral(text)
        : new Json.Text(text);
  }
}
