package io.ringmaster.worker.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PythonParserTest {

  @Test
  void everyNodeKnowsWhereItStands() {
    Module module = parse("x = 1\nif x:\n    obj.call(1,\n        key=2)\n");

    Stmt.If branch = (Stmt.If) module.body().get(1);
    Stmt.ExprStmt statement = (Stmt.ExprStmt) branch.body().getFirst();
    Expr.Call call = (Expr.Call) statement.value();
    Expr.Attribute function = (Expr.Attribute) call.function();

    assertThat(branch.span()).isEqualTo(span(2, 1, 4, 15));
    assertThat(call.span()).isEqualTo(span(3, 5, 4, 15));
    assertThat(function.nameSpan()).isEqualTo(span(3, 9, 3, 13));
    assertThat(call.keywords().getFirst().span()).isEqualTo(span(4, 9, 4, 14));
  }

  @Test
  void columnsCountCodePoints() {
    Module module = parse("s = '\uD83D\uDE00' + größe\n");

    Expr.Binary sum = (Expr.Binary) ((Stmt.Assign) module.body().getFirst()).value();

    assertThat(sum.left().span()).isEqualTo(span(1, 5, 1, 8));
    assertThat(sum.right().span()).isEqualTo(span(1, 11, 1, 16));
  }

  @Test
  void aFunctionStandsWhereItsDefStandsAndItsNameIsKnown() {
    Module module = parse("@deco\nasync def f(a, /, b: int = 1, *c, d, **e) -> None: pass\n");

    Stmt.FunctionDef function = (Stmt.FunctionDef) module.body().getFirst();

    assertThat(function.span()).isEqualTo(span(2, 1, 2, 56));
    assertThat(function.nameSpan()).isEqualTo(span(2, 11, 2, 12));
    assertThat(function.isAsync()).isTrue();
    assertThat(function.parameters().positionalOnly()).isEqualTo(1);
    assertThat(function.parameters().positional()).hasSize(2);
    assertThat(function.parameters().varArgs().orElseThrow().name()).isEqualTo("c");
    assertThat(function.parameters().keywordOnly().getFirst().name()).isEqualTo("d");
    assertThat(function.parameters().keywordArgs().orElseThrow().name()).isEqualTo("e");
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "means",
      value = {
        "-x ** 2 means -(x ** 2)",
        "2 ** -x ** y means 2 ** (-(x ** y))",
        "a - b - c means (a - b) - c",
        "a << b + c & d ^ e means (((a << (b + c)) & d) ^ e)",
        "not a == b means not (a == b)",
        "a or b and not c means a or (b and (not c))",
        "a if b else c if d else e means a if b else (c if d else e)",
        "lambda: a if b else c means lambda: (a if b else c)",
        "-a.b[c](d) means -(((a.b)[c])(d))",
        "await f(x) ** 2 means (await f(x)) ** 2",
        "a @ b * c means (a @ b) * c",
        "a | b < c | d means (a | b) < (c | d)",
      })
  void operatorsBindAsInPython(String written, String meant) {
    assertThat(expression(written)).isEqualTo(expression(meant));
  }

  @Test
  void comparisonsChain() {
    Expr.Comparison comparison = (Expr.Comparison) expression("a < b not in c is not d");

    assertThat(comparison.operators())
        .containsExactly(
            Expr.CompareOperator.LT, Expr.CompareOperator.NOT_IN, Expr.CompareOperator.IS_NOT);
  }

  @ParameterizedTest
  @CsvSource({
    "1_000, 1000",
    "0xFF_ff, 65535",
    "0o17, 15",
    "0b1_01, 5",
    "00, 0",
    "123456789012345678901234567890, 123456789012345678901234567890"
  })
  void integersOfEveryBase(String written, BigInteger value) {
    assertThat(expression(written)).isEqualTo(new Expr.IntLiteral(value, Span.NONE));
  }

  @ParameterizedTest
  @CsvSource({"1., 1.0", ".5, 0.5", "1e3, 1000", "1_0.0_1E-1_0, 0.000000001001", "1e999, Infinity"})
  void floats(String written, double value) {
    assertThat(expression(written)).isEqualTo(new Expr.FloatLiteral(value, Span.NONE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      value = {
        "'a\\tb\\x41\\u00e9\\101\\q' | a\tbAéA\\q",
        "r'\\n\\'' | \\n\\'",
        "'''it's''' 'so' | it'sso",
        "u'x' R\"y\" | xy",
      })
  void stringsAndTheirEscapes(String written, String value) {
    assertThat(expression(written)).isEqualTo(new Expr.StringLiteral(value, Span.NONE));
  }

  @Test
  void bytesKeepOneCharacterForEachByte() {
    assertThat(expression("b'\\xff\\0' rb'\\n'"))
        .isEqualTo(new Expr.BytesLiteral("\u00ff\0\\n", Span.NONE));
  }

  @Test
  void formattedStringsAreTextsAndFields() {
    Expr.Name value = new Expr.Name("v", Span.NONE);

    assertThat(expression("f'a{{{v!r:>{v}}' 'b' f'{v = }'"))
        .isEqualTo(
            new Expr.FormattedString(
                List.of(
                    new Expr.TextPart("a{"),
                    new Expr.FieldPart(
                        value,
                        "r",
                        List.of(
                            new Expr.TextPart(">"), new Expr.FieldPart(value, "", List.of(), "")),
                        ""),
                    new Expr.TextPart("b"),
                    new Expr.FieldPart(value, "r", List.of(), "v = ")),
                Span.NONE));
  }

  @Test
  void fieldsOfFormattedStringsMayHoldTheSameQuotesAndLineEnds() {
    assertThat(expression("f'{d['k']}{f'{x\n}'}'"))
        .isEqualTo(expression("f\"{d[\"k\"]}{f\"{x}\"}\""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "with (a, b): pass",
        "with a, b: pass",
        "with (a, b,): pass",
      })
  void bracketsAroundTheItemsOfWithAreNoTuple(String source) {
    Stmt.With with = (Stmt.With) parse(source).body().getFirst();

    assertThat(with.items()).hasSize(2);
  }

  @Test
  void otherBracketsAfterWithAreValues() {
    assertThat(items("with (a, b) as c: pass")).hasSize(1);
    assertThat(items("with (a, b)[0]: pass")).hasSize(1);
    assertThat(items("with ((a, b)): pass")).hasSize(1);
    assertThat(items("with (a as b, c as d): pass")).hasSize(2);
    assertThat(items("with (x := f()): pass").getFirst().context()).isInstanceOf(Expr.Walrus.class);
  }

  private static List<Stmt.WithItem> items(String source) {
    return ((Stmt.With) parse(source).body().getFirst()).items();
  }

  @Test
  void elifIsAnIfAloneInTheElse() {
    Stmt.If first = (Stmt.If) parse("if a: x\nelif b: y\nelse: z\n").body().getFirst();
    Stmt.If second = (Stmt.If) first.orElse().getFirst();

    assertThat(second.span()).isEqualTo(span(2, 1, 3, 8));
    assertThat(second.orElse()).hasSize(1);
  }

  @Test
  void assignmentsKeepEveryTarget() {
    Stmt.Assign assign = (Stmt.Assign) parse("a = b[0], *c = d\n").body().getFirst();

    assertThat(assign.targets()).hasSize(2);
    assertThat(assign.targets().get(1)).isInstanceOf(Expr.TupleDisplay.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"+=", "-=", "*=", "/=", "//=", "%=", "**=", "@=", "<<=", ">>=", "&=", "|=", "^="})
  void everyOperatorHasAnAssignment(String sign) {
    Stmt.AugmentedAssign assign =
        (Stmt.AugmentedAssign) parse("a.b " + sign + " c, d\n").body().getFirst();

    assertThat(assign.operator().spelling() + "=").isEqualTo(sign);
  }

  @Test
  void whatIsNotSupportedIsReadWholeAndNamed() {
    Module module =
        parse(
            """
            type Vector[T] = list[T]
            try: pass
            except* ValueError: pass
            async def f():
                async with a: await b
                return [x async for x in (yield)]
            """);

    assertThat(module.body().subList(0, 2))
        .extracting(statement -> ((Stmt.Unsupported) statement).keyword())
        .containsExactly("type", "except*");
    assertThat(module.body().getFirst().span()).isEqualTo(span(1, 1, 1, 25));
  }

  @Test
  void aMatchIsReadWithItsPatterns() {
    Module module =
        parse(
            """
            match command, -x:
                case [x, *rest], _ if rest: pass
                case {"k": (Point(x=0) | None), **more} as m: pass
                case -1 | "a" "b" | a.b: pass
                case (_): pass
            """);

    assertThat(module.body().getFirst().span()).isEqualTo(span(1, 1, 5, 19));
    assertThat(AstPrinter.print(module))
        .isEqualTo(
            """
            match (command, -x):
                case [[x, *rest], _] if rest:
                    pass
                case {"k": Point(x=0) | None, **more} as m:
                    pass
                case -1 | "ab" | a.b:
                    pass
                case _:
                    pass
            """);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          case x: pass       ; 2:10 ; this pattern takes every value, so the cases below it never run
          case _ | 1: pass ; 2:10 ; this pattern takes every value, so the alternatives behind it never count
          case [x, x]: pass  ; 2:14 ; the pattern gives 'x' two values
          case [*a, *b]: pass ; 2:10 ; a pattern has two starred names
          case 1 as _: pass  ; 2:15 ; '_' keeps no value in a pattern
          case {x: 1}: pass  ; 2:11 ; the keys of a pattern are numbers, texts or dotted names
          case A(b=1, c): pass ; 2:17 ; expected a named pattern but found 'c'
          case A(b=1, b=2): pass ; 2:19 ; the pattern names the attribute 'b' twice
          case f"{x}": pass  ; 2:10 ; an f-string can't be a pattern
          case [1 | y]: pass ; 2:15 ; the alternatives of a pattern give values to different names
          """)
  void aPatternThatPythonRefusesIsRefusedAtItsPlace(String line, String place, String message) {
    assertThatThrownBy(() -> parse("match v:\n    " + line + "\n    case 9: pass\n"))
        .isInstanceOfSatisfying(
            DiagnosticException.class,
            e ->
                assertThat(e.diagnostics().getFirst())
                    .satisfies(d -> assertThat(d.message()).isEqualTo(message))
                    .satisfies(
                        d ->
                            assertThat(d.span().line() + ":" + d.span().column())
                                .isEqualTo(place)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "match = 1",
        "match(x)",
        "match[x]: int",
        "match.x = case",
        "type = type(match)",
        "print(match, type)",
        "case: int = 1",
      })
  void softKeywordsAreNamesElsewhere(String source) {
    assertThat(parse(source).body().getFirst()).isNotInstanceOf(Stmt.Unsupported.class);
  }

  @Test
  void linesAreJoinedInBracketsAndAfterABackslash() {
    Module module = parse("x = (1 +  # one\n\n  2)\ny = 1 + \\\n    2\n");

    assertThat(module.body()).hasSize(2);
    assertThat(module.body().get(1).span()).isEqualTo(span(4, 1, 5, 6));
  }

  @Test
  void blankLinesAndCommentsDontEndABlock() {
    Module module = parse("def f():\n    a\n\n# comment\n  # comment\n    b\n\n\nc");

    assertThat(((Stmt.FunctionDef) module.body().getFirst()).body()).hasSize(2);
    assertThat(module.body()).hasSize(2);
  }

  @Test
  void severalStatementsShareALine() {
    assertThat(parse("a; b = 1; c;\nif x: d; e\n").body()).hasSize(4);
  }

  @Test
  void decoratorsMayBeAnyExpression() {
    Stmt.FunctionDef function =
        (Stmt.FunctionDef) parse("@a.b(c=1)[0]\n@(lambda f: f)\ndef f(): ...\n").body().getFirst();

    assertThat(function.decorators()).hasSize(2);
  }

  @Test
  void aGeneratorMayBeTheOnlyArgument() {
    Expr.Call call = (Expr.Call) expression("sum(x * y for x, y in z if x if y)");

    assertThat(call.arguments()).hasSize(1);
    assertThat(call.arguments().getFirst()).isInstanceOf(Expr.Comprehension.class);
  }

  @Test
  void subscriptsHoldSlicesTuplesAndStars() {
    Expr.Subscript subscript = (Expr.Subscript) expression("a[1:, ::2, ..., *b]");
    Expr.TupleDisplay index = (Expr.TupleDisplay) subscript.index();

    assertThat(index.elements().get(1))
        .isEqualTo(
            new Expr.Slice(
                Optional.empty(),
                Optional.empty(),
                Optional.of(new Expr.IntLiteral(BigInteger.TWO, Span.NONE)),
                Span.NONE));
  }

  @Test
  void importsKeepDotsAndNames() {
    Stmt.ImportFrom imported =
        (Stmt.ImportFrom) parse("from ...a.b import (c as d, e,)\n").body().getFirst();

    assertThat(imported.level()).isEqualTo(3);
    assertThat(imported.module()).isEqualTo("a.b");
    assertThat(imported.names()).extracting(Stmt.Alias::name).containsExactly("c", "e");
  }

  private static Module parse(String source) {
    return PythonParser.parse(SourceFile.of("k.py", source));
  }

  private static Expr expression(String source) {
    return Trees.withoutSpans(
        PythonParser.parseExpression(SourceFile.of("k.py", source), ParserLimits.DEFAULT));
  }

  private static Span span(int line, int column, int endLine, int endColumn) {
    return new Span("k.py", line, column, endLine, endColumn);
  }
}
