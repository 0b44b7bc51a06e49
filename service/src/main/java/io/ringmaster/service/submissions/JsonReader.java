package io.ringmaster.service.submissions;

import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.problems.RequestError;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads JSON within limits that keep a hostile body from costing more than its bytes: depth, list
 * length and number length are bounded, and reading stops at the first excess.
 */
final class JsonReader {

  private static final int MOST_NESTED = 64;

  /** Longest list: a device list and one more, so that the device rule can speak. */
  private static final int MOST_ITEMS = 65_537;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MOST_NESTED)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNumberLength(400)
                  .maxNameLength(1000)
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private final JsonParser parser;

  private JsonReader(JsonParser parser) {
    this.parser = parser;
  }

  /**
   * Reads a text that is one JSON value.
   *
   * @param what for messages: "The body", "The field devices"
   * @param pointer JSON pointer of the text itself
   * @throws ProblemException MALFORMED_BODY with line and column, or INVALID_REQUEST for a limit
   */
  static Json read(String text, String what, String pointer) {
    try (var parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      if (parser.nextToken() == null) {
        throw malformed(what + " is empty; it must be JSON.");
      }
      var value = new JsonReader(parser).value(pointer);
      if (parser.nextToken() != null) {
        throw malformed(what + " goes on after the end of its JSON" + place(parser) + ".");
      }
      return value;
    } catch (StreamConstraintsException e) {
      var problem =
          malformed(
              what
                  + " is nested deeper than "
                  + MOST_NESTED
                  + " levels, or holds a number or name that is far too long.");
      problem.initCause(e);
      throw problem;
    } catch (JacksonException e) {
      var location = e.getLocation();
      var problem =
          malformed(
              "%s is not JSON: %s (line %d, column %d)."
                  .formatted(
                      what,
                      firstLine(e.getOriginalMessage()),
                      location == null ? 1 : location.getLineNr(),
                      location == null ? 1 : location.getColumnNr()));
      problem.initCause(e);
      throw problem;
    }
  }

  private static String firstLine(String message) {
    int end = message.indexOf('\n');
    var line = end < 0 ? message : message.substring(0, end);
    return line.length() <= 200 ? line : line.substring(0, 200) + "…";
  }

  private static String place(JsonParser parser) {
    var location = parser.currentTokenLocation();
    return " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")";
  }

  private static ProblemException malformed(String detail) {
    return new ProblemException(ProblemCode.MALFORMED_BODY, detail);
  }

  private Json value(String pointer) {
    return switch (parser.currentToken()) {
      case START_OBJECT -> members(pointer);
      case START_ARRAY -> items(pointer);
      case VALUE_STRING -> new Json.Text(parser.getString());
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Json.Numeral(parser.getString());
      case VALUE_TRUE -> new Json.Flag(true);
      case VALUE_FALSE -> new Json.Flag(false);
      case VALUE_NULL -> new Json.Nothing();
      case NOT_AVAILABLE, END_OBJECT, END_ARRAY, PROPERTY_NAME, VALUE_EMBEDDED_OBJECT ->
          throw new IllegalStateException("The parser never stops here.");
    };
  }

  private Json members(String pointer) {
    var values = new LinkedHashMap<String, Json>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      var name = parser.currentName();
      parser.nextToken();
      values.put(name, value(pointer + "/" + name));
    }
    return new Json.Members(values);
  }

  private Json items(String pointer) {
    List<Json> values = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      if (values.size() == MOST_ITEMS) {
        throw ProblemException.of(
            ProblemCode.INVALID_REQUEST,
            new RequestError(
                RequestError.Where.BODY,
                pointer,
                RequestError.Kind.TOO_MANY,
                "The list at %s has more than %,d values; a device list holds at most %,d ids."
                    .formatted(pointer, MOST_ITEMS - 1, MOST_ITEMS - 1)));
      }
      values.add(value(pointer + "/" + values.size()));
    }
    return new Json.Items(values);
  }
}
