package io.ringmaster.service.cli;

import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** One of a set of words, in upper or lower case. */
final class Choice {

  private Choice() {}

  /**
   * The value whose name was written.
   *
   * @throws ParameterException naming the option and the values there are
   */
  static <E extends Enum<E>> E of(E[] values, String written, String option, CommandSpec command) {
    return Arrays.stream(values)
        .filter(value -> value.name().equalsIgnoreCase(written))
        .findFirst()
        .orElseThrow(
            () ->
                new ParameterException(
                    command.commandLine(),
                    option
                        + ": '"
                        + written
                        + "' isn't one of "
                        + Arrays.stream(values).map(Enum::name).collect(Collectors.joining(", "))));
  }
}
