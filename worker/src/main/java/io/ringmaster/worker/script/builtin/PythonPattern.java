package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.value.Budget;
import io.ringmaster.worker.script.value.Errors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** A regular expression as Python writes it; matching counts as steps, so it can't run for ever. */
public final class PythonPattern {

  private static final int MOST_LETTERS = 4096;

  private final String written;
  private final Pattern pattern;

  private PythonPattern(String written, Pattern pattern) {
    this.written = written;
    this.pattern = pattern;
  }

  /**
   * Reads a pattern.
   *
   * @param flags {@link Pattern}'s
   * @throws io.ringmaster.worker.script.value.PyError ValueError for a malformed one
   */
  public static PythonPattern of(String written, int flags) {
    if (written.length() > MOST_LETTERS) {
      throw Errors.value("regular expression: more than " + MOST_LETTERS + " characters");
    }
    try {
      return new PythonPattern(written, Pattern.compile(translated(written), flags));
    } catch (PatternSyntaxException e) {
      throw Errors.value(
          "regular expression '"
              + written
              + "': "
              + e.getDescription()
              + " at position "
              + Math.max(0, e.getIndex()));
    }
  }

  public String written() {
    return written;
  }

  public Matcher matcher(String text, Budget budget) {
    return pattern.matcher(new Counted(text, budget));
  }

  /** Python's spelling of named groups and ends, and its plain {@code [} and {@code &} in sets. */
  private static String translated(String python) {
    StringBuilder java = new StringBuilder();
    boolean inSet = false;
    int setStart = 0;
    for (int i = 0; i < python.length(); i++) {
      char c = python.charAt(i);
      if (c == '\\' && i + 1 < python.length()) {
        char next = python.charAt(++i);
        java.append(next == 'Z' ? "\\z" : "\\" + next);
      } else if (inSet) {
        boolean ends = c == ']' && i > setStart;
        inSet = !ends;
        java.append(!ends && (c == '[' || c == '&' || c == ']') ? "\\" + c : String.valueOf(c));
      } else if (c == '[') {
        inSet = true;
        java.append(c);
        if (i + 1 < python.length() && python.charAt(i + 1) == '^') {
          java.append('^');
          i++;
        }
        setStart = i + 1;
      } else if (python.startsWith("(?P<", i)) {
        java.append("(?<");
        i += 3;
      } else if (python.startsWith("(?P=", i) && python.indexOf(')', i) > 0) {
        int end = python.indexOf(')', i);
        java.append("\\k<").append(python, i + 4, end).append('>');
        i = end;
      } else {
        java.append(c);
      }
    }
    return java.toString();
  }

  /** Text whose reading is counted: a pattern that backtracks for ever reads for ever. */
  private record Counted(String text, Budget budget) implements CharSequence {

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      budget.step();
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return new Counted(text.substring(start, end), budget);
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
