package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Optional;

/**
 * Python's format mini-language: {@code [[fill]align][sign][#][0][width][,_][.precision][type]}.
 *
 * @param precision digits; negative when absent
 * @param type presentation letter; a space when absent
 */
record FormatSpec(
    char fill,
    char align,
    char sign,
    boolean alternate,
    int width,
    char grouping,
    int precision,
    char type) {

  private static final int MAX_WIDTH = 100_000;
  private static final int MAX_PRECISION = 1_000;

  /** Reads a specification; anything that doesn't fit is a ValueError. */
  static FormatSpec parse(String text, Value value) {
    Reader in = new Reader(text);
    char fill = ' ';
    char align = ' ';
    if (text.length() >= 2 && "<>=^".indexOf(text.charAt(1)) >= 0) {
      fill = text.charAt(0);
      align = text.charAt(1);
      in.at = 2;
    } else if (in.sees("<>=^")) {
      align = in.take();
    }
    char sign = in.sees("+- ") ? in.take() : '-';
    if (in.sees("z")) {
      in.take();
    }
    boolean alternate = in.sees("#");
    if (alternate) {
      in.take();
    }
    if (in.sees("0")) {
      in.take();
      if (align == ' ') {
        fill = '0';
        align = value instanceof Value.Str ? '<' : '=';
      }
    }
    int width = in.number(MAX_WIDTH);
    char grouping = in.sees(",_") ? in.take() : ' ';
    int precision = -1;
    if (in.sees(".")) {
      in.take();
      precision = in.number(MAX_PRECISION);
    }
    char type = in.at < text.length() ? in.take() : ' ';
    if (in.at < text.length()) {
      throw Errors.value(
          "Invalid format specifier '"
              + text
              + "' for object of type '"
              + Types.nameOf(value)
              + "'");
    }
    return new FormatSpec(
        fill, align, sign, alternate, Math.max(0, width), grouping, precision, type);
  }

  /** Formats a number or text. */
  static String format(Value value, String spec, Budget budget) {
    FormatSpec parsed = parse(spec, value);
    budget.step();
    budget.objects(parsed.width + 64L);
    return switch (value) {
      case Value.Str text -> parsed.text(text.value());
      case Value.Bool bool when parsed.type == ' ' && !spec.isEmpty() ->
          parsed.number(Value.of(bool.value() ? 1 : 0));
      case Value.Bool bool -> parsed.number(Value.of(bool.value() ? 1 : 0));
      case Value.Int number -> parsed.number(number);
      case Value.Float number -> parsed.number(number);
      default ->
          throw Errors.type(
              "unsupported format string passed to " + Types.nameOf(value) + ".__format__");
    };
  }

  private String text(String value) {
    if (type != ' ' && type != 's') {
      throw unknownType("str");
    }
    if (align == '=') {
      throw Errors.value("'=' alignment not allowed in string format specifier");
    }
    String cut = value;
    if (precision >= 0 && value.codePointCount(0, value.length()) > precision) {
      cut = value.substring(0, value.offsetByCodePoints(0, precision));
    }
    return padded("", cut, '<');
  }

  private String number(Value value) {
    if ("eEfFgG%".indexOf(type) >= 0 || value instanceof Value.Float) {
      return real(Numbers.real(value), value instanceof Value.Float);
    }
    BigInteger number = Numbers.whole(value).orElseThrow();
    if (precision >= 0) {
      throw Errors.value("Precision not allowed in integer format specifier");
    }
    if (type == 'c') {
      return padded("", Character.toString(number.intValue()), '<');
    }
    BigInteger size = number.abs();
    String digits =
        switch (type) {
          case 'b' -> size.toString(2);
          case 'o' -> size.toString(8);
          case 'x' -> size.toString(16);
          case 'X' -> size.toString(16).toUpperCase(Locale.ROOT);
          case ' ', 'd', 'n' -> size.toString();
          default -> throw unknownType("int");
        };
    String prefix = alternate && "bxXo".indexOf(type) >= 0 ? "0" + type : "";
    int group = "bxXo".indexOf(type) >= 0 ? 4 : 3;
    return padded(signOf(number.signum() < 0) + prefix, grouped(digits, "", group), '>');
  }

  private String real(double value, boolean isFloat) {
    boolean negative = value < 0 || (value == 0 && 1 / value < 0);
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      String word = Double.isNaN(value) ? "nan" : "inf";
      String shown = Character.isUpperCase(type) ? word.toUpperCase(Locale.ROOT) : word;
      String end = type == '%' ? "%" : "";
      return padded(signOf(negative && !Double.isNaN(value)), shown + end, '>');
    }
    BigDecimal exact = new BigDecimal(Math.abs(value));
    int digitsWanted = precision < 0 ? 6 : precision;
    String digits =
        switch (type) {
          case 'f', 'F' -> fixed(exact, digitsWanted);
          case '%' -> fixed(exact.movePointRight(2), digitsWanted) + "%";
          case 'e', 'E' -> scientific(exact, digitsWanted);
          case 'g', 'G', 'n' -> general(exact, digitsWanted, false);
          case ' ' ->
              precision < 0 && isFloat
                  ? Texts.floatRepr(Math.abs(value))
                  : general(exact, precision < 0 ? 12 : precision, true);
          default -> throw unknownType(isFloat ? "float" : "int");
        };
    if (type == 'E' || type == 'G') {
      digits = digits.toUpperCase(Locale.ROOT);
    }
    int cut = 0;
    while (cut < digits.length() && Character.isDigit(digits.charAt(cut))) {
      cut++;
    }
    return padded(
        signOf(negative), grouped(digits.substring(0, cut), digits.substring(cut), 3), '>');
  }

  private String fixed(BigDecimal value, int digits) {
    String text = value.setScale(digits, RoundingMode.HALF_EVEN).toPlainString();
    return alternate && digits == 0 ? text + "." : text;
  }

  private static String scientific(BigDecimal value, int digits) {
    if (value.signum() == 0) {
      return "0" + (digits > 0 ? "." + "0".repeat(digits) : "") + "e+00";
    }
    BigDecimal rounded = value.round(new java.math.MathContext(digits + 1, RoundingMode.HALF_EVEN));
    int exponent = rounded.precision() - rounded.scale() - 1;
    String all = rounded.unscaledValue().toString();
    String padded =
        all.length() > digits
            ? all.substring(0, digits + 1)
            : all + "0".repeat(digits + 1 - all.length());
    return padded.charAt(0)
        + (digits > 0 ? "." + padded.substring(1) : "")
        + exponentText(exponent);
  }

  private static String exponentText(int exponent) {
    return String.format(Locale.ROOT, "e%s%02d", exponent < 0 ? "-" : "+", Math.abs(exponent));
  }

  private String general(BigDecimal value, int digits, boolean keepPoint) {
    int wanted = Math.max(1, digits);
    if (value.signum() == 0) {
      return keepPoint ? "0.0" : "0";
    }
    BigDecimal rounded = value.round(new java.math.MathContext(wanted, RoundingMode.HALF_EVEN));
    int exponent = rounded.precision() - rounded.scale() - 1;
    if (exponent < -4 || exponent >= (keepPoint ? wanted - 1 : wanted)) {
      String text = scientific(rounded, wanted - 1);
      int cut = text.indexOf('e');
      return (alternate ? text.substring(0, cut) : trimmed(text.substring(0, cut)))
          + text.substring(cut);
    }
    String plain =
        rounded
            .setScale(Math.max(0, wanted - 1 - exponent), RoundingMode.HALF_EVEN)
            .toPlainString();
    String shown = alternate ? plain : trimmed(plain);
    return keepPoint && shown.indexOf('.') < 0 ? shown + ".0" : shown;
  }

  private static String trimmed(String text) {
    if (text.indexOf('.') < 0) {
      return text;
    }
    int end = text.length();
    while (text.charAt(end - 1) == '0') {
      end--;
    }
    return text.substring(0, text.charAt(end - 1) == '.' ? end - 1 : end);
  }

  private String grouped(String digits, String rest, int size) {
    String shown = digits;
    if (align == '=' && fill == '0' && grouping == ' ') {
      return shown + rest;
    }
    if (grouping == ' ') {
      return shown + rest;
    }
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < shown.length(); i++) {
      if (i > 0 && (shown.length() - i) % size == 0) {
        out.append(grouping);
      }
      out.append(shown.charAt(i));
    }
    return out + rest;
  }

  private String signOf(boolean negative) {
    if (negative) {
      return "-";
    }
    return sign == '-' ? "" : Character.toString(sign);
  }

  private String padded(String front, String body, char usual) {
    String whole = front + body;
    int missing = width - whole.codePointCount(0, whole.length());
    if (missing <= 0) {
      return whole;
    }
    String filler = Character.toString(fill);
    return switch (align == ' ' ? usual : align) {
      case '<' -> whole + filler.repeat(missing);
      case '^' -> filler.repeat(missing / 2) + whole + filler.repeat(missing - missing / 2);
      case '=' -> front + filler.repeat(missing) + body;
      default -> filler.repeat(missing) + whole;
    };
  }

  private RuntimeException unknownType(String of) {
    return Errors.value("Unknown format code '" + type + "' for object of type '" + of + "'");
  }

  /** The result of {@code round(value, digits)}; empty when no rounding happens. */
  static Optional<Double> rounded(double value, long digits) {
    if (!Double.isFinite(value) || digits > 330) {
      return Optional.empty();
    }
    if (digits < -330) {
      return Optional.of(Math.copySign(0.0, value));
    }
    return Optional.of(
        Math.copySign(
            new BigDecimal(value).setScale((int) digits, RoundingMode.HALF_EVEN).doubleValue(),
            value));
  }

  /** A position in the specification. */
  private static final class Reader {
    private final String text;
    private int at;

    private Reader(String text) {
      this.text = text;
    }

    private boolean sees(String any) {
      return at < text.length() && any.indexOf(text.charAt(at)) >= 0;
    }

    private char take() {
      return text.charAt(at++);
    }

    private int number(int most) {
      if (at >= text.length() || !Character.isDigit(text.charAt(at))) {
        return -1;
      }
      long value = 0;
      while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
        value = Math.min(value * 10 + (text.charAt(at++) - '0'), Integer.MAX_VALUE);
      }
      if (value > most) {
        throw Errors.value("format width or precision " + value + " is above the limit of " + most);
      }
      return (int) value;
    }
  }
}
