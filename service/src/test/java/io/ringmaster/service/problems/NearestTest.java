package io.ringmaster.service.problems;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestTest {

  private static final List<String> NAMES = List.of("devices", "labels", "limits", "platform");

  @Test
  void aTypoIsRecognised() {
    assertThat(Nearest.to("platfrom", NAMES)).contains("platform");
    assertThat(Nearest.to("Devices", NAMES)).contains("devices");
    assertThat(Nearest.to("limit", NAMES)).contains("limits");
  }

  @Test
  void somethingElseIsNot() {
    assertThat(Nearest.to("tolerance", NAMES)).isEmpty();
    assertThat(Nearest.hint("tolerance", NAMES))
        .isEqualTo("Known: devices, labels, limits, platform.");
  }
}
