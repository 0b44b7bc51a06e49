package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.Convert;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.stop.StopOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;

/** The methods of {@code str}. */
final class StrMethods {

  static final MethodTable<String> TABLE =
      new MethodTable<String>()
          .add("upper", "", (s, a, c) -> made(s.toUpperCase(Locale.ROOT), c))
          .add("lower", "", (s, a, c) -> made(s.toLowerCase(Locale.ROOT), c))
          .add("casefold", "", (s, a, c) -> made(s.toLowerCase(Locale.ROOT), c))
          .add("swapcase", "", (s, a, c) -> made(swapped(s), c))
          .add("capitalize", "", (s, a, c) -> made(capitalized(s), c))
          .add("title", "", (s, a, c) -> made(titled(s), c))
          .add("strip", "chars=", (s, a, c) -> made(strip(s, a, true, true), c))
          .add("lstrip", "chars=", (s, a, c) -> made(strip(s, a, true, false), c))
          .add("rstrip", "chars=", (s, a, c) -> made(strip(s, a, false, true), c))
          .add("split", "sep=, maxsplit=", StrMethods::split)
          .add("rsplit", "sep=, maxsplit=", StrMethods::rsplit)
          .add("splitlines", "keepends=", StrMethods::splitLines)
          .add("join", "iterable", StrMethods::join)
          .add("replace", "old, new, count=", StrMethods::replace)
          .add("startswith", "prefix", (s, a, c) -> affix(s, a.get("prefix"), true))
          .add("endswith", "suffix", (s, a, c) -> affix(s, a.get("suffix"), false))
          .add("removeprefix", "prefix", (s, a, c) -> made(without(s, a.string("prefix"), true), c))
          .add(
              "removesuffix", "suffix", (s, a, c) -> made(without(s, a.string("suffix"), false), c))
          .add("find", "sub, start=", (s, a, c) -> Value.of(find(s, a)))
          .add(
              "rfind",
              "sub",
              (s, a, c) -> Value.of(TextSearch.last(s, a.string("sub"), s.length())))
          .add("index", "sub, start=", (s, a, c) -> Value.of(index(s, a)))
          .add("count", "sub", (s, a, c) -> Value.of(count(s, a.string("sub"))))
          .add("isdigit", "", (s, a, c) -> all(s, Character::isDigit))
          .add("isdecimal", "", (s, a, c) -> all(s, Character::isDigit))
          .add("isnumeric", "", (s, a, c) -> all(s, Character::isDigit))
          .add("isalpha", "", (s, a, c) -> all(s, Character::isLetter))
          .add("isalnum", "", (s, a, c) -> all(s, Character::isLetterOrDigit))
          .add("isspace", "", (s, a, c) -> all(s, Character::isWhitespace))
          .add("isupper", "", (s, a, c) -> Value.of(cased(s, s.toUpperCase(Locale.ROOT))))
          .add("islower", "", (s, a, c) -> Value.of(cased(s, s.toLowerCase(Locale.ROOT))))
          .add("isidentifier", "", (s, a, c) -> Value.of(identifier(s)))
          .add("ljust", "width, fillchar=", (s, a, c) -> pad(s, a, c, '<'))
          .add("rjust", "width, fillchar=", (s, a, c) -> pad(s, a, c, '>'))
          .add("center", "width, fillchar=", (s, a, c) -> pad(s, a, c, '^'))
          .add("zfill", "width", StrMethods::zfill)
          .add("expandtabs", "tabsize=", StrMethods::expandTabs)
          .add("partition", "sep", (s, a, c) -> partition(s, a, c, false))
          .add("rpartition", "sep", (s, a, c) -> partition(s, a, c, true))
          .add(
              "format",
              "*values, **named",
              (s, a, c) -> Value.of(StrFormat.fill(s, a.rest(), a.named(), c.interp())));

  private StrMethods() {}

  private static Value made(String text, Call call) {
    call.interp().session().budget().text(text.length());
    return Value.of(text);
  }

  /** Adds a piece of a text that was cut up. */
  private static void piece(List<Value> pieces, String text, Call call) {
    call.interp().session().budget().step();
    call.interp().session().budget().objects(Sequences.ELEMENT_BYTES);
    pieces.add(made(text, call));
  }

  private static String swapped(String text) {
    StringBuilder swapped = new StringBuilder();
    text.codePoints()
        .forEach(
            point -> {
              String one = Character.toString(point);
              swapped.append(
                  Character.isUpperCase(point)
                      ? one.toLowerCase(Locale.ROOT)
                      : one.toUpperCase(Locale.ROOT));
            });
    return swapped.toString();
  }

  private static String capitalized(String s) {
    return s.isEmpty()
        ? s
        : s.substring(0, 1).toUpperCase(Locale.ROOT) + s.substring(1).toLowerCase(Locale.ROOT);
  }

  private static String titled(String s) {
    StringBuilder out = new StringBuilder();
    boolean inside = false;
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      out.append(inside ? Character.toLowerCase(c) : Character.toUpperCase(c));
      inside = Character.isLetter(c);
    }
    return out.toString();
  }

  private static String strip(String s, Bound a, boolean front, boolean back) {
    String set = a.string("chars", "");
    BitSet chosen = new BitSet();
    set.chars().forEach(chosen::set);
    IntPredicate drops = set.isEmpty() ? Character::isWhitespace : chosen::get;
    int from = 0;
    int to = s.length();
    while (front && from < to && drops.test(s.charAt(from))) {
      from++;
    }
    while (back && to > from && drops.test(s.charAt(to - 1))) {
      to--;
    }
    return s.substring(from, to);
  }

  private static Value split(String s, Bound a, Call call) {
    long most = a.integer("maxsplit", -1);
    List<Value> parts = new ArrayList<>();
    if (!a.has("sep")) {
      splitBlanks(s, most, parts, call);
    } else {
      String separator = separator(a);
      int at = 0;
      for (int hit = TextSearch.first(s, separator, 0); hit >= 0 && most != 0; most--) {
        piece(parts, s.substring(at, hit), call);
        at = hit + separator.length();
        hit = TextSearch.first(s, separator, at);
      }
      piece(parts, s.substring(at), call);
    }
    return new ListValue(parts);
  }

  private static void splitBlanks(String s, long limit, List<Value> parts, Call call) {
    long most = limit;
    int at = 0;
    while (true) {
      while (at < s.length() && Character.isWhitespace(s.charAt(at))) {
        at++;
      }
      if (at >= s.length()) {
        return;
      }
      if (most == 0) {
        piece(parts, s.substring(at).stripTrailing(), call);
        return;
      }
      int from = at;
      while (at < s.length() && !Character.isWhitespace(s.charAt(at))) {
        at++;
      }
      piece(parts, s.substring(from, at), call);
      most--;
    }
  }

  private static Value rsplit(String s, Bound a, Call call) {
    long most = a.integer("maxsplit", -1);
    if (most < 0 || !a.has("sep")) {
      return split(s, a, call);
    }
    String separator = separator(a);
    List<Value> parts = new ArrayList<>();
    int end = s.length();
    for (int hit = TextSearch.last(s, separator, end); hit >= 0 && most > 0; most--) {
      piece(parts, s.substring(hit + separator.length(), end), call);
      end = hit;
      hit = TextSearch.last(s, separator, end);
    }
    piece(parts, s.substring(0, end), call);
    Collections.reverse(parts);
    return new ListValue(parts);
  }

  private static String separator(Bound a) {
    String separator = a.string("sep");
    if (separator.isEmpty()) {
      throw Errors.value("empty separator");
    }
    return separator;
  }

  private static Value splitLines(String s, Bound a, Call call) {
    boolean keep = a.flag("keepends", false);
    List<Value> lines = new ArrayList<>();
    int at = 0;
    while (at < s.length()) {
      int end = s.indexOf('\n', at);
      int stop = end < 0 ? s.length() : keep ? end + 1 : end;
      piece(lines, s.substring(at, stop), call);
      at = end < 0 ? s.length() : end + 1;
    }
    return new ListValue(lines);
  }

  private static Value join(String s, Bound a, Call call) {
    StringBuilder out = new StringBuilder();
    Iterator<Value> items = call.interp().iterate(a.get("iterable"));
    int position = 0;
    while (items.hasNext()) {
      Value item = items.next();
      if (!(item instanceof Value.Str text)) {
        throw Errors.type(
            "sequence item "
                + position
                + ": expected str instance, "
                + Types.nameOf(item)
                + " found");
      }
      out.append(position++ > 0 ? s : "").append(text.value());
      call.interp().session().budget().room(out.length());
    }
    return made(out.toString(), call);
  }

  private static Value replace(String s, Bound a, Call call) {
    String from = a.string("old");
    String to = a.string("new");
    long most = a.integer("count", -1);
    long hits = from.isEmpty() ? s.length() + 1L : count(s, from);
    long done = most < 0 ? hits : Math.min(hits, most);
    call.interp().session().budget().text(s.length() + done * (to.length() - (long) from.length()));
    StringBuilder out = new StringBuilder();
    int at = 0;
    for (long i = 0; i < done; i++) {
      StopOrder.look(i);
      int hit = from.isEmpty() ? at : TextSearch.first(s, from, at);
      out.append(s, at, hit).append(to);
      at = hit + from.length();
      if (from.isEmpty() && at < s.length()) {
        out.append(s.charAt(at++));
      }
    }
    return Value.of(out.append(s.substring(Math.min(at, s.length()))).toString());
  }

  private static Value affix(String s, Value affix, boolean front) {
    StopOrder.look();
    if (affix instanceof TupleValue tuple) {
      for (Value one : tuple.items()) {
        if (affix(s, one, front) instanceof Value.Bool hit && hit.value()) {
          return Value.TRUE;
        }
      }
      return Value.FALSE;
    }
    String text = Convert.string(affix, front ? "startswith first arg" : "endswith first arg");
    return Value.of(front ? s.startsWith(text) : s.endsWith(text));
  }

  private static String without(String s, String affix, boolean front) {
    if (front) {
      return s.startsWith(affix) ? s.substring(affix.length()) : s;
    }
    return s.endsWith(affix) ? s.substring(0, s.length() - affix.length()) : s;
  }

  private static long find(String s, Bound a) {
    long start = a.integer("start", 0);
    long from = start < 0 ? Math.max(0, start + s.length()) : Math.min(start, s.length());
    return TextSearch.first(s, a.string("sub"), (int) from);
  }

  private static long index(String s, Bound a) {
    long at = find(s, a);
    if (at < 0) {
      throw Errors.value("substring not found");
    }
    return at;
  }

  private static long count(String s, String part) {
    if (part.isEmpty()) {
      return s.length() + 1L;
    }
    long hits = 0;
    for (int at = TextSearch.first(s, part, 0);
        at >= 0;
        at = TextSearch.first(s, part, at + part.length())) {
      StopOrder.look(hits++);
    }
    return hits;
  }

  private static Value all(String s, IntPredicate test) {
    return Value.of(!s.isEmpty() && s.codePoints().allMatch(test));
  }

  private static boolean cased(String s, String changed) {
    return s.equals(changed) && s.codePoints().anyMatch(Character::isLetter);
  }

  private static boolean identifier(String s) {
    return !s.isEmpty()
        && Character.isUnicodeIdentifierStart(s.replace('_', 'a').codePointAt(0))
        && s.replace('_', 'a').codePoints().allMatch(Character::isUnicodeIdentifierPart);
  }

  private static Value pad(String s, Bound a, Call call, char align) {
    String fill = a.string("fillchar", " ");
    if (fill.codePointCount(0, fill.length()) != 1) {
      throw Errors.type("The fill character must be exactly one character long");
    }
    long missing = a.integer("width") - s.codePointCount(0, s.length());
    if (missing <= 0) {
      return Value.of(s);
    }
    call.interp().session().budget().text(missing + s.length());
    int count = (int) missing;
    int left = align == '>' ? count : align == '^' ? count / 2 : 0;
    return Value.of(fill.repeat(left) + s + fill.repeat(count - left));
  }

  private static Value expandTabs(String s, Bound a, Call call) {
    long size = Math.clamp(a.integer("tabsize", 8), 0, Integer.MAX_VALUE);
    var out = new StringBuilder();
    long column = 0;
    for (int i = 0; i < s.length(); i++) {
      StopOrder.look(i);
      char here = s.charAt(i);
      if (here == '\t') {
        int blanks = size == 0 ? 0 : (int) (size - column % size);
        call.interp().session().budget().room((long) out.length() + blanks);
        out.repeat(' ', blanks);
        column += blanks;
      } else {
        out.append(here);
        column =
            here == '\n' || here == '\r' ? 0 : column + (Character.isLowSurrogate(here) ? 0 : 1);
      }
    }
    call.interp().session().budget().text(out.length());
    return Value.of(out.toString());
  }

  private static Value zfill(String s, Bound a, Call call) {
    long missing = a.integer("width") - s.length();
    if (missing <= 0) {
      return Value.of(s);
    }
    call.interp().session().budget().text(missing + s.length());
    int sign = s.startsWith("-") || s.startsWith("+") ? 1 : 0;
    String zeros = "0".repeat((int) missing);
    return Value.of(s.substring(0, sign) + zeros + s.substring(sign));
  }

  private static Value partition(String s, Bound a, Call call, boolean last) {
    String separator = separator(a);
    int at = last ? TextSearch.last(s, separator, s.length()) : TextSearch.first(s, separator, 0);
    call.interp().session().budget().objects(s.length());
    if (at < 0) {
      return last
          ? TupleValue.of(Value.of(""), Value.of(""), Value.of(s))
          : TupleValue.of(Value.of(s), Value.of(""), Value.of(""));
    }
    return TupleValue.of(
        Value.of(s.substring(0, at)),
        Value.of(separator),
        Value.of(s.substring(at + separator.length())));
  }
}
