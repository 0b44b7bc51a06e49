package io.ringmaster.worker.script.module;

import io.ringmaster.worker.script.builtin.Numbers;
import io.ringmaster.worker.script.builtin.PythonPattern;
import io.ringmaster.worker.script.builtin.Sequences;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.IteratorValue;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.MethodTable;
import io.ringmaster.worker.script.value.ModuleValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.tensor.Sizes;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code re}: searching and matching. */
final class ReModule {

  /** What stands for a group, or a character, in a replacement. */
  private static final Pattern REFERENCE =
      Pattern.compile("\\\\(?:([1-9][0-9]?)|g<(\\w{1,100})>|(.))", Pattern.DOTALL);

  /** What a match takes beside its text. */
  private static final long MATCH_BYTES = 16;

  private static final String SPECIAL = "\\.^$*+?{}[]|()-&#~ \t\n";

  static final ModuleValue MODULE = new ModuleValue("re", members());

  private ReModule() {}

  private static Map<String, Value> members() {
    Map<String, Value> members = new LinkedHashMap<>();
    for (String how : new String[] {"search", "match", "fullmatch", "findall", "finditer"}) {
      members.put(
          how,
          NativeFunction.of(
              how,
              "pattern, string, flags=",
              (a, c) -> apply(how, pattern(a), a.string("string"), c)));
    }
    members.put(
        "compile",
        NativeFunction.of("compile", "pattern, flags=", (a, c) -> new Compiled(pattern(a))));
    for (String how : new String[] {"sub", "subn"}) {
      members.put(
          how,
          NativeFunction.of(
              how,
              "pattern, repl, string, count=, flags=",
              (a, c) -> replaced(how, pattern(a), a, c)));
    }
    members.put(
        "split",
        NativeFunction.of(
            "split", "pattern, string, maxsplit=, flags=", (a, c) -> split(pattern(a), a, c)));
    members.put("escape", NativeFunction.of("escape", "pattern", (a, c) -> escaped(a)));
    members.put("IGNORECASE", Value.of(2));
    members.put("I", Value.of(2));
    members.put("MULTILINE", Value.of(8));
    members.put("M", Value.of(8));
    members.put("DOTALL", Value.of(16));
    members.put("S", Value.of(16));
    return members;
  }

  private static Value escaped(Bound a) {
    StringBuilder out = new StringBuilder();
    for (char c : a.string("pattern").toCharArray()) {
      out.append(SPECIAL.indexOf(c) >= 0 ? "\\" : "").append(c);
    }
    return Value.of(out.toString());
  }

  private static PythonPattern pattern(Bound a) {
    if (a.get("pattern") instanceof Compiled compiled) {
      return compiled.pattern();
    }
    long flags = a.integer("flags", 0);
    int java = 0;
    java |= (flags & 2) != 0 ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0;
    java |= (flags & 8) != 0 ? Pattern.MULTILINE : 0;
    java |= (flags & 16) != 0 ? Pattern.DOTALL : 0;
    if ((flags & ~26L) != 0) {
      throw Errors.value("re: only the flags IGNORECASE, MULTILINE and DOTALL are known");
    }
    return PythonPattern.of(a.string("pattern"), java);
  }

  private static Value apply(String how, PythonPattern pattern, String text, Call call) {
    Matcher matcher = pattern.matcher(text, call.interp().session().budget());
    if (how.equals("findall")) {
      return all(matcher, call);
    }
    if (how.equals("finditer")) {
      return new IteratorValue("callable_iterator", each(matcher, call));
    }
    boolean found =
        switch (how) {
          case "match" -> matcher.lookingAt();
          case "fullmatch" -> matcher.matches();
          default -> matcher.find();
        };
    return found ? new Match(matcher.toMatchResult()) : Value.NONE;
  }

  /** The matches one by one, each found when it is asked for. */
  private static Iterator<Value> each(Matcher matcher, Call call) {
    Budget budget = call.interp().session().budget();
    return matcher
        .results()
        .<Value>map(
            match -> {
              budget.text(match.end() - match.start() + MATCH_BYTES);
              return new Match(match);
            })
        .iterator();
  }

  private static Value replaced(String how, PythonPattern pattern, Bound a, Call call) {
    String text = a.string("string");
    Budget budget = call.interp().session().budget();
    Matcher matcher = pattern.matcher(text, budget);
    long most = a.integer("count", 0);
    StringBuilder out = new StringBuilder();
    int from = 0;
    int times = 0;
    while ((most <= 0 || times < most) && matcher.find()) {
      String with = replacement(matcher, a.get("repl"), call);
      long more = matcher.start() - from + (long) with.length();
      budget.room(out.length() + more);
      budget.objects(more + MATCH_BYTES);
      out.append(text, from, matcher.start()).append(with);
      from = matcher.end();
      times++;
    }
    budget.room(out.length() + (long) text.length() - from);
    budget.objects(text.length() - from);
    Value result = Value.of(out.append(text, from, text.length()).toString());
    return how.equals("subn") ? TupleValue.of(result, Value.of(times)) : result;
  }

  /**
   * The text for one match: made by a function, or a template with {@code \\1} and {@code
   * \\g<name>}.
   */
  private static String replacement(Matcher matcher, Value given, Call call) {
    if (!(given instanceof Value.Str template)) {
      Value made =
          call.interp().call(given, Arguments.of(new Match(matcher.toMatchResult())), call.span());
      return call.interp().str(made);
    }
    Budget budget = call.interp().session().budget();
    budget.elements(template.value().length());
    StringBuilder out = new StringBuilder();
    Matcher reference = REFERENCE.matcher(template.value());
    int from = 0;
    while (reference.find()) {
      out.append(template.value(), from, reference.start()).append(referred(matcher, reference));
      budget.room(out.length());
      from = reference.end();
    }
    return out.append(template.value(), from, template.value().length()).toString();
  }

  private static String referred(Matcher matcher, Matcher reference) {
    String name = reference.group(2) == null ? reference.group(1) : reference.group(2);
    if (name == null) {
      return switch (reference.group(3)) {
        case "n" -> "\n";
        case "t" -> "\t";
        case "\\" -> "\\";
        default -> throw Errors.value("bad escape \\" + reference.group(3) + " in a replacement");
      };
    }
    try {
      String found =
          Character.isDigit(name.charAt(0))
              ? matcher.group(Integer.parseInt(name))
              : matcher.group(name);
      return found == null ? "" : found;
    } catch (IndexOutOfBoundsException | IllegalArgumentException | Sizes.TooLarge e) {
      throw Errors.index("no such group");
    }
  }

  private static Value split(PythonPattern pattern, Bound a, Call call) {
    String text = a.string("string");
    Budget budget = call.interp().session().budget();
    Matcher matcher = pattern.matcher(text, budget);
    long most = a.integer("maxsplit", 0);
    List<Value> parts = new ArrayList<>();
    int from = 0;
    for (int times = 0; (most <= 0 || times < most) && matcher.find(); times++) {
      budget.objects(matcher.start() - from + count(matcher));
      parts.add(Value.of(text.substring(from, matcher.start())));
      for (int i = 1; i <= matcher.groupCount(); i++) {
        parts.add(group(matcher, i));
      }
      from = matcher.end();
    }
    budget.objects(text.length() - from + Sequences.ELEMENT_BYTES);
    parts.add(Value.of(text.substring(from)));
    return new ListValue(parts);
  }

  /** Bytes of a match's groups, and of its own place in a list. */
  private static long count(MatchResult match) {
    long bytes = Sequences.ELEMENT_BYTES;
    for (int i = 1; i <= match.groupCount(); i++) {
      bytes += match.end(i) - match.start(i) + Sequences.ELEMENT_BYTES;
    }
    return bytes;
  }

  private static Value all(Matcher matcher, Call call) {
    Budget budget = call.interp().session().budget();
    List<Value> found = new ArrayList<>();
    while (matcher.find()) {
      budget.objects(matcher.end() - matcher.start() + count(matcher));
      found.add(
          switch (matcher.groupCount()) {
            case 0 -> group(matcher, 0);
            case 1 -> group(matcher, 1);
            default -> groups(matcher);
          });
    }
    return new ListValue(found);
  }

  private static Value group(MatchResult match, int number) {
    String text = match.group(number);
    return text == null ? Value.NONE : Value.of(text);
  }

  private static Value groups(MatchResult match) {
    List<Value> all = new ArrayList<>();
    for (int i = 1; i <= match.groupCount(); i++) {
      all.add(group(match, i));
    }
    return new TupleValue(all);
  }

  /** {@code re.compile(...)}. */
  private record Compiled(PythonPattern pattern) implements NativeObject {

    private static final MethodTable<Compiled> METHODS =
        new MethodTable<Compiled>()
            .add("search", "string", (p, a, c) -> apply("search", p.pattern, a.string("string"), c))
            .add("match", "string", (p, a, c) -> apply("match", p.pattern, a.string("string"), c))
            .add(
                "fullmatch",
                "string",
                (p, a, c) -> apply("fullmatch", p.pattern, a.string("string"), c))
            .add(
                "findall",
                "string",
                (p, a, c) -> apply("findall", p.pattern, a.string("string"), c))
            .add(
                "finditer",
                "string",
                (p, a, c) -> apply("finditer", p.pattern, a.string("string"), c))
            .add("sub", "repl, string, count=", (p, a, c) -> replaced("sub", p.pattern, a, c))
            .add("subn", "repl, string, count=", (p, a, c) -> replaced("subn", p.pattern, a, c))
            .add("split", "string, maxsplit=", (p, a, c) -> split(p.pattern, a, c));

    @Override
    public String typeName() {
      return "re.Pattern";
    }

    @Override
    public Optional<Value> attribute(String name) {
      return name.equals("pattern")
          ? Optional.of(Value.of(pattern.written()))
          : METHODS.bind(this, name);
    }

    @Override
    public Collection<String> attributeNames() {
      return METHODS.names();
    }

    @Override
    public String repr(Interp interp) {
      return "re.compile(" + interp.repr(Value.of(pattern.written())) + ")";
    }
  }

  /** What a search found. */
  private record Match(MatchResult match) implements NativeObject {

    private static final MethodTable<Match> METHODS =
        new MethodTable<Match>()
            .add("group", "*numbers", (m, a, c) -> m.group(a.rest()))
            .add("groups", "default=", (m, a, c) -> m.all(a))
            .add("start", "group=", (m, a, c) -> Value.of(m.match.start(m.number(a))))
            .add("end", "group=", (m, a, c) -> Value.of(m.match.end(m.number(a))))
            .add(
                "span",
                "group=",
                (m, a, c) ->
                    TupleValue.of(
                        Value.of(m.match.start(m.number(a))), Value.of(m.match.end(m.number(a)))))
            .add("groupdict", "default=", (m, a, c) -> m.named(a));

    private Value named(Bound a) {
      DictValue dict = new DictValue();
      match.namedGroups().entrySet().stream()
          .sorted(Map.Entry.comparingByValue())
          .forEach(
              g -> dict.put(Value.of(g.getKey()), given(ReModule.group(match, g.getValue()), a)));
      return dict;
    }

    private Value all(Bound a) {
      return new TupleValue(
          ((TupleValue) groups(match)).items().stream().map(one -> given(one, a)).toList());
    }

    /** What stands for a group that took no part. */
    private static Value given(Value group, Bound a) {
      return group instanceof Value.None ? a.find("default").orElse(group) : group;
    }

    private Value group(List<Value> numbers) {
      return switch (numbers.size()) {
        case 0 -> ReModule.group(match, 0);
        case 1 -> ReModule.group(match, number(numbers.getFirst()));
        default ->
            new TupleValue(
                numbers.stream().map(one -> ReModule.group(match, number(one))).toList());
      };
    }

    private int number(Bound a) {
      return number(a.find("group").orElse(Value.of(0)));
    }

    /** A group's number, which may be given by its name. */
    private int number(Value group) {
      Optional<Integer> number =
          group instanceof Value.Str name
              ? Optional.ofNullable(match.namedGroups().get(name.value()))
              : Numbers.whole(group)
                  .filter(one -> one.signum() >= 0 && one.bitLength() < 31)
                  .map(BigInteger::intValue)
                  .filter(one -> one <= match.groupCount());
      return number.orElseThrow(() -> Errors.index("no such group"));
    }

    /** {@code match["name"]}, {@code match[1]}. */
    @Override
    public Value item(Value index, Interp interp) {
      return ReModule.group(match, number(index));
    }

    @Override
    public String typeName() {
      return "re.Match";
    }

    @Override
    public Optional<Value> attribute(String name) {
      return METHODS.bind(this, name);
    }

    @Override
    public Collection<String> attributeNames() {
      return METHODS.names();
    }

    @Override
    public String repr(Interp interp) {
      return "<re.Match " + interp.repr(Value.of(match.group())) + ">";
    }
  }
}
