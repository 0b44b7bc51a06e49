package io.ringmaster.worker.script.check;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A comparison the script made, and what the script wants to come out of it.
 *
 * <p>A claim is wanted to hold until the script shows that it wants the opposite: {@code assert not
 * torch.equal(a, b)}, or an {@code if} whose body raises.
 */
public final class Claim {

  /** The kind of an error that a test asks for. */
  public static final String RAISES = "raises";

  /** How the explanation of a check begins that verifies nothing because it can't fail. */
  public static final String CAN_NOT_FAIL = "this check can't fail: ";

  /** How the explanation of a check begins that can fail, and yet doesn't say what is right. */
  public static final String DOES_NOT_COUNT = "this check doesn't count: ";

  /** What is said of a check that any of several goldens satisfies. */
  private static final String A_CHOICE =
      "any of several goldens that differ is enough for the same output, so it doesn't say which is"
          + " right";

  /** What is said of a comparison of tensors without elements. */
  private static final String NOTHING = "nothing was compared: what it compares has no elements";

  /** What is said of a check that only wants a difference. */
  public static final String WANTED_DIFFERENCE =
      "it doesn't hold, as the script wants; almost any output differs, so it doesn't count by"
          + " itself";

  private final String kind;
  private final String name;
  private final int line;
  private final boolean holds;
  private final Origin origin;
  private final Supplier<Facts> facts;
  private @Nullable Facts known;
  private final List<Term> parts;
  private boolean wanted = true;
  private boolean asked;
  private boolean excused;
  private boolean meantToFail;
  private boolean sound;
  private boolean blind;
  private boolean plain;
  private boolean closeIs;
  private Optional<Boolean> closeIf = Optional.empty();
  private boolean alternative;
  private boolean choice;
  private boolean useless;
  private boolean following;
  private String ruined = "";
  private Optional<Golden> golden = Optional.empty();
  private Optional<TensorPair> sides = Optional.empty();
  private String noProof = "";
  private Origin left = Origin.NONE;
  private Origin right = Origin.NONE;
  private long size = 1;
  private Optional<Print> print = Optional.empty();
  private int number = -1;
  private final boolean came;
  private String part = "";
  private boolean exact;
  private String wide = "";

  /** A part of a joined claim; {@code inverted} under {@code not}. */
  public record Term(Claim claim, boolean inverted) {

    boolean holds() {
      return claim.holds ^ inverted;
    }
  }

  private Claim(
      String kind,
      String name,
      int line,
      boolean holds,
      boolean came,
      Origin origin,
      Supplier<Facts> facts,
      List<Term> parts) {
    this.kind = kind;
    this.name = name;
    this.line = line;
    this.holds = holds;
    this.came = came;
    this.origin = origin;
    this.facts = facts;
    this.parts = List.copyOf(parts);
  }

  /**
   * A single comparison.
   *
   * @param kind allclose, equal, assert_close, comparison
   * @param facts its numbers, asked for once, when it is recorded or read
   */
  public static Claim of(
      String kind, String name, int line, boolean holds, Origin origin, Supplier<Facts> facts) {
    return new Claim(kind, name, line, holds, holds, origin, facts, List.of());
  }

  /**
   * Several comparisons joined by {@code and}, {@code or}, {@code all}, {@code any}. That one of
   * them stands under {@code not} says nothing about what the script wants of it: {@code if verbose
   * or not ok} only chooses what to print.
   *
   * @param holds what came out of the whole
   * @param all true when every part has to hold, false when one is enough
   */
  public static Claim joined(List<Term> parts, boolean holds, boolean all) {
    Claim first = parts.getFirst().claim();
    Claim whole =
        new Claim(
            first.kind, first.name, first.line, holds, holds, first.origin, first.facts, parts);
    if (holds != all) {
      whole.alternative();
      Terms.doubtSome(parts);
    }
    if (!all && Terms.areChoice(parts)) {
      whole.choice = true;
      whole.singles().forEach(single -> single.isUseless(A_CHOICE));
    }
    parts.stream()
        .filter(part -> holds && !part.inverted() && !part.claim().holds)
        .forEach(part -> part.claim().excuse());
    return whole;
  }

  /** True when one of several different goldens is enough for it. */
  boolean isChoice() {
    return choice || parts.stream().anyMatch(part -> part.claim().isChoice());
  }

  /** Another reading showed that one of several different goldens is enough for it. */
  void turnsOutAChoice() {
    if (alternative) {
      isUseless(A_CHOICE);
    }
  }

  /** What it holds a kernel's values against, to tell one golden from another. */
  public Claim against(Optional<Golden> values) {
    golden = values;
    return this;
  }

  /** The values that it holds a kernel's against; empty for none, or too many. */
  Optional<double[]> goldenValues() {
    return sides.flatMap(Golden::values);
  }

  /** The same where it looks at a kernel's values as they are, and not at what is made of them. */
  Optional<double[]> plainGolden() {
    return sides.filter(TensorPair::plain).flatMap(Golden::values);
  }

  /** True when both are held against goldens, and these differ. */
  boolean hasOtherGolden(Claim other) {
    return golden.isPresent()
        && other.golden.isPresent()
        && !golden.get().isLike(other.golden.get());
  }

  /**
   * What it is held against follows what the kernels wrote, so it isn't sure to notice anything.
   */
  void goldenFollows() {
    following = true;
  }

  /** What the script itself had done first to what is compared here, where that matters. */
  Optional<Alteration> altered() {
    Optional<Alteration> change = left.altered().or(right::altered);
    if (change.isEmpty() && !left.fromTensor() && !right.fromTensor()) {
      change = origin.altered();
    }
    return change.filter(by -> !by.difference() || !isAgainstZero());
  }

  /** True when a number or nothing but zeros are what it is held against. */
  private boolean isAgainstZero() {
    return !left.fromTensor() || !right.fromTensor() || facts().isAgainstZero();
  }

  /** The single comparisons this one is made of. */
  public List<Claim> singles() {
    if (parts.isEmpty()) {
      return List.of(this);
    }
    List<Claim> all = new ArrayList<>();
    parts.forEach(part -> all.addAll(part.claim().singles()));
    return all;
  }

  /**
   * Says which outcome the script wants. When a whole came out as wanted, the parts that didn't are
   * excused: {@code a or b} needs only one.
   */
  public void want(boolean outcome) {
    wanted = outcome;
    asked = true;
    for (Term part : parts) {
      part.claim().want(outcome ^ part.inverted());
      if (holds == outcome && part.holds() != outcome) {
        part.claim().excuse();
      }
    }
  }

  /** The same comparison with another outcome for the script to go on with. */
  Claim holding(boolean outcome) {
    return new Claim(
            kind, name, line, /* holds= */ outcome, /* came= */ holds, origin, facts, parts)
        .between(left, right)
        .against(golden)
        .with(sides)
        .wide(wide)
        .sized(size)
        .printed(print);
  }

  /** What really came out of it. */
  boolean came() {
    return came;
  }

  /** Its place among those of the same expression in the same case. */
  void numbered(int place) {
    number = place;
  }

  int number() {
    return number;
  }

  /** What a kernel wrote is held against what no kernel wrote: of course it can fail. */
  public Claim sound(boolean provably) {
    sound = provably;
    return this;
  }

  /**
   * What a kernel wrote is held against what no kernel wrote, element by element: of course it can
   * fail, unless the script wants it to, or the tolerance takes in everything.
   *
   * @param close which outcome says that the two are close
   */
  public Claim plain(boolean provably, boolean close) {
    plain = provably && holds == close;
    closeIs = close;
    return this;
  }

  /** Which outcome says that what a kernel wrote is what it is held against. */
  public Claim closeIf(boolean outcome) {
    closeIf = Optional.of(outcome);
    return this;
  }

  /** Two numbers have to be the same, whatever they were made of. */
  public Claim exactly(boolean alike) {
    exact = alike;
    return this;
  }

  /** What it says that it lets through, of that which it compares. */
  Coarse.Allowed allowed() {
    if (sides.isEmpty()) {
      return exact ? new Coarse.Allowed(true, 0, 0) : Coarse.Allowed.UNKNOWN;
    }
    Double rtol = facts().rtol();
    Double atol = facts().atol();
    return new Coarse.Allowed(true, rtol == null ? 0 : rtol, atol == null ? 0 : atol);
  }

  /** True for one that found a kernel's values to be others than those that no kernel wrote. */
  boolean isMiss() {
    if (!origin.fromKernel() || left.fromKernel() == right.fromKernel()) {
      return false;
    }
    if (closeIf.isPresent()) {
      return holds != closeIf.get() && (sides.isEmpty() || facts().mismatches() > 0);
    }
    return sides.isPresent() && facts().isFarApart();
  }

  /** Which of its elements are further apart than any rounding; empty where nobody knows. */
  Optional<BitSet> farApart() {
    return sides.flatMap(Golden::apart);
  }

  /** True for one of numbers, of which nobody knows what tensors they sum up. */
  boolean isOfNumbers() {
    return sides.isEmpty();
  }

  /** True for a comparison that missed, as the script wants: it says nothing of the kernel. */
  boolean isWantedMiss() {
    return meantToFail || (asked && holds == wanted);
  }

  /** What its two sides stem from. */
  public Claim between(Origin one, Origin other) {
    left = one;
    right = other;
    return this;
  }

  Reads left() {
    return apart().map(Origin.Apart::left).orElse(left.reads());
  }

  Reads right() {
    return apart().map(Origin.Apart::right).orElse(right.reads());
  }

  /** A difference of kernels' values, against something of the script's own. */
  private Optional<Origin.Apart> apart() {
    return left.fromTensor() && right.fromTensor() ? Optional.empty() : origin.apart();
  }

  /** True when it sums up how far values of kernels are apart. */
  boolean isOfDifference() {
    return apart().isPresent();
  }

  /** Both of its sides were computed from what kernels wrote. */
  boolean isOfKernelsOnly() {
    return (left.fromKernel() && right.fromKernel()) || isOfDifference();
  }

  /** True when its sides come from programs of their own: one tells what the other should be. */
  public boolean isOfTwoPrograms() {
    return isOfKernelsOnly()
        && !left().isEmpty()
        && !right().isEmpty()
        && left().isOfOtherProgramsThan(right());
  }

  /** What is compared, and how many elements of it: none are a comparison of nothing. */
  public Claim of(TensorPair pair) {
    sides = Optional.of(pair);
    if (pair.actual().elements() == 0 || pair.expected().elements() == 0) {
      isUseless(NOTHING);
    }
    return sized(pair.actual().elements());
  }

  private Claim with(Optional<TensorPair> pair) {
    sides = pair;
    return this;
  }

  private Claim sized(long elements) {
    size = elements;
    return this;
  }

  long size() {
    return size;
  }

  /** What its sides look like, to see in another reading which of them changed. */
  public Claim printed(Optional<Print> sides) {
    print = sides;
    return this;
  }

  Optional<Print> print() {
    return print;
  }

  /** So many of its elements are held against what the kernel itself wrote. */
  void isPartly(long own, long all) {
    part = own + " of " + all + " elements are held against what the kernel itself wrote";
  }

  /** So many of its elements are NaN on both sides. */
  void isPartlyNan(long nans, long all) {
    part = nans + " of " + all + " elements are NaN in the golden, so no value is compared there";
  }

  /** Nobody knows whether it notices everything, or it is known what it doesn't. */
  public void isUntried(String what) {
    part = part.isEmpty() ? what : part;
  }

  /** Which elements say nothing, when only some don't. */
  String onlyPart() {
    return part;
  }

  /** It doesn't say what is right, and no trial would show otherwise. */
  void isUseless(String why) {
    provesNothing(why);
    useless = true;
  }

  boolean isUseless() {
    return useless;
  }

  /** It holds although what it compares is wrong beyond doubt. */
  void isWrong(String why) {
    ruined = why;
  }

  /** Why it fails although it holds; empty when it doesn't. */
  String ruined() {
    return ruined.isEmpty() ? origin.spoiled() : ruined;
  }

  /** What a kernel wrote is NaN at more of its elements than what it is held against. */
  boolean hasMoreNans(Facts of) {
    if (left.fromKernel() == right.fromKernel() || of.actual().isEmpty()) {
      return false;
    }
    long one = of.actual().get().nans();
    long other = of.expected().orElse(of.actual().get()).nans();
    return left.fromKernel() ? one > other : other > one;
  }

  /** It can fail, and yet doesn't say what is right. */
  public void provesNothing(String why) {
    noProof = DOES_NOT_COUNT + why;
  }

  /** Some other claim holding is enough, as under {@code any}: this one may fail. */
  private void alternative() {
    if (!alternative) {
      alternative = true;
      parts.forEach(part -> part.claim().alternative());
    }
  }

  /** True for one that is sure to notice each wrong element of what it looks at. */
  boolean isSure() {
    return !alternative
        && !following
        && (sound || kind.equals(RAISES) || (plain && wanted == closeIs))
        && !facts().isLoose();
  }

  /** True for one that counts, although it isn't clear yet whether it can fail. */
  boolean isDoubtful() {
    return !sound
        && !(plain && wanted == closeIs && !facts().takesInAll())
        && !kind.equals(RAISES)
        && verifies();
  }

  /** Its tolerance takes in quite other values; empty when it doesn't. */
  public void takesIn(String words) {
    wide = words;
  }

  private Claim wide(String words) {
    wide = words;
    return this;
  }

  String wide() {
    return wide;
  }

  /** It comes out the same whatever the kernel writes. */
  void comesOutTheSame() {
    blind = true;
  }

  /** Why it doesn't count; empty when it does. */
  String whyBlind(Facts of) {
    if (!blind) {
      return noProof;
    }
    String tolerance = of.tolerance();
    return CAN_NOT_FAIL
        + (!tolerance.isEmpty()
            ? tolerance
            : isOfKernelsOnly()
                ? "both sides come from what the kernel wrote"
                : "it comes out the same whatever the kernel writes");
  }

  /** It failed where the script expects a failure. */
  void meantToFail() {
    meantToFail = true;
  }

  /** True for one that came out as wanted and could have failed. */
  boolean counts() {
    return passed() && verifies();
  }

  /**
   * True when it says something about a kernel: about its output, or about its refusal. One that
   * failed without consequence, as in {@code ... or True}, says nothing, nor does one that can't
   * fail.
   */
  public boolean verifies() {
    return noProof.isEmpty()
        && (kind.equals(RAISES)
            || (origin.fromKernel() && !meantToFail && !excused() && !blind && !wantsDifference()));
  }

  /**
   * True for one that holds as if what it looks at were right, and doesn't count. A difference that
   * the script wants, or a failure, pretends nothing.
   */
  boolean pretends() {
    return passed()
        && origin.fromKernel()
        && !kind.equals(RAISES)
        && !meantToFail
        && !wantsDifference()
        && !verifies();
  }

  /** True for a comparison with a golden that the script wants to miss it. */
  public boolean wantsDifference() {
    return !wanted && !kind.equals("comparison");
  }

  /**
   * True when another check has held all that this comparison looks at against the same golden; or
   * against another one, if the script goes by that check and not by this comparison.
   */
  boolean isOnlyLoggedBeside(Claim other) {
    boolean covered =
        ruined().isEmpty()
            && !origin.reads().isEmpty()
            && origin.reads().without(other.origin.reads()).isEmpty();
    boolean same =
        golden.isPresent() && other.golden.isPresent() && golden.get().isLike(other.golden.get());
    return covered && (same || (other.asked && !asked));
  }

  void excuse() {
    excused = true;
    parts.forEach(part -> part.claim().excuse());
  }

  public String kind() {
    return kind;
  }

  public String name() {
    return name;
  }

  public int line() {
    return line;
  }

  public Origin origin() {
    return origin;
  }

  public boolean wanted() {
    return wanted;
  }

  public boolean holds() {
    return holds;
  }

  /** Its numbers, as they were when it was recorded. */
  public Facts facts() {
    if (known == null) {
      known = facts.get();
    }
    return known;
  }

  /** True when the script accepted it although it didn't come out as wanted. */
  public boolean excused() {
    return excused && holds != wanted;
  }

  /** True when it came out as wanted, over data that was written. */
  public boolean passed() {
    return meantToFail || ((excused || holds == wanted) && ruined().isEmpty());
  }
}
