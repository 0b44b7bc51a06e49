package io.ringmaster.service.submissions;

import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.problems.Quoting;
import io.ringmaster.service.problems.RequestError;
import io.ringmaster.service.problems.RequestError.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads JSON within limits that keep a hostile body from costing more than its bytes: depth, list
 * length and number length are bounded, and reading stops at the first excess.
 */
final class JsonReader {

  private static final int MOST_NESTED = 64;

  /** Longest list: a device list and one more, so that the device rule can speak. */
  private static final int MOST_ITEMS = DeviceLists.MOST_IDS + 1;

  private static final int MOST_DIGITS = 1000;
  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9_+.-]{2,40}");

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MOST_NESTED + 1) // ours comes first, and says where
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNumberLength(MOST_DIGITS)
                  .maxNameLength(MOST_DIGITS)
                  .build())
          .build();

  private final String text;
  private final String what;
  private final String root;
  private final int mostItems;
  private final JsonParser parser;
  private int depth;

  private JsonReader(String text, String what, String root, int mostItems, JsonParser parser) {
    this.text = text;
    this.what = what;
    this.root = root;
    this.mostItems = mostItems;
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
    return read(text, what, pointer, MOST_ITEMS);
  }

  /** The same, where lists may be of any length, as in a report. */
  static Json readAll(String text, String what) {
    return read(text, what, "", Integer.MAX_VALUE);
  }

  private static Json read(String text, String what, String pointer, int mostItems) {
    try (var parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      return new JsonReader(text, what, pointer, mostItems, parser).whole();
    }
  }

  private Json whole() {
    try {
      if (parser.nextToken() == null) {
        throw malformed(" is empty; it must be JSON.");
      }
      var value = value(root);
      if (parser.nextToken() != null) {
        throw goesOn(parser.currentTokenLocation());
      }
      return value;
    } catch (StreamConstraintsException e) {
      throw caused(
          malformed(
              " has a number or a name of more than %,d characters%s."
                  .formatted(MOST_DIGITS, place(parser.currentLocation()))),
          e);
    } catch (UnexpectedEndOfInputException e) {
      throw caused(ended(), e);
    } catch (JacksonException e) {
      throw caused(unexpected(e.getLocation()), e);
    }
  }

  private static ProblemException caused(ProblemException problem, Exception cause) {
    problem.initCause(cause);
    return problem;
  }

  private ProblemException malformed(String fault) {
    return ProblemException.of(
        ProblemCode.MALFORMED_BODY,
        new RequestError(RequestError.Where.BODY, root, Kind.BAD_VALUE, what + fault));
  }

  private ProblemException goesOn(TokenStreamLocation at) {
    return malformed(" goes on after the end of its JSON%s.".formatted(place(at)));
  }

  private ProblemException ended() {
    return malformed(
        " is not JSON: it ends at character %,d, before every bracket and quote is closed."
            .formatted(text.length()));
  }

  /** The parser's words are for who wrote the parser; what stands there says more. */
  private ProblemException unexpected(TokenStreamLocation location) {
    int at = Math.clamp(location.getCharOffset(), 0, text.length());
    if (text.substring(at).isBlank()) {
      return ended();
    }
    var word = WORD.matcher(text.substring(wordStart(at)));
    var piece =
        word.lookingAt() ? word.group() : text.substring(at, text.offsetByCodePoints(at, 1));
    return malformed(
        " is not JSON: %s cannot stand%s.%s"
            .formatted(Quoting.quote(piece), place(location), hint(piece)));
  }

  /** The parser stops somewhere in a word that it cannot read. */
  private int wordStart(int at) {
    int start = at;
    while (start > 0 && (Character.isLetterOrDigit(text.charAt(start - 1)) || at - start > 40)) {
      start--;
    }
    return start;
  }

  private static String hint(String piece) {
    return switch (piece) {
      case "NaN", "Infinity", "-Infinity" -> " JSON has no such number.";
      case "'" -> " Texts are in double quotes.";
      case "True", "False", "None" -> " JSON writes true, false, null.";
      default ->
          Character.isISOControl(piece.charAt(0))
              ? " In a text, line breaks and control characters are escaped, like \\n."
              : "";
    };
  }

  private static String place(TokenStreamLocation at) {
    return at == null || at.getLineNr() < 1
        ? ""
        : " at line %d, column %d".formatted(at.getLineNr(), at.getColumnNr());
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

  private void enter() {
    if (++depth > MOST_NESTED) {
      throw malformed(
          " is nested deeper than %d levels%s."
              .formatted(MOST_NESTED, place(parser.currentTokenLocation())));
    }
  }

  private Json members(String pointer) {
    enter();
    var values = new LinkedHashMap<String, Json>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      var name = parser.currentName();
      var place = place(parser.currentTokenLocation());
      var at = Pointers.child(pointer, name);
      parser.nextToken();
      if (values.put(name, value(at)) != null) {
        throw refused(
            at, Kind.DUPLICATE, Quoting.quote(name) + " is given twice, again" + place + ".");
      }
    }
    depth--;
    return new Json.Members(values);
  }

  private Json items(String pointer) {
    enter();
    List<Json> values = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      if (values.size() == mostItems) {
        throw refused(
            pointer,
            Kind.TOO_MANY,
            "The list at %s has more than %,d values; a device list holds at most %,d ids."
                .formatted(pointer, MOST_ITEMS - 1, MOST_ITEMS - 1));
      }
      values.add(value(Pointers.child(pointer, Integer.toString(values.size()))));
    }
    depth--;
    return new Json.Items(values);
  }

  private static ProblemException refused(String pointer, Kind kind, String message) {
    return ProblemException.of(
        ProblemCode.INVALID_REQUEST,
        new RequestError(RequestError.Where.BODY, pointer, kind, message));
  }
}
