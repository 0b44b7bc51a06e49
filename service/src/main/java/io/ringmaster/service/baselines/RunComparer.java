package io.ringmaster.service.baselines;

import io.ringmaster.service.baselines.Comparison.Change;
import io.ringmaster.service.baselines.Comparison.Kind;
import io.ringmaster.service.baselines.Comparison.RunPair;
import io.ringmaster.service.baselines.RunNumbers.CheckNumbers;
import io.ringmaster.service.baselines.RunNumbers.CollectiveNumbers;
import io.ringmaster.worker.job.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Compares a job's numbers with earlier ones; a pure function of both. */
final class RunComparer {

  private static final double PERCENT = 100;

  private final double tolerancePercent;

  /**
   * A comparer.
   *
   * @param tolerancePercent by how much a virtual time may differ and still be the same
   */
  RunComparer(double tolerancePercent) {
    this.tolerancePercent = tolerancePercent;
  }

  Comparison compare(List<RunNumbers> now, List<RunNumbers> before) {
    var pairs = new ArrayList<RunPair>();
    for (var pair : pairs(now, before)) {
      pairs.add(
          pair.now().isEmpty()
              ? gone(pair)
              : pair.before().isEmpty() ? pair : compared(pair.now().get(), pair.before().get()));
    }
    var kind = pairs.stream().map(RunPair::kind).max(Comparator.naturalOrder()).orElse(Kind.NEW);
    return new Comparison(kind, pairs);
  }

  /** Runs that belong together: the same title, if possible on the same devices. */
  static List<RunPair> pairs(List<RunNumbers> now, List<RunNumbers> before) {
    var left = new ArrayList<>(before);
    var pairs = new ArrayList<RunPair>();
    for (var run : now) {
      var match =
          left.stream()
              .filter(other -> other.title().equals(run.title()))
              .min(Comparator.comparing(other -> !other.devices().equals(run.devices())));
      match.ifPresent(left::remove);
      pairs.add(new RunPair(Kind.NEW, Optional.of(run), match, List.of()));
    }
    left.forEach(
        run -> pairs.add(new RunPair(Kind.CHANGED, Optional.empty(), Optional.of(run), List.of())));
    return pairs;
  }

  private static RunPair gone(RunPair pair) {
    var verdict = pair.before().map(run -> run.verdict().name()).orElse("");
    return new RunPair(
        Kind.CHANGED,
        pair.now(),
        pair.before(),
        List.of(new Change("run", "", verdict, "", "it is missing; it was " + verdict)));
  }

  private RunPair compared(RunNumbers now, RunNumbers before) {
    var changes = new ArrayList<Change>();
    if (now.verdict() != before.verdict()) {
      changes.add(
          change("verdict", "", "verdict", before.verdict().name(), now.verdict().name(), ""));
    }
    checks(now, before, changes);
    if (changes.isEmpty() && !now.outputDigest().equals(before.outputDigest())) {
      changes.add(
          new Change(
              "outputDigest",
              "",
              before.outputDigest(),
              now.outputDigest(),
              "the outputs hold other bits, within every tolerance"));
    }
    time("", now.virtualNanos(), before.virtualNanos(), changes);
    bytes("payloadBytes", "", now.payloadBytes(), before.payloadBytes(), changes);
    bytes("wireBytes", "", now.wireBytes(), before.wireBytes(), changes);
    collectives(now, before, changes);
    boolean fixed = before.verdict() != Verdict.PASSED && now.verdict() == Verdict.PASSED;
    var kind = fixed ? Kind.FIXED : changes.isEmpty() ? Kind.SAME : Kind.CHANGED;
    return new RunPair(kind, Optional.of(now), Optional.of(before), changes);
  }

  private static void checks(RunNumbers now, RunNumbers before, List<Change> changes) {
    var earlier = byName(before.checks(), CheckNumbers::name);
    for (var check : now.checks()) {
      var old = earlier.remove(check.name());
      if (old == null) {
        changes.add(
            new Change(
                "check", check.name(), "", outcome(check), "check " + check.name() + " is new"));
      } else {
        check(check, old, changes);
      }
    }
    earlier
        .values()
        .forEach(
            old ->
                changes.add(
                    new Change(
                        "check",
                        old.name(),
                        outcome(old),
                        "",
                        "check " + old.name() + " is not made any more")));
  }

  private static void check(CheckNumbers now, CheckNumbers before, List<Change> changes) {
    var of = "of check " + now.name();
    if (now.passed() != before.passed()) {
      changes.add(change("check", now.name(), "outcome " + of, outcome(before), outcome(now), ""));
    }
    if (!Objects.equals(now.maxAbsDifference(), before.maxAbsDifference())) {
      changes.add(
          change(
              "maxAbsDifference",
              now.name(),
              "max difference " + of,
              String.valueOf(before.maxAbsDifference()),
              String.valueOf(now.maxAbsDifference()),
              ""));
    }
    count(
        "mismatches",
        now.name(),
        "mismatches " + of,
        now.mismatches(),
        before.mismatches(),
        changes);
    count("elements", now.name(), "elements " + of, now.elements(), before.elements(), changes);
  }

  private static String outcome(CheckNumbers check) {
    return check.passed() ? "holds" : "fails";
  }

  private void collectives(RunNumbers now, RunNumbers before, List<Change> changes) {
    var earlier = byName(before.collectives(), CollectiveNumbers::name);
    for (var collective : now.collectives()) {
      var name = collective.name();
      var old = earlier.remove(name);
      if (old == null) {
        changes.add(new Change("collective", name, "", name, "collective " + name + " is new"));
      } else {
        time(name, collective.virtualNanos(), old.virtualNanos(), changes);
        bytes("payloadBytes", name, collective.payloadBytes(), old.payloadBytes(), changes);
        bytes("wireBytes", name, collective.wireBytes(), old.wireBytes(), changes);
      }
    }
    earlier
        .keySet()
        .forEach(
            name ->
                changes.add(
                    new Change(
                        "collective",
                        name,
                        name,
                        "",
                        "collective " + name + " is not called any more")));
  }

  private static <T> Map<String, T> byName(List<T> all, Function<T, String> name) {
    return all.stream()
        .collect(Collectors.toMap(name, Function.identity(), (one, _) -> one, LinkedHashMap::new));
  }

  private void time(String where, long now, long before, List<Change> changes) {
    if (Math.abs(now - before) > before * tolerancePercent / PERCENT) {
      changes.add(
          change(
              "virtualNanos",
              where,
              "virtual time" + of(where),
              "%,d ns".formatted(before),
              "%,d ns".formatted(now),
              percent(now, before)));
    }
  }

  private static void bytes(
      String what, String where, long now, long before, List<Change> changes) {
    if (now != before) {
      changes.add(
          change(
              what,
              where,
              (what.startsWith("wire") ? "wire bytes" : "payload bytes") + of(where),
              "%,d".formatted(before),
              "%,d".formatted(now),
              percent(now, before)));
    }
  }

  private static void count(
      String what, String where, String name, long now, long before, List<Change> changes) {
    if (now != before) {
      changes.add(change(what, where, name, "%,d".formatted(before), "%,d".formatted(now), ""));
    }
  }

  private static String of(String where) {
    return where.isEmpty() ? "" : " of " + where;
  }

  private static String percent(long now, long before) {
    return before == 0
        ? ""
        : String.format(Locale.ROOT, " (%+.1f %%)", (now - before) * PERCENT / before);
  }

  private static Change change(
      String what, String where, String name, String before, String now, String more) {
    return new Change(
        what, where, before, now, "%s: %s before, %s now%s".formatted(name, before, now, more));
  }
}
