package io.ringmaster.worker.ir;

import io.ringmaster.worker.source.Span;
import java.util.List;

/**
 * A function of a program.
 *
 * @param returns declared or inferred result types; empty for none
 */
public record Function(
    String name, Level level, List<Param> params, List<Type> returns, List<Stmt> body, Span span) {

  public Function {
    params = List.copyOf(params);
    returns = List.copyOf(returns);
    body = List.copyOf(body);
  }

  /** Where a function runs. */
  public enum Level {
    HOST,
    ORCHESTRATION,
    INCORE
  }

  /** A parameter; {@code direction} as declared, widened by what the body does to it. */
  public record Param(String name, Type type, Direction direction, Span span) {}

  /** Which way data flows through a parameter. */
  public enum Direction {
    IN,
    OUT,
    INOUT;

    public boolean isWritten() {
      return this != IN;
    }
  }
}
