package io.ringmaster.worker.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What a user reads, with the place it points to. */
class SyntaxErrorTest {

  @Test
  void aMissingColon() {
    assertThat(errors("if x\n    pass\n"))
        .containsExactly(
            "1:5 expected ':' but found the end of the line"
                + " | the line that starts with 'if' ends with ':'");
  }

  @Test
  void aBracketThatIsNeverClosedIsNamedWhereItWasOpened() {
    assertThat(errors("x = foo(1,\n        2\ny = 3\nz = = 4\n"))
        .containsExactly(
            "1:8 '(' was never closed | reading stopped at 'y' (line 3, column 1)",
            "4:5 expected an expression but found '=' | use '==' to compare two values");
  }

  @Test
  void aStatementEndsTheSearchForAClosingBracket() {
    assertThat(errors("x = [1, 2\ndef f():\n    return = 1\n"))
        .containsExactly(
            "1:5 '[' was never closed | the statement on line 2 starts while it is open",
            "3:12 expected the end of the line but found '=' | use '==' to compare two values");
  }

  @Test
  void bracketsThatDontMatch() {
    assertThat(errors("x = (1, 2]\ny = )\n"))
        .containsExactly(
            "1:10 ']' does not match '(' | '(' was opened at line 1, column 5",
            "2:5 ')' closes nothing | no bracket is open here");
  }

  @Test
  void indentationThatFitsNoBlock() {
    assertThat(errors("if x:\n        a\n    b\nc\n"))
        .containsExactly(
            "3:1 this line is indented less than the block above it but fits none of the blocks"
                + " around it | give it the indentation of the line that it should follow");
  }

  @Test
  void indentationWithoutABlock() {
    assertThat(errors("a\n  b\n  c\nd = = 1\n"))
        .containsExactly(
            "2:3 this line is indented deeper than the one before, but no block starts here"
                + " | give it the indentation of the line before",
            "4:5 expected an expression but found '=' | use '==' to compare two values");
  }

  @Test
  void aBlockThatIsMissing() {
    assertThat(errors("def f():\nx = 1\n"))
        .containsExactly(
            "2:1 expected an indented block after 'def' on line 1"
                + " | indent the lines that belong to it; write 'pass' for an empty block");
  }

  @Test
  void tabsMixedWithSpaces() {
    assertThat(errors("if x:\n        a\n\tb\n"))
        .containsExactly(
            "3:1 tabs and spaces are mixed in the indentation"
                + " | indent every line of a block in the same way, best with spaces only");
    assertThat(errors("def f():\n    a = 1\n\tb = 2\n    c = 3\n"))
        .containsExactly(
            "3:1 tabs and spaces are mixed in the indentation"
                + " | indent every line of a block in the same way, best with spaces only");
  }

  @Test
  void printOfAnOlderPython() {
    assertThat(errors("print \"x\"\n"))
        .containsExactly("1:1 the arguments of 'print' need parentheses | write print(...)");
  }

  @Test
  void anEqualsSignThatShouldCompare() {
    assertThat(errors("if x = 1:\n    pass\nf(a.b=1)\nf() = 2\n"))
        .containsExactly(
            "1:6 expected ':' but found '=' | use '==' to compare two values",
            "3:3 an argument can be named by a plain name only, not by an attribute"
                + " | use '==' to compare two values",
            "4:1 can't assign to a call | use '==' to compare two values");
  }

  @Test
  void stringsThatAreNeverClosed() {
    assertThat(errors("a = 'x\nb = f'{y'\nc = \"\"\"z\n"))
        .containsExactly(
            "1:5 this string is never closed | close it with ' on the same line, or use triple"
                + " quotes for a text of several lines",
            "2:7 '{' in this f-string was never closed | close it with '}'",
            "3:5 this string is never closed"
                + " | it runs to the end of the file; close it with \"\"\"");
  }

  @Test
  void charactersPastedFromAFormattedText() {
    assertThat(errors("a = “x”\nb = 1 – 2\nc =\u00a01\nd = 3 × 4\ne = f（x）\n"))
        .containsExactly(
            "1:5 the character '“' (U+201C LEFT DOUBLE QUOTATION MARK) has no meaning here"
                + " | use \"",
            "2:7 the character '–' (U+2013 EN DASH) has no meaning here | use -",
            "3:4 the character (U+00A0 NO-BREAK SPACE) has no meaning here"
                + " | it is invisible or looks like a space; delete it or type a space",
            "4:7 the character '×' (U+00D7 MULTIPLICATION SIGN) has no meaning here | use *",
            "5:6 the character '（' (U+FF08 FULLWIDTH LEFT PARENTHESIS) has no meaning here"
                + " | use (",
            "5:8 the character '）' (U+FF09 FULLWIDTH RIGHT PARENTHESIS) has no meaning here"
                + " | use )");
  }

  @Test
  void aNullByte() {
    assertThat(errors("a = 1\0\n"))
        .containsExactly("1:6 the source holds a null byte | is this a text file at all?");
  }

  @Test
  void operatorsOfOtherLanguages() {
    assertThat(errors("a <> b\n!a\na && b\na ? b\n"))
        .containsExactly(
            "1:3 '<>' is not an operator | use '!='",
            "2:1 '!' is not an operator | use 'not'",
            "3:4 expected an expression but found '&' | use 'and'",
            "4:3 '?' has no meaning here | ");
  }

  @Test
  void numbersThatAreNone() {
    assertThat(errors("a = 0777\nb = 1__0\nc = 0b12\nd = 3j\ne = 0x\nf = 1abc\n"))
        .containsExactly(
            "1:5 '0777' is a number with leading zeros"
                + " | drop the zeros; an octal number starts with 0o",
            "2:5 '1__0' is neither a number nor a name"
                + " | names start with a letter or an underscore",
            "3:8 '2' is not a digit of a binary number | ",
            "4:5 '3j' is an imaginary number; complex numbers are not supported"
                + " | keep real and imaginary parts in two values",
            "5:5 '0x' is not a hexadecimal number | ",
            "6:5 '1abc' is neither a number nor a name"
                + " | names start with a letter or an underscore");
  }

  @Test
  void escapesThatAreNone() {
    assertThat(errors("a = '\\x4'\nb = '\\N{DASH}'\nc = b'é'\nd = '\\U00110000'\n"))
        .containsExactly(
            "1:6 the escape \\x needs 2 hexadecimal digits, not 1"
                + " | write a backslash twice to mean the character itself",
            "2:6 characters by name (\\N{DASH}) are not supported"
                + " | write the character itself or its number, \\uXXXX",
            "3:7 a bytes literal can hold ASCII characters only, not 'é' (U+00E9 LATIN SMALL"
                + " LETTER E WITH ACUTE) | write other bytes as \\xNN",
            "4:6 the escape \\U00110000 is beyond the last character U+10FFFF | ");
  }

  @Test
  void fieldsOfFormattedStrings() {
    assertThat(errors("f'{}'\nf'{a!x}'\nf'}'\nf'{lambda: 1}'\nf'{a b}'\n"))
        .containsExactly(
            "1:4 expected an expression after '{' but found '}'"
                + " | write '{{' to mean the character itself",
            "2:6 '!x' is not a conversion | use !r, !s or !a",
            "3:3 a single '}' in an f-string | write '}}' to mean the character itself",
            "4:10 a lambda in an f-string needs parentheses | write {(lambda ...: ...)}",
            "5:6 expected '}' but found 'b' | '{' was opened at line 5, column 3");
  }

  @Test
  void argumentsAndParametersInTheWrongOrder() {
    assertThat(errors("f(a=1, b)\nf(a=1, a=2)\ndef g(a=1, b): pass\ndef h(a, a): pass\n"))
        .containsExactly(
            "1:8 a positional argument can't follow a named one"
                + " | name it, or move it to the front",
            "2:8 the argument 'a' is given twice | ",
            "3:12 the parameter 'b' has no default value but follows one that has"
                + " | give it a default value, or move it to the front",
            "4:10 two parameters are named 'a' | rename one of them");
  }

  @Test
  void clausesThatBelongToNothing() {
    assertThat(errors("else:\n    x = = 1\nif a: pass\nelse if b: pass\n"))
        .containsExactly(
            "1:1 'else' has no matching 'if', 'for', 'while' or 'try'"
                + " | it must have the indentation of the statement that it belongs to",
            "2:9 expected an expression but found '=' | use '==' to compare two values",
            "4:6 expected ':' but found the keyword 'if' | write 'elif'");
  }

  @Test
  void statementsInTheWrongPlace() {
    assertThat(errors("return 1\nfor x in y:\n    def f(): break\n"))
        .containsExactly(
            "1:1 'return' stands outside a function | indent it into one",
            "3:14 'break' outside loop | indent it into a for or while loop");
  }

  @Test
  void aBrokenHeaderDoesntHideTheErrorsInItsBlockNorItsElse() {
    assertThat(errors("if x y:\n    a = = 1\nelif z:\n    pass\nelse:\n    b = = 2\n"))
        .extracting(message -> message.substring(0, 4))
        .containsExactly("1:6 ", "2:9 ", "6:9 ");
  }

  @Test
  void aNameThatIsAReservedWord() {
    assertThat(errors("class = 1\ndef lambda(): pass\n"))
        .containsExactly(
            "1:7 expected a name but found '=' | ",
            "2:5 expected a name but found the keyword 'lambda'"
                + " | 'lambda' is a reserved word; choose another name");
  }

  @Test
  void aMissingComma() {
    assertThat(errors("x = [1, 2 3]\n"))
        .containsExactly(
            "1:11 expected ',' or ']' but found the number 3 | a comma or an operator may be"
                + " missing before the number 3; '[' was opened at line 1, column 5");
  }

  @Test
  void patternsThatAreNone() {
    assertThat(errors("match x:\n    case *y: pass\n    case 1 +: pass\n"))
        .containsExactly(
            "2:10 a starred pattern can't stand alone | add a comma to match a sequence",
            "3:12 expected ':' but found '+' | ");
  }

  @Test
  void aNumberReadTwiceBecauseOfAnUnclosedBracketIsReportedOnce() {
    assertThat(errors("f(a b\nx = [0777\n"))
        .containsExactly(
            "1:2 '(' was never closed | reading stopped at 'b' (line 1, column 5)",
            "2:6 '0777' is a number with leading zeros"
                + " | drop the zeros; an octal number starts with 0o");
  }

  @Test
  void allErrorsAreCountedAndTheFirstOnesAreShown() {
    assertThat(errors("x = = 1\n".repeat(1_000))).hasSize(1_000);
    assertThat(shown("x = = 1\n".repeat(100))).hasSize(100).noneMatch(m -> m.contains("more"));
    assertThat(shown("x = = 1\n".repeat(1_000)))
        .hasSize(101)
        .endsWith("101:5 and 900 more | correct the first ones and submit again");
  }

  @Test
  void noSourceIsReadWithoutEnd() {
    assertThat(shown("x = = 1\n".repeat(20_000)))
        .hasSize(101)
        .endsWith("101:5 and at least 9900 more | correct the first ones and submit again");
  }

  private static List<String> shown(String source) {
    return texts(DiagnosticList.shown(rejected(source).diagnostics()));
  }

  private static List<String> errors(String source) {
    return texts(rejected(source).diagnostics());
  }

  private static DiagnosticException rejected(String source) {
    DiagnosticException rejected =
        catchThrowableOfType(
            DiagnosticException.class, () -> PythonParser.parse(SourceFile.of("k.py", source)));
    assertThat(rejected).as(source).isNotNull();
    return rejected;
  }

  private static List<String> texts(List<Diagnostic> diagnostics) {
    return diagnostics.stream()
        .map(d -> d.span().line() + ":" + d.span().column() + " " + d.message() + " | " + d.hint())
        .toList();
  }
}
