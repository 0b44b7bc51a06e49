package io.ringmaster.service.cli;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The entry point of every process: picks the command and turns its outcome into an exit code. */
@Command(
    name = "ringmaster",
    description = "Runs collective workloads and says whether they are right.",
    mixinStandardHelpOptions = true,
    subcommands = {
      RunCommand.class,
      ReplayCommand.class,
      CompileCommand.class,
      IrDiffCommand.class,
      EstimateCommand.class,
      BenchCommand.class,
      CalibrateCommand.class,
      ServeCommand.class,
      WorkerCommand.class,
      TokenCommand.class,
      SubmitCommand.class,
      WatchCommand.class,
      GetCommand.class,
      LogsCommand.class,
      CancelCommand.class,
      ListCommand.class,
    },
    versionProvider = Main.Version.class)
public final class Main implements Runnable {

  @Spec private @Nullable CommandSpec spec;

  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** The whole command line; a failure of ours is infrastructure, not a usage error. */
  public static CommandLine commandLine() {
    return new CommandLine(new Main())
        .setExecutionExceptionHandler(
            (failure, line, parsed) -> {
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
