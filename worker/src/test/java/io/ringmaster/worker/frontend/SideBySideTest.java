package io.ringmaster.worker.frontend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever is wrong with one part of a statement, the parts beside it are read: every name {@code
 * nope_x} of a program, which nothing defines, is said, and besides them only what is expected.
 */
class SideBySideTest {

  private static final Pattern UNDEFINED = Pattern.compile("\\bnope_\\w+\\b");

  /** A body and the phrases of the other messages about it; {@code " ; "} ends a line. */
  record Case(String form, String body, List<String> others) {
    @Override
    public String toString() {
      return form + ": " + body;
    }
  }

  static Case in(String form, String body, String... others) {
    return new Case(form, body.replace(" ; ", "\n"), Arrays.asList(others));
  }

  static Stream<Case> cases() {
    return Stream.of(
        in("incore", "t = pl.read(x, [nope_a, nope_b])"),
        in("incore", "t = x[nope_a, nope_b]"),
        in("incore", "t = x[nope_a : nope_b, nope_c : nope_d]"),
        in("incore", "t = nope_a[nope_b, nope_c : nope_d]"),
        in("incore", "x[nope_a, nope_b : nope_c] = nope_d"),
        in("incore", "nope_a[nope_b] = nope_c"),
        in(
            "incore",
            "if nope_a == 1 and nope_b == 2 or nope_c == 3: ;     pl.store(nope_d, [0, 0], y)"),
        in(
            "incore",
            "for i in pl.range(nope_a, nope_b, nope_c): ;     pl.store(nope_d, [0, i], y)"),
        in(
            "incore",
            "for i in pl.range(nope_a, stop=nope, start=nope): ;     pl.store(nope_d, [0, i], y)",
            "unexpected keyword argument 'stop'",
            "unexpected keyword argument 'start'"),
        in(
            "incore",
            "for i, (a, b) in pl.range(nope_a, init_values=(nope_b, nope_c)): ;    "
                + " pl.store(nope_d, [0, i], y) ;     r, s = pl.yield_(nope_e, nope_f) ; pl.add(r,"
                + " s)"),
        in("incore", "for i in pl.unroll(nope_a, nope_b): ;     pl.store(nope_d, [0, i], y)"),
        in(
            "incore",
            "for i in range(4): ;     pl.store(nope_d, [0, i], y)",
            "For loop must use pl.range()"),
        in(
            "incore",
            "for i in pl.range(2): ;     pl.load(nope_a, [0, 0], [1, 64]) ; else: ;    "
                + " pl.load(nope_b, [0, 0], [1, 64])",
            "for ... else is not supported"),
        in(
            "incore",
            "while nope_a: ;     pl.load(nope_b, [0, 0], [1, 64]) ; else: ;     pl.load(nope_c, [0,"
                + " 0], [1, 64])",
            "while ... else is not supported"),
        in("incore", "return nope_a, nope_b, x"),
        in("incore", "t: pl.Tensor[[nope_a, nope_b], nope_c] = pl.add(nope_d, nope_e)"),
        in("incore", "t = pl.const(nope_a, nope_b)"),
        in("incore", "t = pl.loda(nope_a, offsets=nope_b)", "Unknown operation 'pl.loda'"),
        in("incore", "a = b = pl.add(nope_a, nope_b) ; pl.add(a, b)", "chained assignment"),
        in("incore", "n += nope_a ; t = n + nope_b", "Unsupported statement type: AugAssign"),
        in(
            "incore",
            "try: ;     t = pl.load(nope_a, [0, 0], [1, 64]) ; finally: ;     pl.store(t, [0,"
                + " nope_b], y)",
            "Unsupported statement type: Try"),
        in(
            "incore",
            "def scaled(t): ;     return t ; u = scaled(nope_a) ; pl.store(u, [0, nope_b], y)",
            "Unsupported statement type: FunctionDef"),
        in(
            "incore",
            "import math ; u = math.sqrt(nope_a) ; pl.store(u, [0, nope_b], y)",
            "Unsupported statement type: Import"),
        in("orchestration", "self.kernel(nope_a, nope_b, data, nope_c)"),
        in("orchestration", "self.kernle(nope_a, nope_b)", "Function 'kernle' not defined"),
        in(
            "orchestration",
            "self.kernel(nope_a, y, data, sig, mode=nope_b)",
            "does not accept keyword argument 'mode'"),
        in("orchestration", "self.kernel(nope_a, nope_b)", "expects 4 argument(s), got 2"),
        in(
            "orchestration",
            "self.kernel(data, x, x, y)",
            "parameter 'y' is Tensor [1, 256] FP32, which is larger than the argument",
            "Cannot determine the communication context of DistributedTensor 'data'",
            "Cannot determine the communication context of DistributedTensor 'sig'"),
        in("host", "self.chip(nope_a, y, data, sig, device=nope_b)"),
        in(
            "orchestration",
            "with pl.at(nope=1, level=pl.Level.CORE_GROUP): ;     t = pl.load(nope_a, [0, 0], [1,"
                + " 64]) ;     u = pl.load(x, [0, 0], [1, 64]) ;     pl.store(u, [0, nope_b], y)",
            "pl.at() got an unexpected keyword argument 'nope'"),
        in(
            "orchestration",
            "with pl.at(level=pl.Level.CHIP): ;     u = pl.load(x, [0, 0], [1, 64]) ;    "
                + " pl.store(u, [0, nope_b], y)",
            "pl.at(level=pl.Level.CHIP) with no role"),
        in(
            "host",
            "with pl.att(level=pl.Level.CORE_GROUP): ;     u = pl.load(x, [0, 0, 0], [1, 1, 64]) ; "
                + "    with pl.at(): ;         pl.store(u, [0, nope_b], y) ;     v = pl.exq(u)",
            "Unsupported with statement: pl.att",
            "pl.at needs level=",
            "Unknown operation 'pl.exq'"),
        in(
            "orchestration",
            "with pl.spmd(4, nope=1): ;     i = pl.tile.get_block_idx() ;     u = pl.load(x, [0,"
                + " i], [1, 64]) ;     pl.store(u, [0, nope_b], y)",
            "pl.spmd() got an unexpected keyword argument 'nope'"),
        in(
            "orchestration",
            "for lane in pl.split_aiv(2, nope=1): ;     u = pl.load(x, [0, 0], [1, 64]) ;     v ="
                + " pl.aiv_shard(u) ;     pl.store(v, [0, nope_b], y)",
            "pl.split_aiv stands in a function of level"),
        in(
            "jit-kernel",
            "t = doubled(nope_a) ; u = doubled(t, nope_b, nope_c)",
            "expects 1 argument"),
        in("jit-chip", "kernel(nope_a, data=nope_b, y=nope_c)"),
        in(
            "jit-chip",
            "kernel(nope_a, y, dta=nope_b, x=nope_c)",
            "does not accept keyword argument 'dta'",
            "got multiple values for argument 'x'"),
        in(
            "jit-chip",
            "kernel(3, 4, 5)",
            "parameter 'x' is Tensor, got int",
            "parameter 'y' is Tensor, got int",
            "parameter 'data' is DistributedTensor, got int"),
        in("jit-host", "chip(nope_a, nope_b, x, device=nope_c)"));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void allPartsAreRead(Case wrong) {
    requireExactly(wrong);
  }

  /** The undefined names of a program and what is expected besides are said, and nothing else. */
  static void requireExactly(Case wrong) {
    String source = Frame.named(wrong.form()).with(wrong.body());
    List<String> expected = new ArrayList<>();
    UNDEFINED
        .matcher(wrong.body())
        .results()
        .map(MatchResult::group)
        .distinct()
        .forEach(name -> expected.add("Undefined variable '" + name + "'"));
    expected.addAll(wrong.others());
    DiagnosticException refused =
        catchThrowableOfType(DiagnosticException.class, () -> Kernels.build(source));
    assertThat(refused).as("refused:%n%s", source).isNotNull();
    List<String> said = refused.diagnostics().stream().map(Diagnostic::message).toList();
    assertThat(said).as("%s", refused.diagnostics()).hasSameSizeAs(expected);
    assertThat(expected).allSatisfy(phrase -> assertThat(said).anyMatch(m -> m.contains(phrase)));
  }
}
