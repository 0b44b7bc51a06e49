package io.ringmaster.worker.golden;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.tensor.DType;
import org.junit.jupiter.api.Test;

/** A step is the distance to the next value of a type. */
class UlpsTest {

  @Test
  void stepsOfFp32AreThoseOfJava() {
    for (float value : new float[] {0f, 1f, 1.5f, 2f, 3e-39f, 1e30f, -7f}) {
      assertThat(Ulps.at(DType.FP32, value)).as("%s", value).isEqualTo(Math.ulp(value));
    }
  }

  @Test
  void shorterTypesHaveWiderSteps() {
    assertThat(Ulps.at(DType.FP16, 1)).isEqualTo(Math.scalb(1.0, -10));
    assertThat(Ulps.at(DType.FP16, 0)).isEqualTo(Math.scalb(1.0, -24));
    assertThat(Ulps.at(DType.BF16, -4)).isEqualTo(Math.scalb(1.0, -5));
    assertThat(Ulps.at(DType.INT32, 4)).isZero();
  }
}
