package io.ringmaster.worker.engine;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One way in which the simulated machine differs from the calibrated one, so that a user can ask
 * what a late rank, a slow link or a lost notify does to a kernel. Ranks are those of the run.
 */
public sealed interface Condition {

  /** Every dispatch of {@code rank} starts so much later. */
  record LateRank(int rank, long nanos) implements Condition {}

  /** Everything that {@code rank} does itself takes so many times as long. */
  record SlowRank(int rank, double factor) implements Condition {}

  /** Transfers and notifies between the two ranks, either way, take so many times as long. */
  record SlowLink(int first, int second, double factor) implements Condition {}

  /**
   * Notifies from one rank to another arrive later.
   *
   * @param which counted from 1 in sending order; 0 for all of them
   */
  record DelayedNotify(int from, int to, long which, long nanos) implements Condition {}

  /**
   * Notifies from one rank to another never arrive.
   *
   * @param which counted from 1 in sending order; 0 for all of them
   */
  record DroppedNotify(int from, int to, long which) implements Condition {}

  /** Ports of ranks have no limit: only links have. */
  record OpenPorts() implements Condition {}

  /** The kinds by their names, each with the form of its text. */
  Map<String, String> FORMS =
      new TreeMap<>(
          Map.of(
              "straggler", "RANK:DELAY or RANK:FACTORx, such as 2:5us or 2:1.5x",
              "slow-link", "RANK-RANK:FACTORx, such as 0-1:4x",
              "delay-notify", "FROM-TO:DELAY or FROM-TO#N:DELAY, such as 0-1:3us or 0-1#2:3us",
              "drop-notify", "FROM-TO or FROM-TO#N, such as 0-1#2",
              "ports", "off"));

  /** {@code KIND=VALUE}, as {@link #parse(String)} reads it. */
  default String text() {
    return switch (this) {
      case LateRank late -> "straggler=" + late.rank() + ":" + late.nanos() + "ns";
      case SlowRank slow -> "straggler=" + slow.rank() + ":" + plain(slow.factor()) + "x";
      case SlowLink link ->
          "slow-link=" + link.first() + "-" + link.second() + ":" + plain(link.factor()) + "x";
      case DelayedNotify delay ->
          "delay-notify="
              + link(delay.from(), delay.to(), delay.which())
              + ":"
              + delay.nanos()
              + "ns";
      case DroppedNotify drop -> "drop-notify=" + link(drop.from(), drop.to(), drop.which());
      case OpenPorts _ -> "ports=off";
    };
  }

  private static String plain(double factor) {
    return BigDecimal.valueOf(factor).stripTrailingZeros().toPlainString();
  }

  private static String link(int from, int to, long which) {
    return from + "-" + to + (which == 0 ? "" : "#" + which);
  }

  /** The ranks it names. */
  default List<Integer> ranks() {
    return switch (this) {
      case LateRank late -> List.of(late.rank());
      case SlowRank slow -> List.of(slow.rank());
      case SlowLink link -> List.of(link.first(), link.second());
      case DelayedNotify delayed -> List.of(delayed.from(), delayed.to());
      case DroppedNotify dropped -> List.of(dropped.from(), dropped.to());
      case OpenPorts _ -> List.of();
    };
  }

  /**
   * What it asks of a rank that isn't among so many, in a sentence; empty when all are there. It
   * would do nothing, and be believed.
   */
  default Optional<String> absentRank(int ranks) {
    return ranks().stream()
        .filter(rank -> rank >= ranks)
        .findFirst()
        .map(
            rank ->
                "there is no rank "
                    + rank
                    + (ranks == 1
                        ? ": with 1 device the only rank is 0"
                        : ": with " + ranks + " devices the ranks are 0.." + (ranks - 1))
                    + "; conditions name ranks, not device ids");
  }

  /**
   * Reads {@code KIND=VALUE}, such as {@code straggler=2:5us}.
   *
   * @throws IllegalArgumentException with a sentence for people
   */
  static Condition parse(String text) {
    int at = text.indexOf('=');
    String kind = at < 0 ? text.strip() : text.substring(0, at).strip();
    if (at < 0 || !FORMS.containsKey(kind)) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' isn't a condition; write KIND=VALUE with one of "
              + String.join(", ", FORMS.keySet()));
    }
    return parse(kind, text.substring(at + 1).strip());
  }

  /** Reads the value of a kind; see {@link #FORMS}. */
  static Condition parse(String kind, String value) {
    Condition condition =
        switch (kind) {
          case "straggler" -> straggler(value);
          case "slow-link" -> slowLink(value);
          case "delay-notify" -> delayedNotify(value);
          case "drop-notify" -> droppedNotify(value);
          case "ports" -> openPorts(value);
          default -> throw wrong(kind, value, "unknown kind");
        };
    if (condition.ranks().size() == 2
        && condition.ranks().getFirst().equals(condition.ranks().getLast())) {
      throw wrong(kind, value, "a rank has no link to itself");
    }
    return condition;
  }

  private static Condition straggler(String value) {
    Matcher parts = match("straggler", value, "(\\d+):(.+)");
    int rank = rank("straggler", value, parts.group(1));
    String amount = parts.group(2);
    return amount.endsWith("x")
        ? new SlowRank(rank, factor("straggler", value, amount))
        : new LateRank(rank, nanos("straggler", value, amount));
  }

  private static Condition slowLink(String value) {
    Matcher parts = match("slow-link", value, "(\\d+)-(\\d+):(.+x)");
    return new SlowLink(
        rank("slow-link", value, parts.group(1)),
        rank("slow-link", value, parts.group(2)),
        factor("slow-link", value, parts.group(3)));
  }

  private static Condition delayedNotify(String value) {
    Matcher parts = match("delay-notify", value, "(\\d+)-(\\d+)(?:#(\\d+))?:(.+)");
    return new DelayedNotify(
        rank("delay-notify", value, parts.group(1)),
        rank("delay-notify", value, parts.group(2)),
        which("delay-notify", value, parts.group(3)),
        nanos("delay-notify", value, parts.group(4)));
  }

  private static Condition droppedNotify(String value) {
    Matcher parts = match("drop-notify", value, "(\\d+)-(\\d+)(?:#(\\d+))?");
    return new DroppedNotify(
        rank("drop-notify", value, parts.group(1)),
        rank("drop-notify", value, parts.group(2)),
        which("drop-notify", value, parts.group(3)));
  }

  private static Condition openPorts(String value) {
    if (!value.equals("off")) {
      throw wrong("ports", value, "ports are on unless they are off");
    }
    return new OpenPorts();
  }

  private static Matcher match(String kind, String value, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(value);
    if (!matcher.matches()) {
      throw wrong(kind, value, "it doesn't have the form");
    }
    return matcher;
  }

  private static int rank(String kind, String value, String digits) {
    if (digits.length() > 7) {
      throw wrong(kind, value, "there is no rank " + digits);
    }
    return Integer.parseInt(digits);
  }

  private static long which(
      String kind, String value, @org.jspecify.annotations.Nullable String n) {
    if (n == null) {
      return 0;
    }
    if (n.length() > 15 || Long.parseLong(n) == 0) {
      throw wrong(kind, value, "notifies are counted from 1");
    }
    return Long.parseLong(n);
  }

  private static double factor(String kind, String value, String amount) {
    double factor = decimal(kind, value, amount.substring(0, amount.length() - 1)).doubleValue();
    if (factor < 1 || factor > 1e6) {
      throw wrong(kind, value, "a factor lies in 1..1000000");
    }
    return factor;
  }

  private static long nanos(String kind, String value, String amount) {
    Matcher parts = match(kind, amount, "([0-9.]+)(ns|us|ms|s)");
    long unit =
        switch (parts.group(2)) {
          case "ns" -> 1;
          case "us" -> 1_000;
          case "ms" -> 1_000_000;
          default -> 1_000_000_000;
        };
    BigDecimal total = decimal(kind, value, parts.group(1)).multiply(BigDecimal.valueOf(unit));
    if (total.compareTo(BigDecimal.valueOf(3_600_000_000_000L)) > 0) {
      throw wrong(kind, value, "a delay is an hour at most");
    }
    return total.longValue();
  }

  private static BigDecimal decimal(String kind, String value, String digits) {
    if (!digits.matches("\\d+(\\.\\d+)?")) {
      throw wrong(kind, value, "'" + digits + "' isn't a number");
    }
    if (!digits.matches("\\d{1,15}(\\.\\d{1,9})?")) {
      throw wrong(
          kind, value, "a number here has at most 15 digits before its point and 9 behind it");
    }
    return new BigDecimal(digits);
  }

  private static IllegalArgumentException wrong(String kind, String value, String why) {
    return new IllegalArgumentException(
        String.format(
            Locale.ROOT, "%s '%s': %s; write %s", kind, value, why, FORMS.getOrDefault(kind, "")));
  }
}
