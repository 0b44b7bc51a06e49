package io.ringmaster.worker.script;

import io.ringmaster.worker.script.check.Coarse;
import io.ringmaster.worker.script.check.Output;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Tries how far a single element of an output may be off without the script noticing, where its
 * checks say nothing of it: one that holds {@code y.int()} against whole numbers, or text against
 * text, lets through what it has taken away from both sides before.
 */
final class Coarseness {

  /** Elements that are tried, upwards and downwards. */
  private static final int SAMPLES = 4;

  /** Unnoticed changes that are made larger to see how far they go. */
  private static final int CLIMBED = 2;

  /** Nobody looks at an element that may be off by so many times the largest value. */
  private static final int FAR = 4;

  /** How much a change grows from one trial to the next. */
  private static final double STEP = 2;

  /** Above a tolerance by so much, a change is hidden by something else. */
  private static final double BEYOND_TOLERANCE = 64;

  /** Where nobody knows what the script allows, a change is tried that few would allow. */
  private static final double PART_OF_LARGEST = 1.0 / 256;

  /** Small elements are changed by a part of this part of the largest at least. */
  private static final double SMALL = 1.0 / 1024;

  private final Predicate<Map<OtherValues.Place, Mutation>> notices;

  /** {@code notices} reads the script with changes, and tells whether it turns red. */
  Coarseness(Predicate<Map<OtherValues.Place, Mutation>> notices) {
    this.notices = notices;
  }

  /** An element, changed to one side; {@code by} is never negative. */
  private record Change(int element, int sign, double by) {

    Change larger() {
      return new Change(element, sign, by * STEP);
    }
  }

  /**
   * Tries some elements.
   *
   * @param places elements to choose from
   * @param allowed what the checks say that they let through
   * @return the largest change that goes unnoticed; empty where each of those that matter is
   *     noticed
   */
  Optional<Coarse> in(
      OtherValues.Place place, Output output, Kept kept, long[] places, Coarse.Allowed allowed) {
    double[] values = kept.values();
    double largest = 0;
    for (double value : values) {
      largest = Double.isFinite(value) ? Math.max(largest, Math.abs(value)) : largest;
    }
    DType type = kept.content().dtype();
    double part = partOf(type);
    if (largest == 0 || (part == 0 && !type.isInteger())) {
      return Optional.empty();
    }
    List<Change> hidden = new ArrayList<>();
    int tried = 0;
    for (int i = 0; i < places.length && tried < SAMPLES && hidden.size() < CLIMBED; i++) {
      int element = (int) places[i];
      if (!Double.isFinite(values[element])) {
        continue;
      }
      tried++;
      double least =
          type.isInteger() ? 1 : Math.max(Math.abs(values[element]), largest * SMALL) * part;
      double by = Math.max(least, beyond(allowed, values[element], largest));
      by = type.isInteger() ? Math.ceil(by) : by;
      for (int sign : new int[] {1, -1}) {
        Change change = new Change(element, sign, by);
        boolean more = hidden.size() < CLIMBED && fits(type, change, values);
        if (more && isHidden(place, change, values)) {
          hidden.add(change);
        }
      }
    }
    double most = largest;
    return hidden.stream()
        .map(change -> climbed(place, change, values, most))
        .max((one, other) -> Double.compare(one.by(), other.by()))
        .map(change -> new Coarse(output, change.element(), change.sign() * change.by(), most));
  }

  private static double beyond(Coarse.Allowed allowed, double value, double largest) {
    return allowed.isKnown()
        ? BEYOND_TOLERANCE * (allowed.atol() + allowed.rtol() * Math.abs(value))
        : largest * PART_OF_LARGEST;
  }

  /** The part of a value that a kernel's type tells from the next one, with some room. */
  private static double partOf(DType type) {
    return switch (type) {
      case FP64, FP32 -> Math.scalb(1.0, -12);
      case FP16 -> Math.scalb(1.0, -9);
      case BF16 -> Math.scalb(1.0, -6);
      default -> 0;
    };
  }

  private static boolean fits(DType type, Change change, double[] values) {
    double moved = values[change.element()] + change.sign() * change.by();
    boolean signed = type.kind() != DType.Kind.UNSIGNED;
    int bits = type.bytes() * 8 - (signed ? 1 : 0);
    return !type.isInteger() || (moved < Math.scalb(1.0, bits) && (signed || moved >= 0));
  }

  private boolean isHidden(OtherValues.Place place, Change change, double[] values) {
    double[] moved = values.clone();
    moved[change.element()] += change.sign() * change.by();
    return !notices.test(Map.of(place, Mutation.to(moved)));
  }

  /** The same, as large as it can be; infinite for an element that nobody looks at. */
  private Change climbed(OtherValues.Place place, Change from, double[] values, double largest) {
    Change last = from;
    for (Change next = from.larger(); isHidden(place, next, values); next = next.larger()) {
      if (next.by() > FAR * largest) {
        return new Change(from.element(), from.sign(), Double.POSITIVE_INFINITY);
      }
      last = next;
    }
    return last;
  }
}
