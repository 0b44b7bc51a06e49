package io.ringmaster.service.problems;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestTest {

  private static final List<String> NAMES = List.of("devices", "labels", "pool", "platform");

  @Test
  void aNearNameIsSuggested() {
    assertThat(Nearest.to("platfrom", NAMES)).contains("platform");
    assertThat(Nearest.hint("platfrom", NAMES)).isEqualTo("Did you mean platform?");
  }

  @Test
  void elseAllAreNamed() {
    assertThat(Nearest.to("foo", NAMES)).isEmpty();
    assertThat(Nearest.hint("foo", NAMES)).isEqualTo("Known: devices, labels, pool, platform.");
    assertThat(Nearest.hint("foo", List.of())).isEqualTo("None are known here.");
  }
}
