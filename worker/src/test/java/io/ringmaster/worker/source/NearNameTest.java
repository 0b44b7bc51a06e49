package io.ringmaster.worker.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearNameTest {

  private static final List<String> NAMES =
      List.of(
          "devices",
          "labels",
          "limits",
          "platform",
          "pool",
          "float32",
          "oct",
          "pl",
          "x",
          "std",
          "exp",
          "pl.tile.cos",
          "pl.tensor.matmul");

  @ParameterizedTest
  @CsvSource({
    "platfrom, platform",
    "Devices, devices",
    "limit, limits",
    "plo, pl",
    "poll, pool",
    "FLOAT32, float32",
    "lp, pl",
    "stdd, std",
    "epx, exp",
    "ex, exp",
    "pl.tensor.matmull, pl.tensor.matmul",
    "pl.tesnor.matmul, pl.tensor.matmul",
    "X, x"
  })
  void aTypoIsRecognised(String given, String meant) {
    assertThat(NearName.of(given, NAMES)).contains(meant);
  }

  @ParameterizedTest
  @CsvSource({
    "foo",
    "tolerance",
    "OUT",
    "y",
    "ab",
    "polo1x",
    "''",
    "svd",
    "exq",
    "pl.tile.foo",
    "pl.tile.sin",
    "pl.matmul",
    "pl.tile.matmul",
    "pld.tensor.cos",
    "."
  })
  void somethingElseIsNot(String given) {
    assertThat(NearName.of(given, NAMES)).isEmpty();
  }

  @Test
  void whatIsTooMuchToCompareIsNearToNothing() {
    assertThat(NearName.of("x".repeat(65), List.of("x".repeat(65)))).isEmpty();
    List<String> many = IntStream.range(0, 2_001).mapToObj(i -> "name" + i).toList();
    assertThat(NearName.of("name1", many)).isEmpty();
  }

  @Test
  void ofSeveralThatAreAsNearTheFirstInTheAlphabetIsMeant() {
    assertThat(NearName.of("pooz", List.of("pool", "poof"))).contains("poof");
  }
}
