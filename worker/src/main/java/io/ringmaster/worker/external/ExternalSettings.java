package io.ringmaster.worker.external;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * How scripts are run on this host's cards. Read from a file by {@link SettingsFile}.
 *
 * @param platforms what these cards are: a2a3, a5
 * @param command the words of the command that runs a script, with names in braces
 * @param probe the words of a command that ends with 0 when the devices are good; empty for the
 *     kernel that every worker knows
 * @param passed names of variables that the command gets from the worker's environment; one that
 *     ends in {@code *} stands for all that begin so
 * @param set variables that it gets besides, with names in braces
 * @param folder where runs have their files; one worker at a time
 * @param limits how long what may take
 * @param outputCharacters how much of what a run prints is kept
 * @param rehearse whether a script has to pass on the simulator before it gets a card
 */
public record ExternalSettings(
    List<String> platforms,
    List<String> command,
    List<String> probe,
    List<String> passed,
    Map<String, String> set,
    Path folder,
    Limits limits,
    int outputCharacters,
    boolean rehearse) {

  /** Platforms that are cards. */
  public static final List<String> PLATFORMS = List.of("a2a3", "a5");

  /** What the worker passes on unless it is told otherwise. */
  static final List<String> PASSED =
      List.of("PATH", "HOME", "LANG", "LC_*", "LD_LIBRARY_PATH", "PYTHONPATH", "ASCEND_*");

  /** Variables by which a run is known; nobody else may set them. */
  static final String OURS = "RINGMASTER_";

  private static final List<String> NAMES =
      List.of("harness", "script", "platform", "devices", "seconds", "deviceSeconds", "folder");

  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  /**
   * How long what may take, in the order in which it runs out: the tool chain gives up a kernel, a
   * run is asked to end, it is killed, its devices aren't to be trusted.
   *
   * @param device the tool chain's own limit of a kernel, handed to it as {@code {deviceSeconds}}
   * @param run most that a run may take, whatever its job asks for
   * @param polite how long processes may take to end when asked
   * @param kill how long the kernel may take to end those that don't
   * @param probe how long a probe may take
   */
  public record Limits(
      Duration device, Duration run, Duration polite, Duration kill, Duration probe) {

    public static final Limits DEFAULT =
        new Limits(
            Duration.ofSeconds(30),
            Duration.ofHours(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(3),
            Duration.ofSeconds(60));

    public Limits {
      require("deviceSeconds", device, 1, 86_400);
      require("runSeconds", run, 1, 86_400);
      require("politeSeconds", polite, 0, 600);
      require("killSeconds", kill, 1, 600);
      require("probeSeconds", probe, 1, 3600);
      if (device.compareTo(run) >= 0) {
        throw new IllegalArgumentException(
            "deviceSeconds %d must be less than runSeconds %d: the tool chain has to give up a kernel before its run is ended"
                .formatted(device.toSeconds(), run.toSeconds()));
      }
    }

    private static void require(String name, Duration value, long least, long most) {
      if (value.toSeconds() < least || value.toSeconds() > most) {
        throw new IllegalArgumentException(
            "%s %d isn't in %d..%d".formatted(name, value.toSeconds(), least, most));
      }
    }
  }

  public ExternalSettings {
    platforms = List.copyOf(platforms);
    command = List.copyOf(command);
    probe = List.copyOf(probe);
    passed = List.copyOf(passed);
    set = Map.copyOf(set);
    requirePlatforms(platforms);
    requireCommand("command", command);
    if (command.stream().noneMatch(word -> Template.names(word).contains("script"))) {
      throw new IllegalArgumentException("command doesn't name {script}, so it would run nothing");
    }
    requireCommand("probe", probe.isEmpty() ? List.of("none") : probe);
    requireDevices("command", command, set);
    if (!probe.isEmpty()) {
      requireDevices("probe", probe, set);
    }
    passed.forEach(name -> requireVariable("pass", name.endsWith("*") ? cut(name) : name));
    set.keySet().forEach(name -> requireVariable("set", name));
    set.forEach((name, text) -> requireNames("set " + name, text));
    if (!folder.isAbsolute()) {
      throw new IllegalArgumentException("folder '" + folder + "' must be an absolute path");
    }
    if (outputCharacters < 1000 || outputCharacters > 1_000_000) {
      throw new IllegalArgumentException(
          "outputCharacters " + outputCharacters + " isn't in 1000..1000000");
    }
  }

  private static void requirePlatforms(List<String> platforms) {
    if (platforms.isEmpty()) {
      throw new IllegalArgumentException(
          "platforms names none; it needs one or more of " + String.join(", ", PLATFORMS));
    }
    for (String platform : platforms) {
      if (!PLATFORMS.contains(platform)) {
        throw new IllegalArgumentException(
            "platforms: '%s' isn't a platform of cards; those are %s"
                .formatted(platform, String.join(", ", PLATFORMS)));
      }
    }
  }

  private static void requireCommand(String what, List<String> words) {
    if (words.isEmpty() || words.getFirst().isBlank()) {
      throw new IllegalArgumentException(what + " is empty; its first word is the program to run");
    }
    for (String word : words) {
      if (!word.equals(Template.ARGUMENTS)) {
        requireNames(what, word);
      }
    }
  }

  private static void requireNames(String what, String text) {
    for (String name : Template.names(text)) {
      if (!NAMES.contains(name)) {
        throw new IllegalArgumentException(
            name.equals("arguments")
                ? what + ": {arguments} must be a word of its own, in the command"
                : "%s: {%s} stands for nothing; there are {%s} and {arguments}"
                    .formatted(what, name, String.join("}, {", NAMES)));
      }
    }
  }

  private static void requireDevices(String what, List<String> words, Map<String, String> set) {
    if (words.stream().noneMatch(word -> Template.names(word).contains("devices"))
        && set.values().stream().noneMatch(text -> Template.names(text).contains("devices"))) {
      throw new IllegalArgumentException(
          what + " doesn't get {devices}: it would use cards that it was not given");
    }
  }

  private static void requireVariable(String what, String name) {
    if (!VARIABLE.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "%s: '%s' isn't the name of an environment variable".formatted(what, name));
    }
    if (name.startsWith(OURS)) {
      throw new IllegalArgumentException(
          "%s: '%s' is the worker's own; names that begin with %s can't be given to a run"
              .formatted(what, name, OURS));
    }
  }

  private static String cut(String name) {
    return name.substring(0, name.length() - 1);
  }

  /** Whether a run gets this variable of the worker's environment. */
  boolean passes(String variable) {
    return !variable.startsWith(OURS)
        && passed.stream()
            .anyMatch(
                name ->
                    name.endsWith("*") ? variable.startsWith(cut(name)) : variable.equals(name));
  }

  /** How long after the order to stop a run with its probe may still need. */
  public Duration stopsWithin() {
    return limits.polite().plus(limits.kill()).plusSeconds(5);
  }
}
