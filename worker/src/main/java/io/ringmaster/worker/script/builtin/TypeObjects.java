package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.SetValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The built-in types: int, float, bool, str, list, tuple, dict, set, frozenset, range, slice. */
final class TypeObjects {

  /** Python's own limit for reading and writing integers in decimal. */
  private static final int MAX_DIGITS = 4300;

  /** More digits than any double has. */
  private static final int MAX_FLOAT_CHARACTERS = 10_000;

  private static final Map<String, Value> ALL = new LinkedHashMap<>();

  static {
    add(TypeObject.of("bool", "x=", TypeObjects::toBool, v -> v instanceof Value.Bool));
    add(TypeObject.of("int", "x=, base=", TypeObjects::toInt, v -> Numbers.whole(v).isPresent()));
    add(TypeObject.of("float", "x=", TypeObjects::toFloat, v -> v instanceof Value.Float));
    add(
        TypeObject.of("str", "object=", TypeObjects::toStr, TypeObjects::isText)
            .with(name -> StrMethods.TABLE.unbound(name, v -> Convert.string(v, "str method"))));
    add(TypeObject.of("list", "iterable=", TypeObjects::toList, v -> v instanceof ListValue));
    add(TypeObject.of("tuple", "iterable=", TypeObjects::toTuple, v -> v instanceof TupleValue));
    add(
        TypeObject.of(
                "dict", "iterable=, **named", TypeObjects::toDict, v -> v instanceof DictValue)
            .with(TypeObjects::dictMember));
    add(TypeObject.of("set", "iterable=", (a, c) -> toSet(a, c, false), v -> isSet(v, false)));
    add(TypeObject.of("frozenset", "iterable=", (a, c) -> toSet(a, c, true), v -> isSet(v, true)));
    add(
        TypeObject.of(
            "range", "start, stop=, step=", TypeObjects::toRange, v -> v instanceof Value.Range));
    add(
        TypeObject.of(
            "slice", "start, stop=, step=", TypeObjects::toSlice, v -> v instanceof Value.Slice));
    add(
        TypeObject.of(
            "type",
            "object",
            TypeObjects::typeOf,
            v -> v instanceof ClassValue || v instanceof TypeObject));
    add(
        TypeObject.of(
            "object",
            "",
            (a, c) -> new InstanceValue(new ClassValue("object", List.of(), Map.of(), List.of())),
            v -> true));
  }

  private TypeObjects() {}

  private static void add(TypeObject type) {
    ALL.put(type.name(), type);
  }

  static Map<String, Value> all() {
    return ALL;
  }

  private static Optional<Value> dictMember(String name) {
    return name.equals("fromkeys")
        ? Optional.of(
            io.ringmaster.worker.script.value.NativeFunction.of(
                "fromkeys",
                "iterable, value=",
                (a, c) -> {
                  DictValue dict = new DictValue();
                  Value value = a.find("value").orElse(Value.NONE);
                  Iteration.toList(a.get("iterable"), c.interp()).forEach(k -> dict.put(k, value));
                  return dict;
                }))
        : Optional.empty();
  }

  private static boolean isText(Value value) {
    return value instanceof Value.Str
        || (value instanceof InstanceValue member
            && member.countsAs().filter(Value.Str.class::isInstance).isPresent());
  }

  private static boolean isSet(Value value, boolean frozen) {
    return value instanceof SetValue set && set.frozen() == frozen;
  }

  private static Value toBool(Bound a, Call call) {
    return a.find("x").isEmpty() ? Value.FALSE : Operators.truthValue(a.get("x"), call.interp());
  }

  private static Value toInt(Bound a, Call call) {
    if (a.find("x").isEmpty()) {
      return Value.of(0);
    }
    Value value = a.get("x");
    if (value instanceof Value.Str text) {
      int base = Math.clamp(a.integer("base", 10), 0, 36);
      return new Value.Int(parse(text.value(), base));
    }
    if (a.has("base")) {
      throw Errors.type("int() can't convert non-string with explicit base");
    }
    if (value instanceof Value.Float number) {
      return new Value.Int(truncated(number.value()), number.origin().reworked());
    }
    Optional<BigInteger> whole = Numbers.whole(value);
    if (whole.isPresent()) {
      return new Value.Int(whole.get(), Numbers.origin(value));
    }
    if (value instanceof NativeObject object) {
      Optional<Value> number = object.scalar(call.interp());
      if (number.isPresent()) {
        return toInt(new Bound("int", Map.of("x", number.get()), List.of(), Map.of()), call);
      }
    }
    Optional<Value> own = converted(value, "__int__", call);
    if (own.isPresent()) {
      return own.get();
    }
    throw Errors.type(
        "int() argument must be a string, a bytes-like object or a real number, not '"
            + Types.nameOf(value)
            + "'");
  }

  private static Optional<Value> converted(Value value, String method, Call call) {
    return value instanceof InstanceValue object && object.type().member(method).isPresent()
        ? Optional.of(
            call.interp()
                .call(
                    Attributes.bound(
                        object.type().member(method).get(),
                        object,
                        object.type(),
                        call.interp(),
                        call.span()),
                    Arguments.of(),
                    call.span()))
        : Optional.empty();
  }

  /** The whole part of a double. */
  static BigInteger truncated(double value) {
    if (Double.isNaN(value)) {
      throw Errors.value("cannot convert float NaN to integer");
    }
    if (Double.isInfinite(value)) {
      throw Errors.overflow("cannot convert float infinity to integer");
    }
    return new BigDecimal(value).toBigInteger();
  }

  private static BigInteger parse(String text, int givenBase) {
    if (text.length() > 2 * MAX_DIGITS) {
      throw tooManyDigits();
    }
    String body = text.strip().replaceAll("(?<=[0-9a-zA-Z])_(?=[0-9a-zA-Z])", "");
    boolean negative = body.startsWith("-");
    String digits = negative || body.startsWith("+") ? body.substring(1) : body;
    int base = givenBase;
    String lower = digits.toLowerCase(Locale.ROOT);
    int prefixed =
        lower.startsWith("0x") ? 16 : lower.startsWith("0o") ? 8 : lower.startsWith("0b") ? 2 : 0;
    if (prefixed > 0 && (base == 0 || base == prefixed)) {
      base = prefixed;
      digits = digits.substring(2);
    }
    base = base == 0 ? 10 : base;
    if (digits.length() > MAX_DIGITS) {
      throw tooManyDigits();
    }
    int radix = base;
    if (digits.isEmpty() || !digits.chars().allMatch(c -> Character.digit(c, radix) >= 0)) {
      throw Errors.value(
          "invalid literal for int() with base " + radix + ": " + Texts.quoted(text));
    }
    BigInteger value = new BigInteger(digits, radix);
    return negative ? value.negate() : value;
  }

  private static RuntimeException tooManyDigits() {
    return Errors.value(
        "Exceeds the limit (" + MAX_DIGITS + " digits) for integer string conversion");
  }

  private static Value toFloat(Bound a, Call call) {
    if (a.find("x").isEmpty()) {
      return Value.of(0.0);
    }
    Value value = a.get("x");
    if (value instanceof Value.Str text) {
      return Value.of(parseFloat(text.value()));
    }
    if (Numbers.isNumber(value)) {
      return new Value.Float(Numbers.real(value), Numbers.origin(value));
    }
    if (value instanceof NativeObject object) {
      Optional<Value> number = object.scalar(call.interp());
      if (number.isPresent()) {
        return toFloat(new Bound("float", Map.of("x", number.get()), List.of(), Map.of()), call);
      }
    }
    Optional<Value> own = converted(value, "__float__", call);
    if (own.isPresent()) {
      return own.get();
    }
    throw Errors.type(
        "float() argument must be a string or a real number, not '" + Types.nameOf(value) + "'");
  }

  private static double parseFloat(String text) {
    if (text.length() > MAX_FLOAT_CHARACTERS) {
      throw Errors.value(
          "float() reads at most "
              + MAX_FLOAT_CHARACTERS
              + " characters, which is the limit, not "
              + text.length());
    }
    String body = text.strip().toLowerCase(Locale.ROOT);
    String unsigned = body.startsWith("-") || body.startsWith("+") ? body.substring(1) : body;
    double sign = body.startsWith("-") ? -1 : 1;
    if (unsigned.equals("inf") || unsigned.equals("infinity")) {
      return sign * Double.POSITIVE_INFINITY;
    }
    if (unsigned.equals("nan")) {
      return Double.NaN;
    }
    if (!unsigned.matches("(\\d[\\d_]*+)?+\\.?+(\\d[\\d_]*+)?+(e[+-]?+\\d++)?+")
        || unsigned.chars().noneMatch(Character::isDigit)
        || unsigned.startsWith("e")
        || unsigned.startsWith(".e")) {
      throw Errors.value("could not convert string to float: " + Texts.quoted(text));
    }
    return sign * Double.parseDouble(unsigned.replace("_", ""));
  }

  private static Value toStr(Bound a, Call call) {
    return Value.of(a.find("object").isEmpty() ? "" : call.interp().str(a.get("object")));
  }

  private static Value toList(Bound a, Call call) {
    return new ListValue(
        a.find("iterable").isEmpty()
            ? new ArrayList<>()
            : Iteration.toList(a.get("iterable"), call.interp()));
  }

  private static Value toTuple(Bound a, Call call) {
    return a.find("iterable").isEmpty()
        ? TupleValue.EMPTY
        : new TupleValue(Iteration.toList(a.get("iterable"), call.interp()));
  }

  private static Value toDict(Bound a, Call call) {
    DictValue dict = new DictValue();
    a.find("iterable").ifPresent(from -> ContainerMethods.fill(dict, from, call.interp()));
    a.named().forEach((name, value) -> dict.put(Value.of(name), value));
    return dict;
  }

  private static Value toSet(Bound a, Call call, boolean frozen) {
    SetValue set = new SetValue(frozen);
    a.find("iterable").ifPresent(from -> Iteration.toList(from, call.interp()).forEach(set::add));
    return set;
  }

  private static Value toRange(Bound a, Call call) {
    boolean single = a.find("stop").isEmpty();
    long start = single ? 0 : index(a, "start");
    long stop = single ? index(a, "start") : index(a, "stop");
    long step = a.find("step").isEmpty() ? 1 : index(a, "step");
    if (step == 0) {
      throw Errors.value("range() arg 3 must not be zero");
    }
    return new Value.Range(start, stop, step);
  }

  private static long index(Bound a, String name) {
    Value value = a.get(name);
    if (value instanceof Value.Float || value instanceof Value.Str) {
      throw Errors.type("'" + Types.nameOf(value) + "' object cannot be interpreted as an integer");
    }
    return Math.clamp(a.integer(name), Long.MIN_VALUE / 4, Long.MAX_VALUE / 4);
  }

  private static Value toSlice(Bound a, Call call) {
    if (a.find("stop").isEmpty()) {
      return new Value.Slice(Value.NONE, a.get("start"), Value.NONE);
    }
    return new Value.Slice(a.get("start"), a.get("stop"), a.find("step").orElse(Value.NONE));
  }

  private static Value typeOf(Bound a, Call call) {
    Value value = a.get("object");
    if (value instanceof InstanceValue instance) {
      return instance.type();
    }
    Value known = ALL.get(Types.nameOf(value));
    String name = Types.nameOf(value);
    return known != null ? known : TypeObject.inert(name, v -> Types.nameOf(v).equals(name));
  }
}
