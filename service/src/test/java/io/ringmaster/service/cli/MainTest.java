package io.ringmaster.service.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class MainTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int execute(String... args) {
    return new CommandLine(new Main())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(args);
  }

  @Test
  void versionNamesTheProductAndTheJavaItRunsOn() {
    assertThat(execute("--version")).isZero();
    assertThat(out.toString()).startsWith("Ringmaster ").contains("Java 25");
  }

  @Test
  void aCallWithoutACommandIsAUsageError() {
    assertThat(execute()).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("Name a command.").contains("Usage: ringmaster");
  }
}
