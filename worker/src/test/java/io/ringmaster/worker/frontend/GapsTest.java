package io.ringmaster.worker.frontend;

import static io.ringmaster.worker.frontend.SideBySideTest.in;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A function with a refused statement is judged as a whole all the same, and nothing is held
 * against it that the refused statement might have set right.
 */
class GapsTest {

  static Stream<SideBySideTest.Case> cases() {
    return Stream.of(
        in(
            "host",
            "dead = pld.alloc_window_buffer(64) ; t = pl.slice(nope_a, [1], [0])",
            "'dead' has no pld.tensor.window materialisation"),
        in("host", "used = pld.alloc_window_buffer(64) ; v = pld.window(used, [nope_a])"),
        in(
            "host",
            "used = pld.alloc_window_buffer(64) ; v = pld.window(used, [4, 1], dtype=pl.INT32) ; "
                + "self.chip(x[0], y[0], nope_a, v, device=0)"),
        in(
            "host",
            "for r in pl.range(nope_a): ;     self.chip(x[r], y[r], data, sig, device=r)",
            "'data' was passed as InOut/Out at line",
            "'sig' was passed as InOut/Out at line"),
        in(
            "host",
            "for r in range(4): ;     self.chip(x[r], y[r], data, sig, device=r)",
            "For loop must use pl.range()",
            "'data' was passed as InOut/Out at line",
            "'sig' was passed as InOut/Out at line"),
        in(
            "host",
            "nope = nope_a ; self.chip(x[0], y[0], data, sig, device=me_too)",
            "Undefined variable 'me_too'"),
        in(
            "host",
            "i = nope_a ; for r in pl.range(0, 4, 2): ;"
                + "     self.chip(x[r], y[r], data, sig, device=r)",
            "over a non-unit-step loop is not supported",
            "'data' was passed as InOut/Out at line",
            "'sig' was passed as InOut/Out at line"),
        in(
            "orchestration",
            "self.kernel(x, y, data, sig) ; t = pl.slice(nope_a, [1], [0]) ; "
                + "self.kernel(x, out, data, sig)",
            "'data' was passed as InOut/Out at line",
            "'sig' was passed as InOut/Out at line"),
        in(
            "orchestration",
            "for i in pl.range(2): ;     self.kernel(x, y, data, sig) ;"
                + "     data = pl.slice(nope_a, [1], [0]) ;     sig = pl.slice(nope_b, [1], [0]) ;"
                + "     y = pl.slice(nope_c, [1], [0])"),
        in(
            "orchestration",
            "if x[0, 0] > 0.0: ;     self.kernel(x, y, data, sig) ;     return nope_a ; "
                + "self.kernel(x, out, data, sig)"),
        in(
            "orchestration",
            "if x[0, 0] > 0.0: ;     self.kernel(x, y, data, sig) ;     raise ValueError ; "
                + "self.kernel(x, out, data, sig)",
            "Unsupported statement type: Raise"),
        in(
            "incore",
            "if me == 0: ;     return nope_a ; else: ;     t = pl.load(x, [0, 0], [1, 64]) ; "
                + "pl.store(t, [0, 0], y)"),
        in(
            "incore",
            "if me == nope_a: ;     t = pl.load(x, [0, 0], [1, 64]) ; else: ;     t = nope_b ; "
                + "pl.store(t, [0, 0], y)"),
        in(
            "incore",
            "t = pl.load(x, [0, 0], [1, 64]) ; pl.store(t, [0, 0], y) ; u = pl.exp(nope_a) ; "
                + "pl.write(y, [0, 0], 1.0)",
            "mixes MTE3 and scalar stores"),
        in("incore", "a = pl.full([1, NR], pl.FP32, nope_a) ; b = NR + 1", "Cannot recover"),
        in("incore", "for i in pl.range(2): ;     t = nope_a ;     pl.store(t, [0, nope_b], y)"),
        in(
            "jit-kernel",
            "t = pl.load(x, [0, 0], [1, SIZE]) ; for i in pl.range(2): ;"
                + "     u = pl.exp(t) ;     t = pl.exp(nope_a)"),
        in(
            "jit-kernel",
            "if n == 0: ;     t = pl.load(x, [0, 0], [1, SIZE]) ; else: ;     t = 3 ;"
                + "     t = nope_a ; pl.store(t, [0, 0], y)"),
        in(
            "jit-chip",
            "y = kernel(x, y, data) ; z = nope_a ; z = kernel(x, y, data)",
            "'data' was"));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theRestIsJudged(SideBySideTest.Case wrong) {
    SideBySideTest.requireExactly(wrong);
  }
}
