package io.ringmaster.service.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** The command line, called as the shell calls it. */
final class CommandCall {

  private CommandCall() {}

  /** What a user and the shell see. */
  record Outcome(int exitCode, String out, String err) {}

  static Outcome of(String... arguments) {
    var out = new StringWriter();
    var err = new StringWriter();
    var line = Main.commandLine(arguments);
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    int exitCode = line.execute(arguments);
    return new Outcome(exitCode, out.toString(), err.toString());
  }
}
