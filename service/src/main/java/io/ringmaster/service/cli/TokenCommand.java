package io.ringmaster.service.cli;

import io.ringmaster.service.security.Role;
import io.ringmaster.service.security.Token;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ringmaster token}: lets somebody in. */
@Command(
    description = {
      "Makes a token for a service with a login.",
      "Prints the token, which belongs to whoever uses it, on stdout, and on stderr the line that",
      "goes into the service's file of tokens; the service keeps no more than that."
    },
    mixinStandardHelpOptions = true)
final class TokenCommand implements Callable<Integer> {

  private static final int MOST_NAME = 100;

  @Spec private @Nullable CommandSpec spec;

  @Parameters(paramLabel = "NAME", description = "who it is; jobs belong to names")
  private String name = "";

  @Option(
      names = "--role",
      required = true,
      paramLabel = "ROLE",
      description = "viewer, submitter, operator or worker")
  private String role = "";

  @Override
  public Integer call() {
    var line = Objects.requireNonNull(spec, "set by picocli").commandLine();
    if (name.isEmpty() || name.length() > MOST_NAME || name.chars().anyMatch(c -> c <= ' ')) {
      throw new ParameterException(line, "a name has 1 to 100 characters, none of them a space");
    }
    var secret = Token.random();
    var of = Choice.of(Role.values(), role, "--role", line.getCommandSpec());
    line.getOut().println(secret);
    line.getOut().flush();
    line.getErr().println(new Token(name, of, Token.digestOf(secret)).line());
    line.getErr().flush();
    return ExitCodes.PASSED;
  }
}
