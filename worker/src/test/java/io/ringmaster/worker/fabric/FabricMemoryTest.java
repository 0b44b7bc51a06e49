package io.ringmaster.worker.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where windows get their memory from, and where it goes. */
class FabricMemoryTest {

  private static final long BYTES = 1 << 20;

  private final SpareMemory spare = new SpareMemory();

  private Fabric fabric() {
    return new Fabric(List.of(), Long.MAX_VALUE, false, spare);
  }

  private static MemorySegment window(Fabric fabric, long bytes) {
    return fabric.allocate("data", "d", List.of(0), bytes).memory();
  }

  /** No machine has so many addresses. */
  @Test
  void memoryThatTheMachineHasNotIsNotTheHeapsFault() {
    try (Fabric fabric = fabric()) {
      assertThatThrownBy(() -> window(fabric, 1L << 50))
          .isInstanceOf(MemoryLimitExceeded.class)
          .hasMessageContaining("window buffer 'data' needs 1125899906842624 bytes")
          .hasMessageContaining("no native memory left");
      assertThatThrownBy(() -> fabric.local("pl.create_tensor", 1L << 50))
          .isInstanceOf(MemoryLimitExceeded.class)
          .hasMessageContaining("pl.create_tensor needs 1125899906842624 bytes");
    }
  }

  @Test
  void aPieceIsUsedAgainByOneAtATime() {
    Fabric first = fabric();
    MemorySegment piece = window(first, BYTES);
    first.close();
    assertThatThrownBy(first::close).isInstanceOf(IllegalStateException.class);
    try (Fabric second = fabric();
        Fabric third = fabric()) {
      MemorySegment again = window(second, BYTES);
      assertThat(again.address()).isEqualTo(piece.address());
      assertThat(window(third, BYTES).address()).isNotEqualTo(again.address());
    }
  }
}
