package io.ringmaster.worker.script;

import io.ringmaster.worker.script.OtherValues.Place;
import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.script.check.Launch;
import io.ringmaster.worker.script.check.Looked;
import io.ringmaster.worker.script.check.Misses;
import io.ringmaster.worker.script.check.Output;
import io.ringmaster.worker.script.check.Reads;
import io.ringmaster.worker.script.check.Tried;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Sees to it that no case is green because the first of its ranks is right: {@code ok = ok or
 * torch.allclose(y[r], golden[r])}, or a loop that ends there, never looks at the others. Where a
 * case leaves elements uncompared, it is read once more with all that it compares far off: one that
 * is green then, too, or only then finds that others are wrong, doesn't say what is right.
 */
final class Fallbacks {

  /** Rows of an output that are tried by themselves. */
  private static final int MOST_ROWS = 8;

  private final List<Launch> launches;
  private final Map<Output, KernelTape.Written> outputs;
  private final Rereadings readings;
  private final CheckBook checks;

  Fallbacks(KernelTape tape, List<Launch> launches, Rereadings readings, CheckBook checks) {
    this.outputs = tape.written(launches);
    this.launches = launches;
    this.readings = readings;
    this.checks = checks;
  }

  /** Takes from a case what its checks count for where it would be content with any of several. */
  void decide(String test) {
    Looked looks = new Looked(checks);
    Reads looked = looks.all(test);
    Map<Output, BitSet> changed = new LinkedHashMap<>();
    boolean partly = false;
    for (Output output : looked.outputs()) {
      if (!outputs.containsKey(output)) {
        return;
      }
      BitSet all = output.places(looked);
      BitSet places = looks.isByScript(test) ? noticed(test, output, all) : all;
      BitSet others = output.writtenPlaces();
      others.andNot(places);
      partly |= !others.isEmpty() && !places.isEmpty();
      changed.put(output, places);
    }
    if (partly) {
      listen(changed).ifPresent(listened -> decide(test, listened, changed));
    }
  }

  private Optional<Rereadings.Reading> listen(Map<Output, BitSet> changed) {
    Map<Place, Mutation> far = new LinkedHashMap<>();
    changed.forEach(
        (output, places) -> {
          KernelTape.Written written = outputs.get(output);
          if (written != null) {
            far.put(written.place(), new Mutation(Mutation.Kind.FAR_UP, 0, Long.MAX_VALUE, places));
          }
        });
    return readings.listen(far);
  }

  /**
   * Where only the script knows what it compares: the ranks' rows that it notices by themselves.
   */
  private BitSet noticed(String test, Output output, BitSet all) {
    BitSet noticed = new BitSet();
    int row = Math.toIntExact(output.row());
    for (int from = 0; from < all.length() && from / row < MOST_ROWS; from += row) {
      BitSet places = new BitSet();
      places.set(from, from + row);
      places.and(all);
      if (listen(Map.of(output, places))
          .filter(listened -> Rereadings.isRed(listened.result(), test))
          .isPresent()) {
        noticed.or(places);
      }
    }
    return noticed;
  }

  private void decide(String test, Rereadings.Reading listened, Map<Output, BitSet> changed) {
    List<Launch> ours = readings.ofThose(launches);
    if (listened.launches().size() != ours.size()) {
      return;
    }
    String names =
        changed.keySet().stream()
            .map(output -> "'" + output.name() + "'")
            .distinct()
            .collect(Collectors.joining(" and "));
    if (!Rereadings.isRed(listened.result(), test)) {
      // Outputs that are held against each other may be off together.
      if (changed.size() == 1 && !new Looked(checks).isByScript(test)) {
        new Tried(checks)
            .overlooks(test, "it also holds when all that it compares of " + names + " is far off");
      }
      return;
    }
    Set<List<Object>> before =
        checks.misses(test).stream().map(Misses.Miss::place).collect(Collectors.toSet());
    listened.checks().misses(test).stream()
        .filter(miss -> !before.contains(miss.place()))
        .filter(miss -> isElsewhere(miss.reads(), ours, listened.launches(), changed))
        .findFirst()
        .ifPresent(
            miss ->
                new Tried(checks)
                    .unheeded(
                        test,
                        miss.words()
                            + ", and nobody asks for it unless what is compared of "
                            + names
                            + " is wrong",
                        miss.line()));
  }

  /** True when it looked at nothing that was changed. */
  private static boolean isElsewhere(
      Reads reads, List<Launch> ours, List<Launch> theirs, Map<Output, BitSet> changed) {
    for (Output output : reads.outputs()) {
      int launch = theirs.indexOf(output.launch());
      int number = launch < 0 ? -1 : theirs.get(launch).outputs().indexOf(output);
      if (number < 0 || number >= ours.get(launch).outputs().size()) {
        return false;
      }
      BitSet places = changed.get(ours.get(launch).outputs().get(number));
      if (places != null && places.intersects(output.places(reads))) {
        return false;
      }
    }
    return !reads.isEmpty();
  }
}
