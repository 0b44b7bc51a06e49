package io.ringmaster.service.submissions;

import io.ringmaster.service.problems.Nearest;
import io.ringmaster.service.problems.Quoting;
import io.ringmaster.service.problems.RequestError.Kind;
import io.ringmaster.service.problems.RequestErrors;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.Optional;

/**
 * Takes fields out of a JSON object; what is wrong with one is collected, and it counts as absent.
 */
public final class Fields {

  private final Json.Members members;
  private final String pointer;
  private final RequestErrors errors;

  /**
   * Reads the members of one object.
   *
   * @param pointer JSON pointer of the object; empty for the body
   */
  Fields(Json.Members members, String pointer, RequestErrors errors) {
    this.members = members;
    this.pointer = pointer;
    this.errors = errors;
  }

  /** Refuses every member that isn't one of these names. */
  Fields known(Collection<String> names) {
    for (var name : members.values().keySet()) {
      if (!names.contains(name)) {
        errors.body(
            at(name),
            Kind.UNKNOWN,
            "There is no field %s here. %s"
                .formatted(Quoting.quote(name), Nearest.hint(name, names)));
      }
    }
    return this;
  }

  /** JSON pointer of a member. */
  String at(String name) {
    return Pointers.child(pointer, name);
  }

  Optional<Json> value(String name) {
    return Optional.ofNullable(members.values().get(name));
  }

  /** A field without which nothing works. */
  Optional<Json> required(String name, String fix) {
    var value = value(name);
    if (value.isEmpty()) {
      errors.body(at(name), Kind.MISSING, name + " is missing. " + fix);
    }
    return value;
  }

  /** A text. */
  public Optional<String> text(String name) {
    return value(name).flatMap(value -> text(name, value));
  }

  Optional<String> text(String name, Json value) {
    if (value instanceof Json.Text(String text)) {
      return Optional.of(text);
    }
    errors.body(
        at(name), Kind.WRONG_TYPE, "%s must be a text, got %s.".formatted(name, value.described()));
    return Optional.empty();
  }

  /** A text for people; it may be empty, and have several lines. */
  public Optional<String> note(String name, int most) {
    var text = text(name);
    if (text.isPresent() && text.get().length() > most) {
      errors.body(
          at(name),
          Kind.TOO_LONG,
          "%s may have %,d characters, it has %,d.".formatted(name, most, text.get().length()));
    }
    text.flatMap(Names::storageFault)
        .ifPresent(fault -> errors.body(at(name), Kind.BAD_VALUE, name + " " + fault));
    return text;
  }

  /** A text without which nothing works. */
  public Optional<String> requiredText(String name, String fix) {
    return required(name, fix).flatMap(value -> text(name, value));
  }

  /** A name that people will see in one line: not empty, not too long, no control characters. */
  Optional<String> name(String name, int most) {
    var text = text(name);
    if (text.isPresent() && text.get().isBlank()) {
      errors.body(at(name), Kind.BAD_VALUE, name + " must not be empty; leave it out instead.");
      return Optional.empty();
    }
    var fault = text.flatMap(some -> Names.fault(some, most));
    fault.ifPresent(
        some ->
            errors.body(
                at(name),
                some.startsWith("may have") ? Kind.TOO_LONG : Kind.BAD_VALUE,
                name + " " + some));
    return fault.isPresent() ? Optional.empty() : text;
  }

  /** A whole number in a range; 1e3 is one, 1.5 and "1" aren't. */
  Optional<Long> number(String name, long least, long most) {
    return value(name).flatMap(value -> number(name, value, least, most));
  }

  private Optional<Long> number(String name, Json value, long least, long most) {
    var whole =
        value instanceof Json.Numeral number ? whole(number.text()) : Optional.<Long>empty();
    if (whole.filter(number -> number >= least && number <= most).isPresent()) {
      return whole;
    }
    errors.body(
        at(name),
        value instanceof Json.Numeral ? Kind.OUT_OF_RANGE : Kind.WRONG_TYPE,
        "%s must be a whole number from %d to %d, got %s."
            .formatted(at(name).substring(1).replace('/', '.'), least, most, value.described()));
    return Optional.empty();
  }

  /** True or false. */
  public Optional<Boolean> flag(String name) {
    var value = value(name);
    if (value.isEmpty() || value.get() instanceof Json.Flag) {
      return value.map(some -> ((Json.Flag) some).value());
    }
    errors.body(
        at(name),
        Kind.WRONG_TYPE,
        "%s must be true or false, got %s.".formatted(name, value.get().described()));
    return Optional.empty();
  }

  /** A finite number. */
  public Optional<Double> decimal(String name) {
    var value = value(name);
    var number =
        value
            .filter(Json.Numeral.class::isInstance)
            .map(some -> Double.parseDouble(((Json.Numeral) some).text()))
            .filter(Double::isFinite);
    if (value.isPresent() && number.isEmpty()) {
      errors.body(
          at(name),
          value.get() instanceof Json.Numeral ? Kind.OUT_OF_RANGE : Kind.WRONG_TYPE,
          "%s must be a finite number, got %s.".formatted(name, value.get().described()));
    }
    return number;
  }

  /** The value of a numeral, if it is whole and fits. */
  static Optional<Long> whole(String numeral) {
    var value = new BigDecimal(numeral);
    // Beyond this scale a short text would stand for millions of digits.
    if (value.signum() != 0 && (value.scale() < -20 || value.scale() > 400)) {
      return Optional.empty();
    }
    try {
      return Optional.of(value.longValueExact());
    } catch (ArithmeticException e) {
      return Optional.empty(); // a fraction, or beyond 64 bits
    }
  }
}
