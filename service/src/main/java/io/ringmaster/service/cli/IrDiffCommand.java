package io.ringmaster.service.cli;

import io.ringmaster.worker.ir.IrDiff;
import io.ringmaster.worker.isolated.ChildRunner;
import io.ringmaster.worker.job.CompiledScript;
import java.io.Console;
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

/** {@code ringmaster ir-diff}: the lowered IR of two modes of one script, side by side. */
@Command(
    description = "Shows the lowered IR of two modes of a script side by side.",
    mixinStandardHelpOptions = true)
final class IrDiffCommand implements Callable<Integer> {

  private static final int TERMINAL_WIDTH = 160;

  @Spec private @Nullable CommandSpec spec;
  @Mixin private ScriptOptions script = new ScriptOptions();

  @Option(names = "--left", required = true, paramLabel = "MODE", description = "left mode")
  private String left = "";

  @Option(names = "--right", required = true, paramLabel = "MODE", description = "right mode")
  private String right = "";

  @Option(
      names = "--stage",
      paramLabel = "STAGE",
      defaultValue = "lowered",
      description = "stage to compare; default ${DEFAULT-VALUE}")
  private String stage = "lowered";

  @Option(
      names = "--width",
      paramLabel = "COLUMNS",
      description =
          "width of the two columns together; default 160 on a terminal, else as wide as the lines")
  private @Nullable Integer width;

  @Override
  public Integer call() {
    var line = Objects.requireNonNull(spec, "set by picocli").commandLine();
    PrintWriter out = line.getOut();
    var runner = ChildRunner.jobs(Optional.empty(), 1);
    CompiledScript leftSide = runner.compile(script.toSpec("--mode", left));
    CompiledScript rightSide = runner.compile(script.toSpec("--mode", right));
    for (CompiledScript side : new CompiledScript[] {leftSide, rightSide}) {
      if (side.isRejected()) {
        line.getErr().print(ReportPrinter.print(script.file().toString(), side.report()));
        line.getErr().flush();
        return ExitCodes.USAGE_OR_REJECTED;
      }
    }
    try {
      String before = leftSide.text(stage);
      String after = rightSide.text(stage);
      out.print(IrDiff.columns(before, after, width(before + after)));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(line, "--stage: " + e.getMessage(), e);
    }
    out.flush();
    return ExitCodes.PASSED;
  }

  private int width(String texts) {
    if (width != null) {
      return width;
    }
    return Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent()
        ? TERMINAL_WIDTH
        : 2 * texts.lines().mapToInt(String::length).max().orElse(0) + 3;
  }
}
