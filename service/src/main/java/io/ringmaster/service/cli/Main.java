package io.ringmaster.service.cli;

import io.ringmaster.worker.isolated.ChildFailure;
import io.ringmaster.worker.source.NearName;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The entry point of every process: picks the command and turns its outcome into an exit code. */
@Command(
    name = "ringmaster",
    description = "Runs collective workloads and says whether they are right.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class)
public final class Main implements Runnable {

  /** System property with the names of the commands that there are; all of them without it. */
  static final String OFFERED = "ringmaster.commands";

  /** By name, in the order in which {@code --help} shows them. */
  private static final Map<String, Class<?>> COMMANDS = commands();

  @Spec private @Nullable CommandSpec spec;

  public static void main(String[] args) {
    System.exit(commandLine(args).execute(args));
  }

  /**
   * The command line that understands these arguments; a failure of ours is infrastructure, not a
   * usage error. Where the first argument names a command, the others aren't built: reading the
   * options of all of them takes longer than a small kernel runs.
   */
  public static CommandLine commandLine(String... args) {
    var offered = offered();
    var named = args.length == 0 ? null : offered.get(args[0]);
    var commands = new CommandLine(new Main());
    (named == null ? offered : Map.of(args[0], named)).forEach(commands::addSubcommand);
    return commands
        .setParameterExceptionHandler((failure, _) -> misused(failure))
        .setExecutionExceptionHandler(
            (failure, line, parsed) -> {
              if (failure instanceof ChildFailure device) {
                line.getErr().println("ringmaster: " + device.getMessage());
                line.getErr().flush();
                return ExitCodes.INFRASTRUCTURE;
              }
              if (failure instanceof ServiceFailure said) {
                line.getErr().println("ringmaster: " + said.getMessage());
                line.getErr().flush();
                return said.exitCode();
              }
              throw failure;
            })
        .setExitCodeExceptionMapper(
            failure ->
                failure instanceof ParameterException
                    ? ExitCodes.USAGE_OR_REJECTED
                    : ExitCodes.INFRASTRUCTURE);
  }

  /** Says what is wrong with the command line, and the name that was meant, or else the usage. */
  private static int misused(ParameterException failure) {
    var line = failure.getCommandLine();
    var err = line.getErr();
    err.println(line.getColorScheme().errorText(failure.getMessage()));
    meant(failure)
        .ifPresentOrElse(name -> err.println("Did you mean " + name + "?"), () -> line.usage(err));
    err.flush();
    return ExitCodes.USAGE_OR_REJECTED;
  }

  private static Optional<String> meant(ParameterException failure) {
    if (!(failure instanceof UnmatchedArgumentException unmatched)) {
      return Optional.empty();
    }
    var line = failure.getCommandLine();
    var given = unmatched.getUnmatched().getFirst().split("=", 2)[0];
    return NearName.of(
        given,
        given.startsWith("-")
            ? line.getCommandSpec().optionsMap().keySet()
            : line.getSubcommands().keySet());
  }

  /** A bundle has no classes for the others. */
  private static Map<String, Class<?>> offered() {
    var only = System.getProperty(OFFERED);
    if (only == null) {
      return COMMANDS;
    }
    var offered = new LinkedHashMap<>(COMMANDS);
    offered.keySet().retainAll(List.of(only.split(",", -1)));
    return offered;
  }

  /** The names of all commands. */
  static Set<String> names() {
    return COMMANDS.keySet();
  }

  /** The class of a command. */
  static Class<?> command(String name) {
    return Objects.requireNonNull(COMMANDS.get(name), name);
  }

  private static Map<String, Class<?>> commands() {
    var commands = new LinkedHashMap<String, Class<?>>();
    commands.put("run", RunCommand.class);
    commands.put("replay", ReplayCommand.class);
    commands.put("compile", CompileCommand.class);
    commands.put("ir-diff", IrDiffCommand.class);
    commands.put("estimate", EstimateCommand.class);
    commands.put("bench", BenchCommand.class);
    commands.put("device-check", DeviceCheckCommand.class);
    commands.put("calibrate", CalibrateCommand.class);
    commands.put("platforms", PlatformsCommand.class);
    commands.put("bundle", BundleCommand.class);
    commands.put("serve", ServeCommand.class);
    commands.put("worker", WorkerCommand.class);
    commands.put("token", TokenCommand.class);
    commands.put("submit", SubmitCommand.class);
    commands.put("watch", WatchCommand.class);
    commands.put("get", GetCommand.class);
    commands.put("logs", LogsCommand.class);
    commands.put("cancel", CancelCommand.class);
    commands.put("list", ListCommand.class);
    commands.put("rerun", RerunCommand.class);
    commands.put("baseline", BaselineCommand.class);
    return Collections.unmodifiableMap(commands);
  }

  /** Called only when no command was named, which is a usage error. */
  @Override
  public void run() {
    var usage = Objects.requireNonNull(spec, "set by picocli").commandLine();
    throw new ParameterException(usage, "Name a command.");
  }

  /** Product and Java version; the product's comes from the jar's manifest. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      var version = Main.class.getPackage().getImplementationVersion();
      return new String[] {
        "Ringmaster " + (version == null ? "(development)" : version),
        "Java " + Runtime.version().feature()
      };
    }
  }
}
