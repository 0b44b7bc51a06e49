package io.ringmaster.worker.script;

import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.script.check.Launch;
import io.ringmaster.worker.script.pytest.TestRun;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The further readings of one script, its kernels not run: as many as the limits allow. For a case
 * of a file only that case is run where it comes out the same by itself: then it has as many
 * readings as if it had been chosen with {@code -k}, however many cases the file has. Where it
 * needs what other cases have left, it is run with all that stand before it: whatever any of them
 * does is done then, too, and those after it can't change what has become of it.
 */
final class Rereadings {

  /** How often a script, or a case of a file, is read at most. */
  private static final int MOST = 400;

  /** Steps of the evaluator for a script's readings, and for those of a case. */
  private static final long STEPS = 40_000_000;

  /** Steps that each case of a file adds to those that all may take. */
  private static final long STEPS_EACH = 4_000_000;

  /** Steps for all cases of a file, however many there are: some ten seconds. */
  private static final long MOST_STEPS = 200_000_000;

  /** Bytes of outputs that are put back in the time of a step. */
  private static final long BYTES_PER_STEP = 16;

  /** The part of the readings that is kept for what is tried last. */
  private static final int SPARED = 8;

  private final KernelTape tape;
  private final Reader reader;
  private final ScriptResult whole;
  private final long begunNanos = System.nanoTime();
  private final long mostNanos;
  private long steps;
  private String test = "";
  private Cases cases = Cases.ALL;
  private boolean begun;
  private long cost;
  private int left;
  private int spare;

  /** Another reading, and what it found. */
  record Reading(ScriptResult result, CheckBook checks, List<Launch> launches) {}

  /**
   * The cases of a file that are run.
   *
   * @param test the last one; empty for all that the script runs
   * @param before true to run those before it as well
   */
  record Cases(String test, boolean before) {

    static final Cases ALL = new Cases("", true);

    /** Has no others run. */
    void choose(TestRun run) {
      if (before) {
        run.runUpTo(test);
      } else {
        run.runOnly(test);
      }
    }
  }

  /** Reads the script with other kernels. */
  interface Reader {
    /**
     * Reads it once.
     *
     * @param listening true to keep what its comparisons find
     * @return empty when it didn't come to an end
     */
    Optional<Reading> read(OtherValues kernels, Cases cases, boolean listening);
  }

  /**
   * Readings of a script.
   *
   * @param whole what came of the script with what its kernels wrote
   */
  Rereadings(KernelTape tape, ScriptResult whole, Reader reader) {
    this.tape = tape;
    this.whole = whole;
    this.reader = reader;
    // On a slow machine what is left to try must not cost a run its result.
    this.mostNanos = tape.nanosLeft() / 2;
    int cases = whole.tests().map(tests -> tests.cases().size()).orElse(0);
    this.steps = Math.min(MOST_STEPS, STEPS + STEPS_EACH * cases);
    turnTo("");
  }

  /** True when a script of so many steps may be read so often at all. */
  static boolean allow(int times, long steps) {
    return times * steps <= STEPS;
  }

  /** What is read from now on is read for a case; empty for all of the script. */
  void turnTo(String wanted) {
    test = wanted;
    cases = Cases.ALL;
    begun = false;
    count(whole.steps(), tape.keptBytes());
  }

  /** What a case does with kernels must not depend on the cases before it to be read by itself. */
  private void begin() {
    begun = true;
    if (test.isEmpty() || whole.tests().isEmpty()) {
      return;
    }
    steps -= cost;
    if (!isEnough(new Cases(test, /* before= */ false)) && !test.equals(names().getLast())) {
      isEnough(new Cases(test, /* before= */ true));
    }
  }

  /** The cases of the file, in order. */
  private List<String> names() {
    return whole.tests().stream()
        .flatMap(tests -> tests.cases().stream())
        .map(TestCase::nodeId)
        .toList();
  }

  /** Reads some cases as they were; where the case comes out the same, only these are read. */
  private boolean isEnough(Cases wanted) {
    OtherValues kernels = new OtherValues(tape, Map.of());
    Optional<Reading> same = reader.read(kernels, wanted, /* listening= */ false);
    if (same.isEmpty() || isRed(same.get().result(), test) || !kernels.hasPlayed(test)) {
      return false;
    }
    cases = wanted;
    count(same.get().result().steps(), tape.keptBytes(this::isRead));
    return true;
  }

  private boolean isRead(String one) {
    if (cases.test().isEmpty()) {
      return true;
    }
    List<String> all = names();
    return one.equals(cases.test())
        || (cases.before() && all.indexOf(one) < all.indexOf(cases.test()));
  }

  private void count(long stepsEach, long bytes) {
    cost = Math.max(1, stepsEach + bytes / BYTES_PER_STEP);
    int readings = (int) Math.min(MOST, Math.min(STEPS, steps) / cost);
    spare = readings / SPARED;
    left = readings - spare;
  }

  /** What was kept for what is tried last may be used, too. */
  void useSpare() {
    left = Math.max(left, 0) + spare;
    spare = 0;
  }

  /** True when nothing more is read. */
  boolean areUsedUp() {
    return left <= 0;
  }

  /** Reads with changes in some outputs; null as for a reading that didn't come to an end. */
  @Nullable ScriptResult read(Map<OtherValues.Place, Mutation> moved) {
    return mayRead()
        ? read(new OtherValues(tape, moved), /* listening= */ false)
            .map(Reading::result)
            .orElse(null)
        : null;
  }

  /** The same, with what its comparisons find; empty when nothing more is read. */
  Optional<Reading> listen(Map<OtherValues.Place, Mutation> moved) {
    return mayRead() ? read(new OtherValues(tape, moved), /* listening= */ true) : Optional.empty();
  }

  private boolean mayRead() {
    if (!begun) {
      begin();
    }
    if (System.nanoTime() - begunNanos > mostNanos) {
      left = 0;
      spare = 0;
    }
    return --left > 0;
  }

  private Optional<Reading> read(OtherValues kernels, boolean listening) {
    steps -= cost;
    return reader.read(kernels, cases, listening);
  }

  /** Those launches of all that are made in a reading. */
  List<Launch> ofThose(List<Launch> all) {
    return all.stream().filter(launch -> launch.test().isEmpty() || isRead(launch.test())).toList();
  }

  /** True when a case, or what is around the cases, isn't green; a reading without end isn't. */
  static boolean isRed(@Nullable ScriptResult result, String test) {
    if (result == null
        || result.checks().stream().anyMatch(c -> !c.passed() && c.test().equals(test))) {
      return true;
    }
    if (test.isEmpty() || result.tests().isEmpty()) {
      return result.outcome() != ScriptResult.Outcome.FINISHED;
    }
    return result.tests().get().cases().stream()
        .filter(one -> one.nodeId().equals(test))
        .noneMatch(TestCase::ranToItsEnd);
  }
}
