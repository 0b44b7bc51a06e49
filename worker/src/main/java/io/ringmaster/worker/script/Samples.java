package io.ringmaster.worker.script;

import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.script.check.Looked;
import io.ringmaster.worker.script.check.Output;
import java.util.BitSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Chooses the elements of an output that are tried one by one. */
final class Samples {

  /** Elements that are tried beside the first that is noticed. */
  private static final int SAMPLES = 16;

  private Samples() {}

  /** Some of the elements that are looked at; none when there are only a few. */
  static long[] of(String test, Target target, CheckBook checks) {
    long[] elements = elements(test, target, checks);
    long all = 0;
    for (int i = 0; i < elements.length; i += 2) {
      all += elements[i + 1] - elements[i];
    }
    if (all < 4) {
      return new long[0];
    }
    long[] samples = new long[SAMPLES];
    for (int sample = 0; sample < SAMPLES; sample++) {
      long at = Math.floorMod((sample * 0x9E3779B97F4A7C15L) >>> 8, all);
      int range = 0;
      while (at >= elements[range + 1] - elements[range]) {
        at -= elements[range + 1] - elements[range];
        range += 2;
      }
      samples[sample] = at + elements[range];
    }
    return samples;
  }

  /** All that is looked at of an output, where that is little. */
  static long[] few(String test, Target target, CheckBook checks) {
    long[] elements = elements(test, target, checks);
    return IntStream.range(0, elements.length / 2)
        .mapToObj(i -> LongStream.range(elements[2 * i], elements[2 * i + 1]))
        .flatMapToLong(range -> range)
        .toArray();
  }

  private static long[] elements(String test, Target target, CheckBook checks) {
    BitSet only = target.only();
    return only == null ? new Looked(checks).looksAt(test, target.output()) : Output.ranges(only);
  }
}
