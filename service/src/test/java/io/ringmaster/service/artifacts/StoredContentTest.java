package io.ringmaster.service.artifacts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.service.config.Sha256;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StoredContentTest {

  private static final int SIZE = 100_000;

  private final byte[] kept = new byte[SIZE];
  private final List<Long> asked = new ArrayList<>();

  StoredContentTest() {
    new Random(3).nextBytes(kept);
  }

  private StoredFile file(byte[] stored) {
    return new StoredFile(
        "y.npy",
        SIZE,
        Optional.of(Sha256.hex(kept)),
        from -> {
          asked.add(from);
          return new ByteArrayInputStream(stored, (int) from, stored.length - (int) from);
        });
  }

  @Test
  void allOfItComesInOnePiece() throws IOException {
    try (var in = file(kept).getInputStream()) {
      assertThat(asked).isEmpty();
      assertThat(in.readAllBytes()).isEqualTo(kept);
      assertThat(in.read()).isEqualTo(-1);
    }
    assertThat(asked).containsExactly(0L);
  }

  @Test
  void whatIsSkippedIsNotFetched() throws IOException {
    try (var in = file(kept).getInputStream()) {
      in.skipNBytes(SIZE - 10);
      assertThat(in.readAllBytes()).isEqualTo(Arrays.copyOfRange(kept, SIZE - 10, SIZE));
    }
    assertThat(asked).containsExactly(SIZE - 10L);
  }

  @Test
  void aContentThatChangedNeverComesToItsEnd() throws IOException {
    byte[] other = kept.clone();
    other[5]++;
    var out = new ByteArrayOutputStream();
    try (var in = file(other).getInputStream()) {
      assertThatThrownBy(() -> in.transferTo(out))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("isn't what was kept");
    }
    assertThat(out.size()).isLessThan(SIZE);
  }

  @Test
  void aContentThatIsTooShortNeverComesToItsEnd() throws IOException {
    try (var in = file(Arrays.copyOf(kept, 50)).getInputStream()) {
      assertThatThrownBy(in::readAllBytes).hasMessageContaining("ends after 50 of 100000 bytes");
    }
  }
}
