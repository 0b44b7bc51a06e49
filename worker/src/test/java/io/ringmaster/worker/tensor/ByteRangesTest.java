package io.ringmaster.worker.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ByteRangesTest {

  @Test
  void addsRemovesAndAnswersLikeASetOfBytes() {
    var random = new SplittableRandom(3);
    for (int round = 0; round < 200; round++) {
      var ranges = new ByteRanges();
      var bits = new BitSet();
      for (int step = 0; step < 40; step++) {
        int from = random.nextInt(64);
        int to = from + random.nextInt(16);
        if (random.nextInt(3) == 0) {
          ranges.remove(from, to);
          bits.clear(from, to);
        } else {
          ranges.add(from, to);
          bits.set(from, to);
        }
        int low = random.nextInt(70);
        int high = low + random.nextInt(10);
        assertThat(ranges.size()).isEqualTo(bits.cardinality());
        assertThat(ranges.containsAll(low, high)).isEqualTo(bits.nextClearBit(low) >= high);
        int next = bits.nextSetBit(low);
        assertThat(ranges.intersects(low, high)).isEqualTo(next >= 0 && next < high);
      }
    }
  }
}
