package io.ringmaster.worker.script.check;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.IrPrinter;
import io.ringmaster.worker.ir.Program;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A program as what it does: two that only differ in their names and places in the source are the
 * same.
 */
public final class ProgramText {

  private static final Pattern NUMBER = Pattern.compile("[0-9][0-9.e]*");

  private final Program program;
  private @Nullable String text;
  private @Nullable String shape;

  public ProgramText(Program program) {
    this.program = program;
  }

  public String name() {
    return program.name();
  }

  /** The parameters of one of its functions; empty when it has no such function. */
  public List<Function.Param> parameters(String function) {
    return program.function(function).map(Function::params).orElse(List.of());
  }

  private String text() {
    if (text == null) {
      text =
          IrPrinter.print(program)
              .replaceAll("\\b" + Pattern.quote(program.name()) + "\\b", "Program");
    }
    return text;
  }

  /**
   * True for the same, or the same with other numbers: another tile or factor makes no other kernel
   * that could vouch for this one.
   */
  boolean isLike(ProgramText other) {
    return equals(other) || shape().equals(other.shape());
  }

  /** The text without its numbers. */
  private String shape() {
    if (shape == null) {
      shape = NUMBER.matcher(text()).replaceAll("0");
    }
    return shape;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // The same object needs no text.
  public boolean equals(Object other) {
    return other instanceof ProgramText that
        && (program == that.program || text().equals(that.text()));
  }

  @Override
  public int hashCode() {
    return text().hashCode();
  }
}
