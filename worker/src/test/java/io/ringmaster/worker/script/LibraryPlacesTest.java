package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringmaster.worker.source.DiagnosticException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What goes wrong in a library that is written in Python itself is told at the script's line. */
class LibraryPlacesTest {

  private static final String HEAD =
      """
      import bisect, collections, contextlib, functools, heapq, itertools, json, operator, pprint
      import logging, statistics, string, textwrap, types, enum, io
      class Odd:
          def __repr__(self): raise ValueError("mine")
      loop = []
      loop.append(loop)
      def fails():
          pass
          FAILS
      fails()
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      value = {
        "json.dumps(loop) | ValueError: Circular reference detected",
        "json.dumps({'a': {'b': Odd}}) | TypeError: Object of type type is not JSON serializable",
        "json.dumps({(1, 2): 3}) | TypeError: keys must be str",
        "json.dumps(1, nope=2) | TypeError: dumps() got an unexpected keyword argument 'nope'",
        "bisect.insort([1, 2], 'a') | TypeError: '<' not supported",
        "heapq.heappop([]) | IndexError: pop from empty list",
        "heapq.heapify([1, 'a', 2]) | TypeError: '<' not supported",
        "statistics.mean([]) | StatisticsError: mean requires at least one data point",
        "statistics.median(iter([])) | StatisticsError: no median for empty data",
        "statistics.stdev([1]) | StatisticsError: variance requires at least two data points",
        "statistics.mean(3) | TypeError: 'int' object is not iterable",
        "collections.deque().popleft() | IndexError: pop from an empty deque",
        "list(itertools.combinations(3, 2)) | TypeError: 'int' object is not iterable",
        "operator.itemgetter(5)([1]) | IndexError: list index out of range",
        "functools.reduce(lambda a, b: a + b, []) | TypeError: reduce() of empty"
      })
  void anExceptionHasTheCallersLine(String call, String says) {
    ScriptResult result = Scripts.run(HEAD.replace("FAILS", call));

    assertThat(result.exception()).as(result.message()).isPresent();
    var exception = result.exception().get();
    assertThat(exception.span().line()).isEqualTo(9);
    assertThat(String.join("\n", exception.trace()))
        .contains(says)
        .containsSubsequence("line 10, in <module>", "line 9, in fails\n    " + call);
    assertThat(exception.trace()).hasSize(6);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      value = {
        "max(itertools.accumulate(itertools.count())) | step limit",
        "functools.reduce(lambda a, b: fails(), [1, 2, 3]) | recursion limit"
      })
  void aLimitHasTheCallersLine(String call, String says) {
    ScriptResult result = Scripts.run(HEAD.replace("FAILS", call));

    assertThat(result.outcome()).isEqualTo(ScriptResult.Outcome.LIMIT_EXCEEDED);
    assertThat(result.message()).contains(says).contains(".py:9:");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      value = {
        "operator.attrgetter('nope')(3.5) | 'nope'",
        "operator.methodcaller('nope')([]) | 'nope'",
        "textwrap.dedent(3) | 'int' object has no attribute 'split'"
      })
  void aRefusalHasTheCallersLine(String call, String says) {
    var refused =
        catchThrowableOfType(
            DiagnosticException.class, () -> Scripts.run(HEAD.replace("FAILS", call)));

    assertThat(refused).as(call).isNotNull();
    assertThat(refused.diagnostics().getFirst().message()).contains(says);
    assertThat(refused.diagnostics().getFirst().span().line()).isEqualTo(9);
  }

  @Test
  void whatTheScriptRaisesWhereTheLibraryCallsItHasItsOwnLine() {
    ScriptResult result = Scripts.run(HEAD.replace("FAILS", "pprint.pprint([Odd()])"));

    assertThat(String.join("\n", result.exception().orElseThrow().trace()))
        .containsSubsequence("line 10, in <module>", "line 9, in fails", "line 4, in __repr__")
        .endsWith("ValueError: mine");
  }

  @Test
  void whatHoldsItselfIsPrinted() {
    assertThat(
            Scripts.output(
                """
                import pprint
                d = {"a": "x" * 90}
                d["d"] = d
                print(pprint.pformat(d)[-26:])
                """))
        .endsWith("'d': <Recursion on dict>}");
  }
}
