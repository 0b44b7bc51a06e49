package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;

/** Python's {@code "..." % values}. */
final class Percent {

  private final String text;
  private final List<Value> values;
  private final Optional<DictValue> named;
  private final Interp interp;
  private int at;
  private int used;

  private Percent(String text, Value values, Interp interp) {
    this.text = text;
    this.values = values instanceof TupleValue tuple ? tuple.items() : List.of(values);
    this.named = values instanceof DictValue dict ? Optional.of(dict) : Optional.empty();
    this.interp = interp;
  }

  static String format(String text, Value values, Interp interp) {
    return new Percent(text, values, interp).run();
  }

  private String run() {
    StringBuilder out = new StringBuilder();
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c != '%') {
        out.append(c);
      } else {
        out.append(field());
        interp.session().budget().step();
        interp.session().budget().room(out.length());
      }
    }
    if (used < values.size() && named.isEmpty()) {
      throw Errors.type("not all arguments converted during string formatting");
    }
    interp.session().budget().text(out.length());
    return out.toString();
  }

  private String field() {
    Optional<Value> value = Optional.empty();
    if (at < text.length() && text.charAt(at) == '(') {
      int end = text.indexOf(')', at);
      if (end < 0 || named.isEmpty()) {
        throw Errors.type("format requires a mapping");
      }
      String key = text.substring(at + 1, end);
      value = named.get().get(Value.of(key));
      if (value.isEmpty()) {
        throw Errors.of(io.ringmaster.worker.script.value.Exceptions.KEY_ERROR, key);
      }
      at = end + 1;
    }
    int start = at;
    while (at < text.length() && "#0- +".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String flags = text.substring(start, at);
    start = at;
    while (at < text.length() && (Character.isDigit(text.charAt(at)) || text.charAt(at) == '.')) {
      at++;
    }
    String size = text.substring(start, at);
    if (at >= text.length()) {
      throw Errors.value("incomplete format");
    }
    char type = text.charAt(at++);
    if (type == '%') {
      return "%";
    }
    return convert(flags, size, type, value.orElseGet(this::next));
  }

  private Value next() {
    if (used >= values.size()) {
      throw Errors.type("not enough arguments for format string");
    }
    return values.get(used++);
  }

  private String convert(String flags, String size, char type, Value value) {
    Budget budget = interp.session().budget();
    String align = flags.indexOf('-') >= 0 ? "<" : ">";
    String sign = flags.indexOf('+') >= 0 ? "+" : flags.indexOf(' ') >= 0 ? " " : "";
    String zero = flags.indexOf('0') >= 0 && align.equals(">") ? "0" : "";
    String alternate = flags.indexOf('#') >= 0 ? "#" : "";
    String shape =
        zero.isEmpty() ? align + sign + alternate + size : sign + alternate + zero + size;
    return switch (type) {
      case 's' -> FormatSpec.format(Value.of(interp.str(value)), align + size, budget);
      case 'r', 'a' -> FormatSpec.format(Value.of(interp.repr(value)), align + size, budget);
      case 'd', 'i', 'u' -> FormatSpec.format(whole(value, type), shape + "d", budget);
      case 'x', 'X', 'o' -> FormatSpec.format(whole(value, type), shape + type, budget);
      case 'e', 'E', 'f', 'F', 'g', 'G' -> FormatSpec.format(number(value), shape + type, budget);
      case 'c' ->
          value instanceof Value.Str text ? text.value() : FormatSpec.format(value, "c", budget);
      default ->
          throw Errors.value("unsupported format character '" + type + "' at index " + (at - 1));
    };
  }

  private Value whole(Value value, char type) {
    if (value instanceof Value.Float number && Double.isFinite(number.value())) {
      return new Value.Int(new BigDecimal(number.value()).toBigInteger());
    }
    Optional<BigInteger> whole = Numbers.whole(value);
    if (whole.isEmpty()) {
      throw Errors.type(
          "%" + type + " format: a real number is required, not " + Types.nameOf(value));
    }
    return new Value.Int(whole.get());
  }

  private Value number(Value value) {
    if (value instanceof io.ringmaster.worker.script.value.NativeObject object
        && object.asNumber().isPresent()) {
      return Value.of(object.asNumber().get());
    }
    if (!Numbers.isNumber(value)) {
      throw Errors.type("must be real number, not " + Types.nameOf(value));
    }
    return Value.of(Numbers.real(value));
  }
}
