package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** What the platforms are said to do is what the compiler takes. */
class CapabilitiesTest {

  private static final String ALL = "FP32 FP16 BF16 INT64 INT32 INT16 INT8 UINT32 UINT16 UINT8";

  private static List<String> lines(Capabilities capabilities) {
    return capabilities.collectives().stream()
        .map(
            one ->
                "%s %s %s [%s] [%s] %s"
                    .formatted(
                        one.name(),
                        one.rail(),
                        one.mode(),
                        String.join(" ", one.reductions()),
                        String.join(" ", one.dtypes()),
                        one.maxRanks().isPresent() ? one.maxRanks().getAsInt() : "any"))
        .toList();
  }

  private static Capabilities of(String platform) {
    return Capabilities.of(platform).orElseThrow();
  }

  @Test
  void theCollectivesOfTheSimulatedChip() {
    assertThat(lines(of("a2a3sim")))
        .containsExactly(
            "barrier IN_CORE  [] [] 64",
            "barrier HOST  [] [] 16",
            "broadcast IN_CORE  [] [" + ALL + "] 64",
            "broadcast HOST  [] [FP32] 16",
            "allreduce IN_CORE mesh [Sum Max Min Prod] [FP32 FP16] 64",
            "allreduce HOST mesh [Sum Max Min Prod] [FP32 FP16] 16",
            "allreduce IN_CORE ring [Sum Max Min Prod] [FP32 FP16] 64",
            "allreduce HOST ring [Sum] [FP32] 16",
            "allgather IN_CORE  [] [" + ALL + "] 64",
            "allgather HOST  [] [FP32] 16",
            "reduce_scatter IN_CORE  [Sum] [" + ALL + "] 64",
            "reduce_scatter HOST  [Sum] [FP32] 16",
            "all_to_all IN_CORE  [] [" + ALL + "] 64",
            "all_to_all HOST  [] [FP32] 16",
            "all_to_all_v IN_CORE  [] [" + ALL + "] 64",
            "all_to_all_v HOST  [] [FP32] 16");
  }

  @Test
  void limitsAndCostsAreThoseOfTheProfile() {
    var chip = of("a5sim");
    assertThat(chip.onChipBytes()).containsEntry("vec", 240L << 10).hasSize(6);
    assertThat(chip.vectorCores()).isEqualTo(OptionalInt.of(36));
    assertThat(chip.costModel().name()).isEqualTo("a5-2");
    assertThat(chip.costModel().parameters()).containsEntry("dispatch.nanos", 8000.0);
    assertThat(chip.costModel().sources().get("port")).contains("assumption");
    var study = of("sim");
    assertThat(study.onChipBytes()).isEmpty();
    assertThat(study.vectorCores()).isEmpty();
    assertThat(lines(study)).contains("barrier HOST  [] [] any");
    assertThat(Capabilities.of("opencl")).isEmpty();
    assertThat(Capabilities.of("nothing")).isEmpty();
  }
}
