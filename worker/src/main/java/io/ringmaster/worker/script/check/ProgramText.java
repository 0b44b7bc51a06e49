package io.ringmaster.worker.script.check;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.IrPrinter;
import io.ringmaster.worker.ir.Program;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A program as what it does: two that only differ in their names and places in the source are the
 * same.
 */
public final class ProgramText {

  private static final Pattern NUMBER = Pattern.compile("\\b[0-9][0-9.e]*");

  /** Where a local name is given: assignments, loops, parameters. */
  private static final Pattern GIVEN =
      Pattern.compile(
          "(?m)^ *([A-Za-z_]\\w*)(?:: [^=\\n]*)? = |^ *\\(?([A-Za-z_]\\w*(?:, \\w+)*),?\\)? = "
              + "|\\bfor ([A-Za-z_]\\w*) in |[(,\\n] *([A-Za-z_]\\w*): ");

  private static final Pattern FUNCTION = Pattern.compile("\\bdef ([A-Za-z_]\\w*)\\(");
  private static final Pattern FUNCTIONS = Pattern.compile("(?=@pl\\.function)");

  /** Long lines are broken, and how long they are depends on the names. */
  private static final Pattern BREAK = Pattern.compile(",?\\s+(?=\\))|(?<=\\()\\s+|\\s+");

  private static final Pattern SEPARATOR = Pattern.compile(", ");

  /** Names, but those of attributes only where they are the program's own functions. */
  private static final Pattern WORD =
      Pattern.compile("(?<![.\\w])[A-Za-z_]\\w*|(?<=\\bself\\.)[A-Za-z_]\\w*");

  private final Program program;
  private @Nullable String text;
  private @Nullable String shape;
  private @Nullable String core;
  private @Nullable Exchange exchange;

  public ProgramText(Program program) {
    this.program = program;
  }

  public String name() {
    return program.name();
  }

  /** The parameters of one of its functions; empty when it has no such function. */
  public List<Function.Param> parameters(String function) {
    return program.function(function).map(Function::params).orElse(List.of());
  }

  /** What its ranks exchange. */
  Exchange exchange() {
    if (exchange == null) {
      exchange = Exchange.of(program);
    }
    return exchange;
  }

  /**
   * Parameters that are handed out in parts to ranks between which values go; none where none do.
   */
  public Set<String> dealt() {
    return exchange().data() ? exchange().dealt() : Set.of();
  }

  private String text() {
    if (text == null) {
      text = text(program);
    }
    return text;
  }

  private static String text(Program program) {
    return IrPrinter.print(program)
        .replaceAll("\\b" + Pattern.quote(program.name()) + "\\b", "Program");
  }

  /**
   * True for the same, or the same with other numbers, or with what changes no value: another tile
   * or factor, or a product with one, makes no other kernel that could vouch for this one.
   */
  boolean isLike(ProgramText other) {
    return equals(other) || shape().equals(other.shape()) || core().equals(other.core());
  }

  /** The text without its numbers. */
  private String shape() {
    if (shape == null) {
      shape = shape(text());
    }
    return shape;
  }

  /** The same of what changes a value. */
  private String core() {
    if (core == null) {
      core = shape(text(Simplified.of(program)));
    }
    return core;
  }

  private static String shape(String text) {
    return BREAK.matcher(NUMBER.matcher(renamed(text)).replaceAll("0")).replaceAll("");
  }

  /** The text with its own names replaced by numbers in the order in which they come. */
  private static String renamed(String text) {
    Map<String, String> functions = new HashMap<>();
    given(FUNCTION, text, functions);
    String named = numbered(text, functions, "f");
    StringBuilder all = new StringBuilder();
    for (String function : FUNCTIONS.split(named, -1)) {
      Map<String, String> locals = new HashMap<>();
      given(GIVEN, function, locals);
      all.append(numbered(function, locals, "v"));
    }
    return all.toString();
  }

  private static void given(Pattern where, String text, Map<String, String> names) {
    Matcher given = where.matcher(text);
    while (given.find()) {
      for (int group = 1; group <= given.groupCount(); group++) {
        if (given.group(group) != null) {
          for (String name : SEPARATOR.split(given.group(group), -1)) {
            names.put(name, "");
          }
        }
      }
    }
  }

  private static String numbered(String text, Map<String, String> names, String prefix) {
    AtomicInteger count = new AtomicInteger();
    return WORD.matcher(text)
        .replaceAll(
            word -> {
              String name = names.get(word.group());
              if (name != null && name.isEmpty()) {
                name = prefix + count.incrementAndGet();
                names.put(word.group(), name);
              }
              return name == null ? Matcher.quoteReplacement(word.group()) : name;
            });
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // The same object needs no text.
  public boolean equals(Object other) {
    return other instanceof ProgramText that
        && (program == that.program || text().equals(that.text()));
  }

  @Override
  public int hashCode() {
    // Names of functions stand in the text; making the text only to look it up would cost more
    // than lowering the program.
    int hash = 0;
    for (Function function : program.functions()) {
      String name = function.name();
      hash = 31 * hash + (name.equals(program.name()) ? 0 : name.hashCode());
    }
    return hash;
  }
}
