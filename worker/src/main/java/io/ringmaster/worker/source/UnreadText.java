package io.ringmaster.worker.source;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What can be said of a statement that couldn't be read: which words stand in it, and which of them
 * it may have been meant to give a value. Rather one too many, so that nothing is held against a
 * name that only this statement would have defined.
 */
final class UnreadText {

  private static final int FLAGS = Pattern.UNICODE_CHARACTER_CLASS;
  private static final Pattern WORD = Pattern.compile("[^\\W\\d]\\w*", FLAGS);

  /** A name before a sign that gives it a value, or before a comma, as in {@code a, b = c}. */
  private static final Pattern TARGET =
      Pattern.compile(
          "(?<![.\\w])([^\\W\\d]\\w*)\\s*(?:[-+*/%@&|^:]?=(?!=)|//=|\\*\\*=|<<=|>>=|:|,)", FLAGS);

  private static final Pattern DEFINED =
      Pattern.compile("(?<=\\b(?:def|class|as|global|nonlocal)\\s{1,9})([^\\W\\d]\\w*)", FLAGS);

  /** The first word of a line, unless it is something that is looked into. */
  private static final Pattern FIRST =
      Pattern.compile("(?m)^[ \\t]*([^\\W\\d]\\w*)(?!\\w)(?!\\s*[.])", FLAGS);

  /** Everything between {@code for} and {@code in}, and all that is imported. */
  private static final Pattern REGION =
      Pattern.compile("\\bfor\\b([^\\n]*?)\\bin\\b|(?m)^\\s*(?:from|import)\\b([^\\n]*)", FLAGS);

  private static final Pattern DECORATOR = Pattern.compile("(?m)^[ \\t]*@");

  private UnreadText() {}

  static boolean holdsDecorator(String text) {
    return DECORATOR.matcher(text).find();
  }

  static Stmt.Unread of(String text, Span span) {
    Set<String> words = words(text);
    Set<String> names = new TreeSet<>();
    for (Pattern pattern : new Pattern[] {TARGET, DEFINED, FIRST}) {
      pattern.matcher(text).results().forEach(found -> names.add(found.group(1)));
    }
    Matcher regions = REGION.matcher(text);
    while (regions.find()) {
      names.addAll(words(regions.group()));
    }
    names.removeAll(Operators.KEYWORDS);
    return new Stmt.Unread(names, words, span);
  }

  private static Set<String> words(String text) {
    Set<String> words = new TreeSet<>();
    WORD.matcher(text).results().forEach(found -> words.add(found.group()));
    return words;
  }
}
