package io.ringmaster.worker.script;

import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.script.check.Launch;
import io.ringmaster.worker.script.check.Looked;
import io.ringmaster.worker.script.check.Output;
import io.ringmaster.worker.script.check.Reads;
import io.ringmaster.worker.script.check.Tried;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tries whether a script turns red when an output isn't what the kernel wrote: the script is read
 * again, the kernels not run, with one output changed as a wrong kernel might leave it. What a
 * script doesn't notice it doesn't verify, however it compares.
 */
final class Trials {

  /** Outputs of one case that are tried in every way, the last ones that it looks at. */
  private static final int MOST_OUTPUTS = 3;

  /** Outputs of one case that are tried at all. */
  private static final int MORE_OUTPUTS = 24;

  /** Elements that show that a script notices zeros. */
  private static final int ENOUGH = 4;

  private static final String IN_PART =
      "whether each wrong element would be noticed was tried in part only, to keep it short;"
          + " torch.allclose(output, golden) needs no trial";

  private static final List<Mutation.Kind> WHOLE =
      List.of(
          Mutation.Kind.FAR_UP,
          Mutation.Kind.UP,
          Mutation.Kind.DOWN,
          Mutation.Kind.DOUBLED,
          Mutation.Kind.MORE,
          Mutation.Kind.LESS,
          Mutation.Kind.NEGATED,
          Mutation.Kind.ZERO,
          Mutation.Kind.BALANCED);

  private static final List<Mutation.Kind> ORDERS =
      List.of(Mutation.Kind.SORTED_ROWS, Mutation.Kind.SORTED_COLUMNS, Mutation.Kind.SLICES);

  private static final List<Mutation.Kind> TOGETHER =
      List.of(Mutation.Kind.UP, Mutation.Kind.DOUBLED, Mutation.Kind.ZERO);

  private final KernelTape tape;
  private final List<Launch> launches;
  private final ScriptResult first;
  private final Rereadings readings;

  /** True when the script was seen to notice something about an output. */
  private boolean noticed;

  /**
   * Trials of one script.
   *
   * @param first what came of the script with what its kernels wrote
   */
  Trials(KernelTape tape, List<Launch> launches, ScriptResult first, Rereadings readings) {
    this.tape = tape;
    this.launches = launches;
    this.first = first;
    this.readings = readings;
  }

  /** Decides which of the cases' checks count. */
  void decide(CheckBook checks) {
    if (tape.launches().size() != launches.size()) {
      new NanTrials(tape, launches, this, checks).decide(test -> false);
      return;
    }
    Set<String> holding = new LinkedHashSet<>(green(checks));
    if (tape.hasCalls()) {
      // Sub-workers see more than what the kernels left: it has to come out again without that.
      holding.removeIf(reads(Map.of())::isRed);
    }
    holding.removeAll(
        new NanTrials(tape, launches, this, checks)
            .decide(test -> holding.contains(test) && tooLarge(test).isEmpty()));
    List<String> unsure = new Looked(checks).testsToTry(launches);
    MissingRanks missing = new MissingRanks(tape, launches, this, checks);
    Unheeded unheeded = new Unheeded(tape, launches, this, checks);
    ChosenGoldens chosen = new ChosenGoldens(tape, launches, this::notices, checks);
    Fallbacks fallbacks = new Fallbacks(tape, launches, readings, checks);
    for (String test : holding) {
      readings.turnTo(test);
      List<Target> watched = unsure.contains(test) ? tryOut(test, checks) : List.of();
      readings.useSpare();
      missing.decide(test);
      unheeded.decide(test);
      if (checks.isVerifying(test)) {
        chosen.decide(test);
      }
      if (checks.isVerifying(test)) {
        fallbacks.decide(test);
      }
      if (checks.isVerifying(test)) {
        coarse(test, watched, checks);
        coarse(test, vouchForRest(test, checks), checks);
      }
    }
  }

  /**
   * What no comparison was seen of, a script may look at all the same: by the worst of several, or
   * by how many elements are off. That counts where it notices each change, in each row.
   *
   * @return the outputs of which it does
   */
  private List<Target> vouchForRest(String test, CheckBook checks) {
    Looked looked = new Looked(checks);
    List<Target> seen = new ArrayList<>();
    if (!looked.mayVouch(test) || looked.pretends(test)) {
      return seen;
    }
    for (Target all : rest(test, looked)) {
      Target target = inRowsThatShow(test, all);
      if (!target.hasNone()
          && unseenWhole(test, target, checks).isEmpty()
          && unseen(test, target, checks).isEmpty()
          && noticesEachRow(test, target, checks)) {
        seen.add(target);
      }
    }
    if (seen.isEmpty() || !seesAll(test, seen) || readings.areUsedUp()) {
      return List.of();
    }
    Map<Output, BitSet> elements = new LinkedHashMap<>();
    seen.forEach(target -> elements.put(target.output(), target.only(0, Integer.MAX_VALUE)));
    new Tried(checks).vouchForRest(test, elements);
    return seen;
  }

  /** The outputs of a case's launches with those elements that no check looks at, last first. */
  private List<Target> rest(String test, Looked looked) {
    List<Target> rest = new ArrayList<>();
    for (int i = launches.size() - 1; i >= 0; i--) {
      List<@Nullable Kept> all = tape.launches().get(i).kept();
      int number = 0;
      for (int argument = 0; argument < all.size(); argument++) {
        Kept kept = all.get(argument);
        if (kept == null || number >= launches.get(i).outputs().size()) {
          continue;
        }
        Output output = launches.get(i).outputs().get(number++);
        BitSet only = looked.rest(test, output);
        if (launches.get(i).test().equals(test)
            && !only.isEmpty()
            && !output.isRepaired()
            && rest.size() < MORE_OUTPUTS) {
          rest.add(new Target(new OtherValues.Place(i, argument), output, kept, only, false));
        }
      }
    }
    return rest;
  }

  /** The same without those rows of which it doesn't notice that their first element is wrong. */
  private Target inRowsThatShow(String test, Target all) {
    BitSet shown = new BitSet();
    int row = all.rowsTogether();
    BitSet only = all.only(0, Integer.MAX_VALUE);
    if (notices(test, all, all.all(Mutation.Kind.FAR_UP))) {
      for (int at = only.nextSetBit(0); at >= 0; at = only.nextSetBit((at / row + 1) * row)) {
        if (noticesAlone(test, all, at)) {
          shown.or(all.only(at, (at / row + 1) * row));
        }
      }
    }
    return new Target(all.place(), all.output(), all.kept(), shown, all.mayBeUnseen());
  }

  /** True when it notices the samples, and the last element of each row. */
  private boolean noticesEachRow(String test, Target target, CheckBook checks) {
    BitSet some = new BitSet();
    for (long sample : Samples.of(test, target, checks)) {
      some.set((int) sample);
    }
    int row = target.rowsTogether();
    BitSet only = target.only(0, Integer.MAX_VALUE);
    for (int at = only.nextSetBit(0); at >= 0; at = only.nextSetBit((at / row + 1) * row)) {
      some.set(only.previousSetBit((at / row + 1) * row - 1));
    }
    return some.stream().allMatch(at -> noticesAlone(test, target, at));
  }

  /** True when it notices that one element is far off, in whichever direction there is room. */
  private boolean noticesAlone(String test, Target target, int at) {
    return Stream.of(Mutation.Kind.FAR_UP, Mutation.Kind.FAR_DOWN)
        .map(kind -> target.part(kind, at, at + 1))
        .filter(mutation -> mutation.changes(target.kept()))
        .findFirst()
        .filter(mutation -> notices(test, target, mutation))
        .isPresent();
  }

  /**
   * Tries the outputs of a case; what comes out are those of which it notices all that is tried.
   */
  private List<Target> tryOut(String test, CheckBook checks) {
    List<String> tooLarge = tooLarge(test);
    if (!tooLarge.isEmpty()) {
      new Tried(checks).untried(test, untried(tooLarge));
      return List.of();
    }
    List<Target> watched = decide(test, checks);
    if (readings.areUsedUp()) {
      new Tried(checks).untried(test, IN_PART);
    }
    return watched;
  }

  /** Cases that are green as far as the script itself goes. */
  List<String> green(CheckBook checks) {
    return checks.cases(launches).stream().filter(test -> !Rereadings.isRed(first, test)).toList();
  }

  private static String untried(List<String> tooLarge) {
    return "whether a wrong element would be noticed wasn't tried, because of the size of "
        + tooLarge.stream().map(name -> "'" + name + "'").collect(Collectors.joining(", "))
        + " (at most "
        + (KernelTape.MOST_EACH >> 20)
        + " MiB each); torch.allclose(output, golden) needs no trial";
  }

  /** Outputs that are too large to be kept, of launches of a case or around the cases. */
  private List<String> tooLarge(String test) {
    return IntStream.range(0, launches.size())
        .filter(i -> launches.get(i).test().isEmpty() || launches.get(i).test().equals(test))
        .boxed()
        .flatMap(i -> tape.launches().get(i).tooLarge())
        .distinct()
        .toList();
  }

  /** An output that wasn't changed as a whole in every way is left as it was. */
  private List<Target> decide(String test, CheckBook checks) {
    boolean counts = checks.isVerifying(test);
    boolean sure = checks.isSure(test);
    List<Target> targets = targets(test, checks);
    List<Output> tried = new ArrayList<>();
    List<Target> watched = new ArrayList<>();
    for (int i = 0; i < targets.size(); i++) {
      Target target = targets.get(i);
      String unseen = unseenWhole(test, target, checks);
      if (unseen.isEmpty() && readings.areUsedUp()) {
        break;
      }
      if (!unseen.isEmpty() && target.mayBeUnseen() && !noticed) {
        continue;
      }
      tried.add(target.output());
      if (unseen.isEmpty() && i < MOST_OUTPUTS) {
        unseen = unseen(test, target, checks);
        watched.add(target);
      }
      if (sure && !unseen.isEmpty()) {
        new Tried(checks).overlooks(test, target.output(), unseen);
        continue;
      }
      if (counts && !unseen.isEmpty()) {
        new Tried(checks).overlooks(test, unseen);
      } else if (!unseen.isEmpty() && noticed) {
        new Tried(checks).overlooksAll(test, unseen, target.output());
      }
      if (!unseen.isEmpty()) {
        return List.of();
      }
    }
    if (!counts
        && !tried.isEmpty()
        && new Looked(checks).mayVouch(test)
        && targets.stream().noneMatch(target -> target.output().isRepaired())
        && seesAll(test, targets)) {
      new Tried(checks).vouch(test, tried, readings.areUsedUp() ? IN_PART : "");
    }
    return watched;
  }

  /** Says of what is noticed when it is far off how much it may be off unnoticed. */
  private void coarse(String test, List<Target> targets, CheckBook checks) {
    Coarseness coarseness = new Coarseness(moved -> notices(test, moved));
    Looked looked = new Looked(checks);
    for (Target target : targets) {
      // What only checks look at that turned out not to count is said to be uncompared.
      if (!looked.isByScript(test) && !looked.toTry(test).outputs().contains(target.output())) {
        continue;
      }
      long[] samples = Samples.of(test, target, checks);
      coarseness
          .in(
              target.place(),
              target.output(),
              target.kept(),
              samples.length > 0 ? samples : Samples.few(test, target, checks),
              looked.allowed(test, target.output()))
          .ifPresent(found -> new Tried(checks).isCoarse(test, found));
    }
  }

  /** What a case looks at without being sure of it; of one that seems to look at nothing, all. */
  private List<Target> targets(String test, CheckBook checks) {
    Reads looked = new Looked(checks).toTry(test);
    boolean launches = this.launches.stream().anyMatch(launch -> launch.test().equals(test));
    boolean sure = checks.isSure(test);
    Predicate<Output> isWanted = output -> looked.isEmpty() || looked.outputs().contains(output);
    List<Target> targets = new ArrayList<>();
    for (int i = this.launches.size() - 1; i >= 0 && targets.size() < MORE_OUTPUTS; i--) {
      Launch launch = this.launches.get(i);
      boolean mayLook = looked.isEmpty() && (!launches || launch.test().equals(test));
      KernelTape.Launch taped = tape.launches().get(i);
      int number = 0;
      for (int argument = 0; argument < taped.kept().size(); argument++) {
        Kept kept = taped.kept().get(argument);
        if (kept == null || number >= launch.outputs().size()) {
          continue;
        }
        Output output = launch.outputs().get(number++);
        boolean wanted = mayLook || looked.outputs().contains(output);
        if (wanted && output.isWritten() && kept.elements() > 0) {
          BitSet only = sure ? output.places(looked) : null;
          boolean mayBeUnseen =
              (looked.isEmpty() && !launches) || Looked.goesOn(output, this.launches, isWanted);
          targets.add(
              new Target(new OtherValues.Place(i, argument), output, kept, only, mayBeUnseen));
        }
      }
    }
    return targets;
  }

  /** A change of all of an output that the script doesn't notice; empty when there is none. */
  private String unseenWhole(String test, Target target, CheckBook checks) {
    noticed = false;
    for (Mutation.Kind kind : WHOLE) {
      if (!notices(test, target, target.all(kind))) {
        return "it also holds when all of '"
            + target.output().name()
            + "' "
            + (target.only() == null ? "" : "that no other check looks at ")
            + kind.words();
      }
    }
    // What is looked up may show other goldens.
    boolean seen =
        target.only() != null
            || (notices(test, target, lookedUp(test, target, checks))
                && notices(test, target, otherGoldens(test, target, checks)));
    return seen ? "" : Tried.somethingElse(target.output());
  }

  private static List<double[]> lookedUp(String test, Target target, CheckBook checks) {
    return checks.lookups().repeated(test, (int) target.kept().elements());
  }

  private static List<double[]> otherGoldens(String test, Target target, CheckBook checks) {
    return checks.withOtherGoldens(test, target.output(), target.kept().values());
  }

  private boolean notices(String test, Target target, List<double[]> others) {
    return others.stream().allMatch(values -> notices(test, target, Mutation.to(values)));
  }

  /** What else of an output the script doesn't notice; empty when it notices all that is tried. */
  private String unseen(String test, Target target, CheckBook checks) {
    long[] samples = Samples.of(test, target, checks);
    int seen = 0;
    while (seen < samples.length && !notices(test, target, target.far(samples[seen]))) {
      seen++;
    }
    boolean sampled = seen < samples.length;
    long from = sampled ? samples[seen] : 0;
    long to = sampled ? from + 1 : target.kept().elements();
    while (to - from > 1) {
      long middle = (from + to) >>> 1;
      if (notices(test, target, target.part(Mutation.Kind.FAR_UP, from, middle))) {
        to = middle;
      } else if (notices(test, target, target.part(Mutation.Kind.FAR_UP, middle, to))) {
        from = middle;
      } else {
        return wrongAlone(target, from, middle, "is wrong");
      }
    }
    long other = another(test, target, from, seen + 1, samples);
    if (samples.length > 0 && other < 0) {
      return "it also holds when anything but element "
          + from
          + " of '"
          + target.output().name()
          + "' is wrong";
    }
    if (other >= 0 && !notices(test, target, exchanged(target, from, other))) {
      // A sum, and what is right in some places, stay.
      return "it also holds when elements "
          + Math.min(from, other)
          + " and "
          + Math.max(from, other)
          + " of '"
          + target.output().name()
          + "' are exchanged";
    }
    for (Mutation.Kind kind : List.of(Mutation.Kind.FAR_UP, Mutation.Kind.FAR_DOWN)) {
      if (!notices(test, target, target.part(kind, from, to))) {
        return wrongAlone(target, from, to, kind.words());
      }
    }
    long hidden = oneSided(test, target, samples);
    if (hidden >= 0) {
      return wrongAlone(target, hidden, hidden + 1, Mutation.Kind.FAR_UP.words());
    }
    if (isWide(test, target, samples)) {
      return "it also holds when most elements of '" + target.output().name() + "' are zero";
    }
    List<Mutation.Kind> orders = new ArrayList<>(ORDERS);
    if (target.hasARowForEachRank()) {
      orders.add(Mutation.Kind.RANKS);
    }
    for (Mutation.Kind kind : orders) {
      if (!notices(test, target, target.all(kind))) {
        return "it also holds when what is in '" + target.output().name() + "' " + kind.words();
      }
    }
    return "";
  }

  /** Another element that is looked at; -1 when it seems that the one that was found decides. */
  private long another(String test, Target target, long found, int first, long[] samples) {
    for (int i = first; i < samples.length; i++) {
      if (samples[i] != found && notices(test, target, target.far(samples[i]))) {
        return samples[i];
      }
    }
    return -1;
  }

  private static Mutation exchanged(Target target, long one, long other) {
    double[] values = target.kept().values();
    double first = values[(int) one];
    values[(int) one] = values[(int) other];
    values[(int) other] = first;
    return Mutation.to(values);
  }

  /**
   * An element that may be too large and not too small, as a bound hides it; -1 where that isn't so
   * of a good part of them, as of what lies at the edge of a range.
   */
  private long oneSided(String test, Target target, long[] samples) {
    double[] values = target.kept().values();
    long found = -1;
    int hidden = 0;
    int tried = 0;
    for (int i = 0; i < samples.length && tried < 2 * ENOUGH; i++) {
      long at = samples[i];
      if (!Double.isFinite(values[(int) at])) {
        continue;
      }
      tried++;
      if (!notices(test, target, target.far(at))
          && notices(test, target, target.part(Mutation.Kind.FAR_DOWN, at, at + 1))) {
        found = at;
        hidden++;
      }
    }
    return hidden * ENOUGH >= tried ? found : -1;
  }

  /** True when most of the elements that are looked at may as well be zero. */
  private boolean isWide(String test, Target target, long[] samples) {
    double[] values = target.kept().values();
    double most = 0;
    for (double value : values) {
      most = Double.isFinite(value) ? Math.max(most, Math.abs(value)) : most;
    }
    int tried = 0;
    int unseen = 0;
    for (long at : samples) {
      boolean large = Math.abs(values[(int) at]) >= most / 8 && most > 0;
      if (large && notices(test, target, target.far(at))) {
        tried++;
        unseen += notices(test, target, target.part(Mutation.Kind.ZERO, at, at + 1)) ? 0 : 1;
      }
      if (tried == ENOUGH && unseen == 0) {
        return false;
      }
    }
    return !readings.areUsedUp() && tried >= ENOUGH && unseen * 2 > tried;
  }

  private static String wrongAlone(Target target, long from, long to, String how) {
    String elements =
        to - from == 1
            ? "element " + from
            : "only a part, elements " + from + ".." + (to - 1) + ",";
    return "it also holds when " + elements + " of '" + target.output().name() + "' " + how;
  }

  /** All outputs changed alike: a relation between outputs doesn't notice that. */
  private boolean seesAll(String test, List<Target> targets) {
    for (Mutation.Kind kind : TOGETHER) {
      Map<OtherValues.Place, Mutation> moved = new LinkedHashMap<>();
      targets.forEach(target -> moved.put(target.place(), target.all(kind)));
      if (targets.stream().anyMatch(target -> target.all(kind).changes(target.kept()))
          && !notices(test, moved)) {
        return false;
      }
    }
    return true;
  }

  private boolean notices(String test, Target target, Mutation mutation) {
    return !mutation.changes(target.kept()) || notices(test, Map.of(target.place(), mutation));
  }

  private boolean notices(String test, Map<OtherValues.Place, Mutation> moved) {
    boolean red = reads(moved).isRed(test);
    noticed |= red;
    return red;
  }

  /** Reads the script with changes in some outputs. */
  Reread reads(Map<OtherValues.Place, Mutation> moved) {
    return new Reread(readings.read(moved));
  }

  /** True when nothing is read any more, and so everything taken as noticed. */
  boolean areOver() {
    return readings.areUsedUp();
  }

  /** What came of another reading; null when it didn't come to an end, or wasn't made any more. */
  record Reread(@Nullable ScriptResult result) {

    boolean isRed(String test) {
      return Rereadings.isRed(result, test);
    }
  }
}
