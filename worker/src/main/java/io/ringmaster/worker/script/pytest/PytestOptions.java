package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.source.Span;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a command line of pytest asks for.
 *
 * @param keyword the expression of {@code -k}
 * @param mark the expression of {@code -m}
 * @param nodeIds the positional arguments
 * @param deselected node ids and their beginnings that are left out
 * @param maxFailures stop after so many; 0 for never
 * @param caseLimit how long a case may take
 * @param settings options that a conftest for kernels adds, by name
 */
public record PytestOptions(
    Optional<String> keyword,
    Optional<String> mark,
    List<String> nodeIds,
    List<String> deselected,
    long maxFailures,
    boolean collectOnly,
    Optional<Duration> caseLimit,
    Map<String, String> settings) {

  /** No selection: everything. */
  public static final PytestOptions NONE =
      new PytestOptions(
          Optional.empty(),
          Optional.empty(),
          List.of(),
          List.of(),
          0,
          false,
          Optional.empty(),
          Map.of());

  /** Options that change what is shown or how pytest runs; none of them changes a verdict. */
  private static final Set<String> IGNORED =
      Set.of(
          "-v",
          "-vv",
          "-vvv",
          "-q",
          "-qq",
          "-s",
          "-l",
          "--verbose",
          "--quiet",
          "--showlocals",
          "--no-header",
          "--no-summary",
          "--strict",
          "--strict-markers",
          "--strict-config",
          "--disable-warnings",
          "--disable-pytest-warnings",
          "--cache-clear",
          "--forked",
          "--lf",
          "--last-failed",
          "--ff",
          "--failed-first",
          "--nf",
          "--new-first",
          "--continue-on-collection-errors",
          "--no-showlocals",
          "--pdb",
          "--full-trace",
          "--setup-show");

  /** Several options of one letter: {@code -sv}, {@code -xvs}. */
  private static final Pattern FLAGS = Pattern.compile("-[vqslx]{2,}");

  private static final Set<String> IGNORED_WITH_VALUE =
      Set.of(
          "-p",
          "-r",
          "-c",
          "-W",
          "-n",
          "-o",
          "--tb",
          "--capture",
          "--color",
          "--durations",
          "--durations-min",
          "--rootdir",
          "--confcutdir",
          "--import-mode",
          "--junitxml",
          "--junit-xml",
          "--log-level",
          "--log-cli-level",
          "--numprocesses",
          "--dist",
          "--verbosity",
          "--show-capture",
          "--basetemp",
          "--pythonwarnings",
          "--override-ini",
          "-d",
          "--device",
          "--devices",
          "--device-id",
          "--device-ids",
          "--ignore",
          "--ignore-glob",
          "--code-highlight",
          "--last-failed-no-failures",
          "--log-file",
          "--log-format",
          "--log-date-format",
          "--log-cli-format",
          "--reruns",
          "--reruns-delay",
          "--timeout-method",
          "--maxprocesses",
          "--platform");

  private static final Set<String> SETTINGS =
      Set.of("--save-kernels", "--dump-passes", "--codegen-only", "--compile-only");

  private static final Set<String> SETTINGS_WITH_VALUE =
      Set.of(
          "--save-kernels-dir",
          "--strategy",
          "--kernels-dir",
          "--rtol",
          "--atol",
          "--fuzz-count",
          "--fuzz-seed");

  public PytestOptions {
    nodeIds = List.copyOf(nodeIds);
    deselected = List.copyOf(deselected);
    settings = Map.copyOf(settings);
  }

  /** True when it chooses among the cases. */
  public boolean selects() {
    return keyword.isPresent() || mark.isPresent() || !nodeIds.isEmpty() || !deselected.isEmpty();
  }

  /**
   * True when a script's arguments choose cases, whatever else they hold: {@code -k}, {@code -m},
   * or a node id.
   */
  public static boolean selects(List<String> arguments) {
    return arguments.stream()
        .anyMatch(
            a ->
                a.equals("-k")
                    || a.startsWith("-k=")
                    || a.equals("-m")
                    || a.equals("--co")
                    || a.equals("--collect-only")
                    || a.equals("--deselect")
                    || a.startsWith("--deselect=")
                    || (!a.startsWith("-") && a.contains("::")));
  }

  /**
   * Reads a command line.
   *
   * @throws io.ringmaster.worker.source.DiagnosticException for an option that isn't known
   */
  public static PytestOptions parse(List<String> arguments, Span at) {
    return new Reader(arguments, at).read();
  }

  private static final class Reader {

    private final List<String> arguments;
    private final Span at;
    private int next;

    Reader(List<String> arguments, Span at) {
      this.arguments = arguments;
      this.at = at;
    }

    PytestOptions read() {
      Optional<String> keyword = Optional.empty();
      Optional<String> mark = Optional.empty();
      List<String> nodeIds = new ArrayList<>();
      List<String> deselected = new ArrayList<>();
      long maxFailures = 0;
      boolean collectOnly = false;
      Optional<Duration> caseLimit = Optional.empty();
      Map<String, String> settings = new LinkedHashMap<>();
      while (next < arguments.size()) {
        String argument = arguments.get(next++);
        int equals = argument.indexOf('=');
        boolean joined = equals > 0 && argument.startsWith("-");
        String name = joined ? argument.substring(0, equals) : argument;
        Optional<String> value =
            joined ? Optional.of(argument.substring(equals + 1)) : Optional.empty();
        switch (name) {
          case "-k" -> keyword = Optional.of(value(name, value));
          case "-m" -> mark = Optional.of(value(name, value));
          case "--deselect" -> deselected.add(value(name, value));
          case "-x", "--exitfirst", "--sw", "--stepwise" -> maxFailures = 1;
          case "--maxfail" -> maxFailures = number(name, value(name, value));
          case "--collect-only", "--co" -> collectOnly = true;
          case "--timeout" -> caseLimit = seconds(name, value(name, value));
          default -> {
            if (!argument.startsWith("-")) {
              nodeIds.add(argument);
            } else if (SETTINGS.contains(name)) {
              settings.put(name, "true");
            } else if (SETTINGS_WITH_VALUE.contains(name)) {
              settings.put(name, value(name, value));
            } else if (IGNORED_WITH_VALUE.contains(name)) {
              value(name, value);
            } else if (isJoined(argument, "-k")) {
              keyword = Optional.of(argument.substring(2));
            } else if (isJoined(argument, "-m")) {
              mark = Optional.of(argument.substring(2));
            } else if (FLAGS.matcher(argument).matches()) {
              maxFailures = argument.contains("x") ? 1 : maxFailures;
            } else if (!IGNORED.contains(name) && !isJoinedShort(argument)) {
              throw unknown(name);
            }
          }
        }
      }
      return new PytestOptions(
          keyword, mark, nodeIds, deselected, maxFailures, collectOnly, caseLimit, settings);
    }

    /** Seconds, also parts of one; 0 for no limit. */
    private Optional<Duration> seconds(String name, String text) {
      try {
        double seconds = Double.parseDouble(text);
        return seconds > 0 && seconds < 1e9
            ? Optional.of(Duration.ofNanos((long) (seconds * 1e9)))
            : Optional.empty();
      } catch (NumberFormatException e) {
        throw Errors.refuse("pytest: " + name + ": invalid float value: '" + text + "'", "", at);
      }
    }

    private static boolean isJoined(String argument, String option) {
      return argument.length() > 2 && argument.startsWith(option);
    }

    /** {@code -rA}, {@code -n4}: a short option with its value attached. */
    private static boolean isJoinedShort(String argument) {
      return argument.length() > 2
          && argument.charAt(1) != '-'
          && IGNORED_WITH_VALUE.contains(argument.substring(0, 2));
    }

    private String value(String name, Optional<String> given) {
      if (given.isPresent()) {
        return given.get();
      }
      if (next >= arguments.size()) {
        throw Errors.refuse("pytest: " + name + ": expected one argument", "", at);
      }
      return arguments.get(next++);
    }

    private long number(String name, String text) {
      try {
        return Math.max(0, Long.parseLong(text));
      } catch (NumberFormatException e) {
        throw Errors.refuse("pytest: " + name + ": invalid int value: '" + text + "'", "", at);
      }
    }

    private RuntimeException unknown(String name) {
      List<String> known =
          new ArrayList<>(
              List.of("-k", "-m", "--deselect", "-x", "--maxfail", "--collect-only", "--timeout"));
      known.addAll(SETTINGS);
      known.addAll(SETTINGS_WITH_VALUE);
      known.addAll(IGNORED);
      known.addAll(IGNORED_WITH_VALUE);
      return Errors.refuse("pytest: unrecognized arguments: " + name, name, known, at);
    }
  }
}
