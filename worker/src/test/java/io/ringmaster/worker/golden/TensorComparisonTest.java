package io.ringmaster.worker.golden;

import static io.ringmaster.worker.golden.TestTensors.floats;
import static io.ringmaster.worker.golden.TestTensors.tensor;
import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules of allclose, rounding into element types, and unwritten outputs. */
class TensorComparisonTest {

  @ParameterizedTest
  @CsvSource({
    "1.0,       1.0,      0,    0,    true",
    "1.0,       1.1,      0,    0.2,  true",
    "1.0,       1.25,     0,    0.25, true",
    "1.0,       1.5,      0,    0.25, false",
    "90,        100,      0.1,  0,    true",
    "100,       90,       0.1,  0,    false",
    "Infinity,  Infinity, 0,    0,    true",
    "Infinity,  1,        1,    1,    false",
    "1,         Infinity, 1,    1,    false",
    "-Infinity, Infinity, 1,    1,    false",
    "NaN,       NaN,      1,    1,    false",
    "NaN,       1,        1,    1,    false",
  })
  void allcloseBoundsTheDifferenceByTheExpectedValue(
      double a, double b, double rtol, double atol, boolean close) {
    assertThat(TensorComparison.allclose(floats(a), floats(b), rtol, atol, false).holds())
        .isEqualTo(close);
  }

  @Test
  void nanIsCloseToNanOnlyWhenAsked() {
    HostTensor a = floats(1, Double.NaN);
    assertThat(TensorComparison.allclose(a, a, 0, 0, true).holds()).isTrue();
    TensorComparison strict = TensorComparison.allclose(a, a, 0, 0, false);
    assertThat(strict.mismatches()).isEqualTo(1);
    assertThat(strict.nanMismatches()).isEqualTo(1);
  }

  @Test
  void theLargestAndTheFirstDifferenceAreFound() {
    HostTensor a = tensor(DType.FP32, new long[] {2, 2}, 1, 2, 3, 4);
    HostTensor b = tensor(DType.FP32, new long[] {2, 2}, 1, 2.5, 3, 9);
    TensorComparison comparison = TensorComparison.allclose(a, b, 0, 0.1, false);
    assertThat(comparison.elements()).isEqualTo(4);
    assertThat(comparison.mismatches()).isEqualTo(2);
    assertThat(comparison.maxAbsDifference()).isEqualTo(5);
    assertThat(comparison.maxAt()).containsExactly(1L, 1L);
    assertThat(comparison.firstAt()).containsExactly(0L, 1L);
    assertThat(comparison.firstActual()).isEqualTo(2);
    assertThat(comparison.firstExpected()).isEqualTo(2.5);
  }

  @Test
  void bigIntegersAreComparedExactly() {
    HostTensor a = tensor(DType.INT64, new long[] {1}, 0);
    HostTensor b = tensor(DType.INT64, new long[] {1}, 0);
    Elements.of(a.buffer(), DType.INT64).setLong(0, (1L << 60) + 1);
    Elements.of(b.buffer(), DType.INT64).setLong(0, 1L << 60);
    assertThat(TensorComparison.equal(a, b).mismatches()).isEqualTo(1);
    assertThat(TensorComparison.equal(a, b).maxAbsDifference()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({
    "FP16, 65504,          65504",
    "FP16, 65520,          Infinity",
    "FP16, 2049,           2048",
    "FP16, 2051,           2052",
    "FP16, 2049.0000001,   2050",
    "BF16, 1.00390625,     1.0",
    "BF16, 1.01171875,     1.015625",
    "BF16, 1.0039062500001, 1.0078125",
    "FP32, 16777217,       16777216",
    "INT8, 200,            -56",
    "UINT8, -1,            255",
    "BOOL, 2,              1",
  })
  void storingRoundsOnceToTheElementType(DType type, double value, double stored) {
    HostTensor tensor = HostTensor.zeros(type, 1);
    Elements elements = Elements.of(tensor.buffer(), type);
    elements.setDouble(0, value);
    assertThat(elements.getDouble(0)).isEqualTo(stored);
  }

  @Test
  void unwrittenRowsOfAPromisedOutputAreNamed() {
    HostTensor y = HostTensor.zeros(DType.FP32, 4, 2);
    assertThat(NeverWritten.in(y)).isEmpty();
    y.buffer().promised().add(0, 32);
    assertThat(NeverWritten.in(y).orElseThrow().sentence())
        .isEqualTo("never written: every element");
    y.buffer().written().add(0, 16);
    assertThat(NeverWritten.in(y).orElseThrow().sentence()).isEqualTo("never written: rows 2, 3");
    y.buffer().written().add(16, 28);
    assertThat(NeverWritten.in(y).orElseThrow().sentence())
        .isEqualTo("never written: row 3 elements 1..1");
    assertThat(NeverWritten.in(y.row(0))).isEmpty();
    assertThat(NeverWritten.in(y.row(3)).orElseThrow().elements()).isEqualTo(1);
    y.buffer().written().add(28, 32);
    assertThat(NeverWritten.in(y)).isEmpty();
  }
}
