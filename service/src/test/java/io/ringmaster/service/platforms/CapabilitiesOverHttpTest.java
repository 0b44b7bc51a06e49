package io.ringmaster.service.platforms;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.TestService;
import org.junit.jupiter.api.Test;

/** What a platform can do, as clients read it. */
class CapabilitiesOverHttpTest {

  @Test
  void whatAPlatformCanDoIsSaidInFull() {
    try (var service = TestService.inMemory("--ringmaster.workers.embedded=0")) {
      var api = service.api();
      var chip = api.get("/api/v1/platforms/a2a3sim/capabilities").expect(200).json();
      var ring = chip.get("collectives").valueStream().filter(c -> c.has("mode")).toList().get(3);
      assertThat(ring.toString())
          .isEqualTo(
              "{\"name\":\"allreduce\",\"rail\":\"HOST\",\"mode\":\"ring\",\"reductions\":[\"Sum\"],"
                  + "\"dtypes\":[\"FP32\"],\"maxRanks\":16}");
      assertThat(chip.at("/costModel/sources/link").asString()).contains("assumption");
      assertThat(chip.at("/onChipBytes/vec").asLong()).isEqualTo(188_416);
      var study = api.get("/api/v1/platforms/sim/capabilities").expect(200).json();
      assertThat(study.has("vectorCores")).isFalse();
      for (var other : new String[] {"opencl", "nothing"}) {
        assertThat(
                api.get("/api/v1/platforms/" + other + "/capabilities").expect(404).get("detail"))
            .contains("a2a3sim, a5sim, sim", other);
      }
    }
  }
}
