package io.ringmaster.worker.script.check;

import io.ringmaster.worker.script.Check;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The comparisons of one script run, in the order in which they were made. */
public final class CheckBook {

  /** What the facts of a claim take. */
  private static final long CLAIM_BYTES = 256;

  private static final Facts UNSEEN = Facts.ofNumbers(true, "");

  private final LongConsumer memory;
  private final List<Claim> claims = new ArrayList<>();
  private final IdentityHashMap<Claim, String> cases = new IdentityHashMap<>();
  private String running = "";

  /** Cases that have begun. */
  private final Set<String> begun = new LinkedHashSet<>();

  /** Cases that failed as they should: they verify nothing, whatever they would notice. */
  private final Set<String> expectedToFail = new HashSet<>();

  private final Map<String, Integer> glimpses = new HashMap<>();
  private int glimpsed;
  private boolean takenOut;
  private final Differences differences = new Differences();
  private final Misses misses = new Misses();
  private final IdentityHashMap<Claim, Facts> facts = new IdentityHashMap<>();

  /** What came out of every check, by its case, line and expression. */
  private final Map<Key, Outcomes> outcomes = new HashMap<>();

  /** Checks that one of several goldens is enough for. */
  private final Set<Key> choices = new HashSet<>();

  /** In a second reading: what came out of the first. */
  private final Optional<CheckBook> first;

  private final boolean trial;

  /** True for a trial of which it matters what comparisons found. */
  private final boolean listening;

  private final Goldens goldens = new Goldens();
  private final LookedUp lookups = new LookedUp();
  private final List<Coarse.Found> coarse = new ArrayList<>();

  /**
   * A book without entries.
   *
   * @param memory told how many bytes each new entry takes
   */
  public CheckBook(LongConsumer memory) {
    this(memory, Optional.empty(), /* trial= */ false, /* listening= */ false);
  }

  private CheckBook(
      LongConsumer memory, Optional<CheckBook> first, boolean trial, boolean listening) {
    this.listening = listening;
    this.memory = memory;
    this.first = first;
    this.trial = trial;
  }

  /** A book of a trial, of which only the outcomes matter. */
  public static CheckBook ofTrial(LongConsumer memory) {
    return new CheckBook(memory, Optional.empty(), /* trial= */ true, /* listening= */ false);
  }

  /** A book of a trial that also notes which comparisons missed. */
  public static CheckBook ofListening(LongConsumer memory) {
    return new CheckBook(memory, Optional.empty(), /* trial= */ true, /* listening= */ true);
  }

  /** True when nobody will see the numbers of the comparisons: working them out takes long. */
  public boolean needsNoFacts() {
    return (trial && !listening) || isSecondReading();
  }

  /**
   * A book for another reading of the same script over other values. It notes what comes out of
   * each check, and lets the script go the way of the first reading all the same.
   */
  public CheckBook again(LongConsumer bytes) {
    return new CheckBook(bytes, Optional.of(this), /* trial= */ false, /* listening= */ false);
  }

  /** True for a second reading: nobody will see the numbers of its comparisons. */
  public boolean isSecondReading() {
    return first.isPresent();
  }

  /** What the sides of a comparison look like, where another reading is held against it. */
  public Optional<Print> print(TensorPair pair) {
    boolean told = isSecondReading() && pair.left().fromKernel() && pair.right().fromKernel();
    return told ? Optional.of(Print.of(pair)) : Optional.empty();
  }

  /**
   * The way on where the outcome of a check decides it, as at an {@code assert}.
   *
   * @return {@code truth}, but at a second reading what it was at the first
   */
  public boolean wayOn(int line, boolean truth) {
    return wayBefore("way", line, truth).orElse(truth);
  }

  private Optional<Boolean> wayBefore(String what, int line, boolean truth) {
    Key key = key(running, line, what);
    Outcomes mine = outcomesOf(key);
    int place = mine.add(truth, 1, Optional.empty());
    if (first.isEmpty()) {
      return Optional.empty();
    }
    Outcomes before = first.get().outcomesOf(key);
    return place < before.count() ? Optional.of(before.held(place)) : Optional.empty();
  }

  /**
   * Enters a comparison that is a check whatever becomes of it.
   *
   * @return the comparison with the outcome that the script is to go on with
   */
  public Claim decided(Claim claim) {
    Claim toGoOnWith =
        wayBefore("call " + claim.name(), claim.line(), claim.holds())
            .map(claim::holding)
            .orElse(claim);
    record(toGoOnWith);
    return toGoOnWith;
  }

  /** An expression of a case. */
  private record Key(String test, int line, String what) {}

  private static Key key(String test, int line, String what) {
    return new Key(test, line, what);
  }

  private Outcomes outcomesOf(Key key) {
    return outcomes.computeIfAbsent(key, made -> new Outcomes());
  }

  private Outcomes outcomesOf(Claim claim) {
    return outcomesOf(key(caseOf(claim), claim.line(), claim.name()));
  }

  /** Cases of which some check has to be looked at again. */
  public Set<String> unclear() {
    return casesWith(Claim::isDoubtful);
  }

  /** Cases of which it isn't clear for every check that counts whether it can fail. */
  public Set<String> withDoubts() {
    return casesWith(this::isOpen);
  }

  private Set<String> casesWith(Predicate<Claim> kind) {
    return claims.stream().filter(kind).map(this::caseOf).collect(Collectors.toSet());
  }

  /** A value that a kernel wrote left its tensor: nobody knows what the script makes of it. */
  public void takenOut() {
    takenOut = true;
    lookups.takenOut(running);
  }

  /** True when the script may have made a golden of an output in a way that nothing tells. */
  public boolean mayFollow() {
    return (takenOut || glimpsed > 0) && claims.stream().anyMatch(CheckBook::isSure);
  }

  /**
   * Finds the checks whose golden was another one when the kernels had written something else.
   *
   * @param untried cases for which they may have written anything
   */
  public void takeFollowing(CheckBook other, Set<String> untried) {
    takeTexts(other);
    Map<String, Claim> theirs = other.byKey();
    Set<Key> following = new HashSet<>();
    for (Claim claim : claims) {
      Claim there = theirs.get(key(claim));
      if (there != null && claim.hasOtherGolden(there) && !isUntried(caseOf(claim), untried)) {
        following.add(key(caseOf(claim), claim.line(), claim.name()));
      }
    }
    claims.stream()
        .filter(claim -> following.contains(key(caseOf(claim), claim.line(), claim.name())))
        .forEach(Claim::goldenFollows);
  }

  /** Notes the goldens that a trial has found in the place of this reading's. */
  public void takeGoldens(CheckBook other) {
    if (claims.size() <= Goldens.MOST && other.claims.size() <= Goldens.MOST) {
      goldens.take(byKey(), other.byKey(), other.goldens);
    }
  }

  /** See {@link Goldens#in}; for the checks of a case that count. */
  public List<double[]> withOtherGoldens(String test, Output output, double[] values) {
    return goldens.in(output, values, of(test).filter(Claim::counts));
  }

  /** See {@link Goldens#beside(String, Output, double[], List)}; for the checks that count. */
  public List<double[]> besideGoldens(String test, Output output, double[] values) {
    return goldens.beside(test, output, values, of(test).filter(Claim::counts).toList());
  }

  /** Another reading showed which texts that something is looked up by follow the outputs. */
  public void takeTexts(CheckBook other) {
    lookups.follow(other.lookups).forEach(test -> of(test).forEach(Claim::goldenFollows));
  }

  /** What the script looks up by kernels' values. */
  public LookedUp lookups() {
    return lookups;
  }

  private static boolean isUntried(String test, Set<String> untried) {
    return untried.contains(test) || untried.contains("");
  }

  private String key(Claim claim) {
    return key(caseOf(claim), claim.line(), claim.name()) + " " + claim.number();
  }

  private Map<String, Claim> byKey() {
    Map<String, Claim> all = new LinkedHashMap<>();
    claims.forEach(claim -> all.put(key(claim), claim));
    return all;
  }

  /** Cases for which two readings aren't enough, or don't show which sides are the kernel's. */
  public Set<String> needingMore() {
    return casesWith(
        claim ->
            claim.isDoubtful()
                && (isOpen(claim)
                    || claim.isOfKernelsOnly()
                    || outcomesOf(claim).reached(claim.number()) < 2));
  }

  private boolean isOpen(Claim claim) {
    return claim.isDoubtful() && !outcomesOf(claim).changed(claim.number());
  }

  /** What another reading put into the outputs. */
  public enum Reading {
    /** Every output is higher than what the kernels wrote, the same everywhere. */
    HIGHER,
    /** The same, lower. */
    LOWER,
    OTHER
  }

  /** Takes in what another reading showed of some cases: those that it was made for. */
  public void compare(CheckBook other, Reading reading, Set<String> tests) {
    other.outcomes.forEach(
        (key, theirs) -> {
          if (tests.contains(key.test())) {
            outcomesOf(key).compare(theirs, reading);
          }
        });
  }

  /**
   * After other readings: what came out the same in at least so many of them doesn't count, nor
   * does what holds on one side of the values, nor what has no side of its own.
   */
  public void decideDoubts(int readings) {
    for (Claim claim : claims) {
      Outcomes made = outcomesOf(claim);
      if (isOpen(claim) && made.reached(claim.number()) >= readings) {
        claim.comesOutTheSame();
      } else if (claim.isDoubtful() && (!claim.isOfKernelsOnly() || claim.isOfTwoPrograms())) {
        holdsOneWay(claim, made);
      }
    }
    tests().forEach(test -> new Grounds(this, test).decide());
  }

  /** What stands around the cases, and then each case that compares something. */
  List<String> tests() {
    return Stream.concat(Stream.of(""), claims.stream().map(this::caseOf)).distinct().toList();
  }

  /** True when all checks of a case hold; whether they do in others says nothing of it. */
  public boolean holds(String test) {
    return of(test).allMatch(Claim::passed);
  }

  private static void holdsOneWay(Claim claim, Outcomes made) {
    boolean higher = made.standsHigher(claim.number());
    if (higher || made.standsLower(claim.number())) {
      claim.provesNothing(
          "it comes out the same when everything that the kernels wrote is "
              + (higher ? "larger" : "smaller")
              + ", so it doesn't say what is right");
    }
  }

  /** Decides what needs no further reading: what a kernel that does nothing would pass, too. */
  public void settle() {
    tests().stream().filter(this::holds).forEach(test -> new Grounds(this, test).settle());
  }

  /**
   * Takes from a case what its checks count for when a launch is looked at by none of them, but by
   * others that don't count: they pretend to say that it is right.
   */
  public void settleLaunches() {
    tests().stream().filter(this::holds).forEach(this::settleLaunches);
  }

  private void settleLaunches(String test) {
    List<Claim> counting = Stream.concat(of(""), of(test)).filter(Claim::counts).toList();
    if (counting.isEmpty()) {
      return;
    }
    Reads seen =
        Grounds.withInputs(
            counting.stream().map(claim -> claim.origin().reads()).reduce(Reads.NONE, Reads::and));
    Set<Launch> launches =
        seen.outputs().stream().map(Output::launch).collect(Collectors.toCollection(HashSet::new));
    for (Claim claim : of(test).filter(Claim::pretends).toList()) {
      for (Output output : claim.origin().reads().outputs()) {
        Launch launch = output.launch();
        if (launches.stream().noneMatch(launch::isSeenIn)) {
          new Tried(this)
              .overlooks(
                  test,
                  "it doesn't look at the launch of %s in line %d, only %s (line %d) does, and that"
                          .formatted(launch.name(), launch.line(), claim.name(), claim.line())
                      + " doesn't count");
          return;
        }
      }
    }
  }

  /** Cases that may have failed, with what is around them where that launches or compares. */
  public List<String> cases(List<Launch> launches) {
    Stream<String> launching = launches.stream().map(Launch::test);
    Stream<String> comparing = claims.stream().map(this::caseOf);
    return Stream.concat(Stream.concat(launching, comparing), begun.stream())
        .distinct()
        .filter(test -> !expectedToFail.contains(test))
        .toList();
  }

  /** True when some check of a case is sure to notice each wrong element of what it looks at. */
  public boolean isSure(String test) {
    return of(test).anyMatch(CheckBook::isSure);
  }

  static boolean isSure(Claim claim) {
    return claim.counts() && claim.isSure();
  }

  Stream<Claim> of(String test) {
    return claims.stream().filter(claim -> caseOf(claim).equals(test));
  }

  /** True when some check of a case counts. */
  public boolean isVerifying(String test) {
    return of(test).anyMatch(Claim::counts);
  }

  /** A comparison of what a kernel wrote was made, whatever becomes of it. */
  public void glimpse(int line) {
    glimpsed = line;
    glimpses.put(running, line);
  }

  /** Line of the last comparison of what a kernel wrote that a case has made, or one around it. */
  OptionalInt glimpsed(String test) {
    return Stream.of(test, "").filter(glimpses::containsKey).mapToInt(glimpses::get).findFirst();
  }

  /** A comparison was made that may be all that there is to say of a failure. */
  public void notice(Claim claim) {
    if (claim.origin().fromKernel() && !needsNoFacts()) {
      differences.notice(claim);
    }
  }

  /** A comparison of what a kernel wrote with a golden was made, whatever becomes of it. */
  public void compared(Claim claim) {
    if (!needsNoFacts()) {
      misses.notice(claim, running);
    }
    if (!trial && !isSecondReading()) {
      goldens.beside(claim, running);
    }
  }

  /** The script has summed up how far a kernel's values are from a golden. */
  public void distance(Claim claim) {
    misses.distance(claim, running);
  }

  /** True the first time that a difference is asked for. */
  public boolean isNew(TensorPair difference) {
    return misses.isNew(difference);
  }

  /** Comparisons of a case that failed, and that the script didn't want to fail. */
  public List<Misses.Miss> misses(String test) {
    Reads looked =
        of(test)
            .filter(Claim::counts)
            .map(claim -> claim.origin().reads())
            .reduce(Reads.NONE, Reads::and);
    return misses.of(test, looked);
  }

  /**
   * Comparisons of a case that hold, and on which it goes, although some of what they look at is
   * far from the golden: as where one element of a row is enough.
   */
  public List<Misses.Miss> lenient(String test) {
    return of(test)
        .filter(claim -> claim.counts() && !claim.isSure())
        .limit(Misses.MOST)
        .flatMap(claim -> Misses.Miss.ofHolding(claim).stream())
        .toList();
  }

  /** Of the comparisons noticed since the last check, the first that found a difference. */
  public Optional<String> firstDifference() {
    return differences.first();
  }

  /** Line of the last comparison of what a kernel wrote; 0 for none. */
  public int glimpsed() {
    return glimpsed;
  }

  /** What cases don't see because they compare something coarser. */
  List<Coarse.Found> coarse() {
    return coarse;
  }

  /** Notes a claim of a case that has ended. */
  void recordFor(String test, Claim claim) {
    String before = running;
    running = test;
    record(claim);
    running = before;
  }

  List<Claim> claims() {
    return claims;
  }

  /** Which elements of a claim's sides changed from reading to reading. */
  Optional<Print.Moves> moves(Claim claim) {
    return outcomesOf(claim).moves(claim.number());
  }

  /** Another reading showed which checks are content with any of several goldens. */
  public void takeChoices(CheckBook other) {
    for (Claim claim : claims) {
      if (other.choices.contains(key(caseOf(claim), claim.line(), ""))) {
        claim.turnsOutAChoice();
      }
    }
  }

  /** Enters a claim; entering it again changes nothing. */
  public void record(Claim claim) {
    differences.forget();
    if (claim.isChoice()) {
      choices.add(key(running, claim.line(), ""));
    }
    for (Claim single : claim.singles()) {
      if (!facts.containsKey(single)) {
        memory.accept(CLAIM_BYTES);
        facts.put(single, needsNoFacts() ? UNSEEN : single.facts());
        claims.add(single);
        cases.put(single, running);
        if (lookups.isNoted(running)) {
          single.goldenFollows();
        }
        single.numbered(outcomesOf(single).add(single.came(), single.size(), single.print()));
        if (trial && claims.size() <= Goldens.MOST) {
          goldens.note(key(single), single);
        }
      }
    }
  }

  /** What is recorded from now on belongs to a case of a test file; empty for none. */
  public void beginCase(String nodeId) {
    running = nodeId;
    if (!nodeId.isEmpty()) {
      begun.add(nodeId);
    }
  }

  /** The case that runs; empty for none. */
  public String running() {
    return running;
  }

  /** Where the next claim will stand. */
  public int mark() {
    return claims.size();
  }

  /** True when some claim recorded since a mark did not come out as wanted. */
  public boolean hasFailureSince(int mark) {
    return claims.subList(mark, claims.size()).stream().anyMatch(claim -> !claim.passed());
  }

  /** The case that runs failed as it should. */
  public void failedAsExpected(int mark) {
    expectedToFail.add(running);
    excuseSince(mark);
  }

  /** What failed since a mark was meant to fail. */
  public void excuseSince(int mark) {
    claims.subList(mark, claims.size()).stream()
        .filter(claim -> !claim.passed())
        .forEach(Claim::meantToFail);
  }

  /**
   * Excuses comparisons that failed without consequence where the script has held the same elements
   * against the golden in a way that it goes by, and that came out right: how exact a result is, is
   * for its log.
   */
  public void excuseLogged() {
    // Comparisons of numbers may be many, and none of them covers another.
    List<Claim> ofTensors = claims.stream().filter(claim -> !claim.isOfNumbers()).toList();
    List<Claim> right =
        ofTensors.stream().filter(claim -> claim.counts() && claim.isSure()).toList();
    for (Claim claim : ofTensors) {
      if (!claim.passed()) {
        right.stream()
            .filter(other -> caseOf(other).equals(caseOf(claim)) && claim.isOnlyLoggedBeside(other))
            .findFirst()
            .ifPresent(other -> claim.excuse());
      }
    }
  }

  /** The checks as they stand now. */
  public List<Check> checks() {
    return new CheckList(this).checks();
  }

  String caseOf(Claim claim) {
    return cases.getOrDefault(claim, "");
  }

  Facts factsOf(Claim claim) {
    return facts.computeIfAbsent(claim, Claim::facts);
  }
}
