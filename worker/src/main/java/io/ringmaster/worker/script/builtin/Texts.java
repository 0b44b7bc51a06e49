package io.ringmaster.worker.script.builtin;

import java.math.BigDecimal;

/** How Python writes numbers and texts. */
public final class Texts {

  private Texts() {}

  /** {@code repr} of a float: the shortest text that reads back as the same value. */
  public static String floatRepr(double value) {
    if (Double.isNaN(value)) {
      return "nan";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "inf" : "-inf";
    }
    if (value == 0) {
      return 1 / value < 0 ? "-0.0" : "0.0";
    }
    if (Math.abs(value) == Double.MIN_VALUE) {
      // Java insists on two digits here.
      return value > 0 ? "5e-324" : "-5e-324";
    }
    return shortest(new BigDecimal(Double.toString(value)), -4, 16);
  }

  /** Writes a decimal, plain between the two exponents and with an exponent outside. */
  static String shortest(BigDecimal decimal, int least, int most) {
    BigDecimal value = decimal.stripTrailingZeros();
    int exponent = value.precision() - value.scale() - 1;
    if (exponent >= least && exponent < most) {
      String plain = value.toPlainString();
      return plain.indexOf('.') < 0 ? plain + ".0" : plain;
    }
    String digits = value.unscaledValue().abs().toString();
    StringBuilder out = new StringBuilder(value.signum() < 0 ? "-" : "");
    out.append(digits.charAt(0));
    if (digits.length() > 1) {
      out.append('.').append(digits, 1, digits.length());
    }
    out.append('e').append(exponent < 0 ? '-' : '+');
    int size = Math.abs(exponent);
    return out.append(size < 10 ? "0" : "").append(size).toString();
  }

  /** {@code repr} of a text. */
  public static String quoted(String text) {
    char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
    StringBuilder out = new StringBuilder().append(quote);
    text.codePoints().forEach(point -> append(out, point, quote));
    return out.append(quote).toString();
  }

  private static void append(StringBuilder out, int point, char quote) {
    switch (point) {
      case '\\' -> out.append("\\\\");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        if (point == quote) {
          out.append('\\').append(quote);
        } else if (point < 0x20 || point == 0x7f) {
          out.append(String.format("\\x%02x", point));
        } else if (Character.isISOControl(point) || !Character.isDefined(point)) {
          out.append(String.format(point < 0x10000 ? "\\u%04x" : "\\U%08x", point));
        } else {
          out.appendCodePoint(point);
        }
      }
    }
  }
}
