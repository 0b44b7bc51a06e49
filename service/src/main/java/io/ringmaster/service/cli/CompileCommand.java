package io.ringmaster.service.cli;

import io.ringmaster.worker.isolated.ChildRunner;
import io.ringmaster.worker.job.CompiledScript;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ringmaster compile}: the IR of a script's program, no device taken. */
@Command(
    description = "Compiles a script's program and prints its IR.",
    mixinStandardHelpOptions = true)
final class CompileCommand implements Callable<Integer> {

  private static final String ALL = "all";

  @Spec private @Nullable CommandSpec spec;
  @Mixin private ScriptOptions script = new ScriptOptions();

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description = "shorthand for the script argument --mode")
  private @Nullable String mode;

  @Option(
      names = "--stage",
      paramLabel = "STAGE",
      defaultValue = "lowered",
      description =
          "frontend (as written), lowered (default), the name of a pass, or all for every stage")
  private String stage = "lowered";

  @Override
  public Integer call() {
    var line = Objects.requireNonNull(spec, "set by picocli").commandLine();
    PrintWriter out = line.getOut();
    CompiledScript compiled =
        ChildRunner.jobs(Optional.empty(), 1)
            .compile(mode == null ? script.toSpec() : script.toSpec("--mode", mode));
    if (compiled.isRejected()) {
      line.getErr().print(ReportPrinter.print(script.file().toString(), compiled.report()));
      line.getErr().flush();
      return ExitCodes.of(compiled.report());
    }
    if (stage.equals(ALL)) {
      compiled
          .stages()
          .forEach(each -> out.println("# stage: " + each.name() + "\n" + each.text()));
    } else {
      try {
        out.println(compiled.text(stage));
      } catch (IllegalArgumentException e) {
        throw new ParameterException(line, "--stage: " + e.getMessage(), e);
      }
    }
    out.flush();
    return ExitCodes.PASSED;
  }
}
