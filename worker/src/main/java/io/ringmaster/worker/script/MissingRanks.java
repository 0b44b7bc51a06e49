package io.ringmaster.worker.script;

import io.ringmaster.worker.script.OtherValues.Place;
import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.script.check.Launch;
import io.ringmaster.worker.script.check.Looked;
import io.ringmaster.worker.script.check.Output;
import io.ringmaster.worker.script.check.Reads;
import io.ringmaster.worker.script.check.Tried;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Tries whether a script notices that what one rank gives is missing: the kernel is run once more
 * with zeros in the place of that rank's share, and the script read again with what comes of it. A
 * tolerance that takes in a whole rank doesn't verify an exchange between ranks.
 */
final class MissingRanks {

  /** Launches of a case that are tried, the last ones. */
  private static final int MOST_LAUNCHES = 3;

  /** Ranks of a launch that are tried, the last and the first among them. */
  private static final int MOST_RANKS = 8;

  /** Kernel instructions for all of a script's rehearsals. */
  private static final long STEPS = 20_000_000;

  /** What a rank gives counts when it changes something by this part of the largest value. */
  private static final double MATERIAL = 1.0 / 128;

  private final KernelTape tape;
  private final List<Launch> launches;
  private final Trials trials;
  private final CheckBook checks;
  private long steps = STEPS;

  MissingRanks(KernelTape tape, List<Launch> launches, Trials trials, CheckBook checks) {
    this.tape = tape;
    this.launches = launches;
    this.trials = trials;
    this.checks = checks;
  }

  /** Takes from a case what its checks count for when they don't notice that a rank is missing. */
  void decide(String test) {
    int tried = 0;
    for (int i = launches.size() - 1; i >= 0 && tried < MOST_LAUNCHES; i--) {
      Optional<Rehearsal> rehearsal = tape.launches().get(i).rehearsal();
      if (rehearsal.isEmpty()) {
        continue;
      }
      Reads looked = new Looked(checks).loosely(test, launches.get(i).ranks());
      List<Output> seen =
          launches.get(i).outputs().stream().filter(looked.outputs()::contains).toList();
      if (seen.stream()
          .anyMatch(output -> !Looked.goesOn(output, launches, looked.outputs()::contains))) {
        tried++;
        if (isBlind(test, i, rehearsal.get(), looked)) {
          return;
        }
      }
    }
  }

  private boolean isBlind(String test, int launch, Rehearsal rehearsal, Reads looked) {
    int ranks = launches.get(launch).ranks();
    for (int i = 0; i < Math.min(ranks, MOST_RANKS) && steps > 0; i++) {
      // The last one first: it is the one that a loop leaves out.
      int rank =
          ranks - 1 - (int) ((long) i * (ranks - 1) / Math.max(1, Math.min(ranks, MOST_RANKS) - 1));
      Optional<Rehearsal.Run> run = rehearsal.without(rank, steps);
      steps -= run.map(Rehearsal.Run::steps).orElse(steps / 4);
      if (run.isEmpty()) {
        continue;
      }
      List<HostTensor> without = run.get().arguments();
      String how =
          holds(test, launch, without, looked, Change.MISSING)
                  || holds(test, launch, without, looked, Change.MISSING_FROM_GOLDEN)
              ? "is missing"
              : holds(test, launch, without, looked, Change.TWICE) ? "is counted twice" : "";
      if (!how.isEmpty()) {
        String names =
            rehearsal.names().stream()
                .map(name -> "'" + name + "'")
                .collect(Collectors.joining(" and "));
        new Tried(checks)
            .overlooks(
                test,
                "it also holds when what rank "
                    + rank
                    + " gives in "
                    + names
                    + " "
                    + how
                    + ", so it doesn't show that every rank takes part");
        return true;
      }
    }
    return false;
  }

  /** What is made of what a rank gives. */
  private enum Change {
    MISSING,
    /** Of an output that lacks a rank already, another one's lack would make two. */
    MISSING_FROM_GOLDEN,
    TWICE
  }

  /** True when the script is green with a change that makes a difference where it looks. */
  private boolean holds(
      String test, int launch, List<HostTensor> arguments, Reads looked, Change change) {
    boolean right = change == Change.MISSING_FROM_GOLDEN;
    Map<Place, Mutation> moved = new LinkedHashMap<>();
    boolean material = false;
    boolean same = right;
    KernelTape.Launch taped = tape.launches().get(launch);
    int number = 0;
    for (int argument = 0; argument < taped.kept().size(); argument++) {
      if (taped.outputs().get(argument) == null) {
        continue;
      }
      Output output = launches.get(launch).outputs().get(number++);
      Kept kept = taped.kept().get(argument);
      if (kept == null) {
        return false;
      }
      double[] old = kept.values();
      double[] other = Kept.of(arguments.get(argument)).values();
      double[] from = right ? new Looked(checks).right(test, output, old) : old;
      double[] values = from.clone();
      output.writtenPlaces().stream()
          .forEach(
              at -> {
                double gives = old[at] - other[at];
                values[at] = change == Change.TWICE ? from[at] + gives : from[at] - gives;
              });
      if (looked.outputs().contains(output)) {
        material |= isMaterial(from, values, output.places(looked));
      }
      same &= Arrays.equals(from, old);
      moved.put(new Place(launch, argument), Mutation.to(values));
    }
    return material && !same && !trials.reads(moved).isRed(test);
  }

  private static boolean isMaterial(double[] old, double[] values, BitSet places) {
    double most = 0;
    double apart = 0;
    for (int at = places.nextSetBit(0); at >= 0; at = places.nextSetBit(at + 1)) {
      most = Double.isFinite(old[at]) ? Math.max(most, Math.abs(old[at])) : most;
      double by = Math.abs(old[at] - values[at]);
      apart = Double.isFinite(by) ? Math.max(apart, by) : apart;
    }
    return apart > 0 && apart >= most * MATERIAL;
  }
}
