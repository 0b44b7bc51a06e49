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

/**
 * Sees to it that no case is green with a comparison that failed and of which nothing came. Where
 * the script would turn red if that part of the output were far off, something else looks there;
 * where it would turn red if the golden stood there, it wants the difference. Else the failure was
 * found and forgotten.
 */
final class Unheeded {

  /** Failed comparisons of a case that are tried. */
  private static final int MOST = 16;

  private final Trials trials;
  private final CheckBook checks;
  private final Map<Output, KernelTape.Written> outputs;

  Unheeded(KernelTape tape, List<Launch> launches, Trials trials, CheckBook checks) {
    this.trials = trials;
    this.checks = checks;
    this.outputs = tape.written(launches);
  }

  /** Takes from a case what its checks count for when nothing came of one that failed. */
  void decide(String test) {
    for (Misses.Miss miss : checks.lenient(test)) {
      if (isFarUnheeded(test, miss)) {
        new Tried(checks)
            .unheeded(
                test,
                miss.words() + ", and it also holds when those are something else",
                miss.line());
        return;
      }
    }
    int tried = 0;
    for (Misses.Miss miss : checks.misses(test)) {
      if (tried++ >= MOST) {
        return;
      }
      if (isUnheeded(test, miss)) {
        new Tried(checks)
            .unheeded(
                test,
                miss.words()
                    + ", and nothing comes of it: the script is green all the same when that part of '"
                    + miss.reads().outputs().getFirst().name()
                    + "' is far off",
                miss.line());
        return;
      }
    }
  }

  private boolean isUnheeded(String test, Misses.Miss miss) {
    Reads looked = miss.reads();
    Map<Place, Mutation> far = new LinkedHashMap<>();
    boolean changes = false;
    for (Output output : looked.outputs()) {
      KernelTape.Written written = outputs.get(output);
      if (written == null) {
        return !new Looked(checks).unchecked(test, looked).isEmpty();
      }
      Mutation mutation = far(output.places(looked), written.kept());
      far.put(written.place(), mutation);
      changes |= mutation.alters(written.kept());
    }
    return changes
        && !trials.reads(far).isRed(test)
        && repaired(miss).filter(right -> trials.reads(right).isRed(test)).isEmpty();
  }

  /** True when nobody acts on what is off already, and isn't wanted to be. */
  private boolean isFarUnheeded(String test, Misses.Miss miss) {
    List<Output> looked = miss.reads().outputs();
    KernelTape.Written written = looked.size() == 1 ? outputs.get(looked.getFirst()) : null;
    if (written == null) {
      return false;
    }
    int[] at = looked.getFirst().places(miss.reads()).stream().toArray();
    if (miss.golden().filter(golden -> golden.length == at.length).isEmpty()) {
      return false;
    }
    BitSet places = new BitSet();
    miss.apart().stream().forEach(i -> places.set(at[i]));
    Mutation mutation = far(places, written.kept());
    return mutation.alters(written.kept())
        && !trials.reads(Map.of(written.place(), mutation)).isRed(test)
        && repaired(miss).filter(right -> trials.reads(right).isRed(test)).isEmpty();
  }

  /** Far up, or down where a type has no room above. */
  private static Mutation far(BitSet only, Kept kept) {
    Mutation up = new Mutation(Mutation.Kind.FAR_UP, 0, Long.MAX_VALUE, only);
    return up.alters(kept) ? up : new Mutation(Mutation.Kind.FAR_DOWN, 0, Long.MAX_VALUE, only);
  }

  /** The output with the golden in the place of what missed it. */
  private Optional<Map<Place, Mutation>> repaired(Misses.Miss miss) {
    Output output = miss.reads().outputs().getFirst();
    KernelTape.Written written = outputs.get(output);
    int[] at = output.places(miss.reads()).stream().toArray();
    if (written == null || miss.reads().outputs().size() != 1) {
      return Optional.empty();
    }
    return miss.golden()
        .filter(golden -> golden.length == at.length)
        .map(
            golden -> {
              double[] values = written.kept().values();
              for (int i = 0; i < at.length; i++) {
                values[at[i]] = golden[i];
              }
              return Map.of(written.place(), Mutation.to(values));
            });
  }
}
