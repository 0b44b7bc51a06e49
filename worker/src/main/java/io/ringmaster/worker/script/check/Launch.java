package io.ringmaster.worker.script.check;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A launch of a program by the script. */
public final class Launch {

  private final ProgramText program;
  private final int line;
  private final Reads inputs;
  private final String test;
  private final int ranks;
  private final List<Output> outputs = new ArrayList<>();
  private Optional<AlikeInputs> alike = Optional.empty();
  private List<Content> values = List.of();

  /**
   * An argument.
   *
   * @param line of the script that made it
   * @param ofKernel true when a kernel wrote some of it
   */
  public record Given(Function.Param parameter, HostTensor tensor, int line, boolean ofKernel) {}

  /**
   * A launch without outputs yet.
   *
   * @param inputs what of earlier launches it reads
   * @param test node id of the case that launches it; empty outside of one
   */
  Launch(ProgramText program, int ranks, int line, Reads inputs, String test) {
    this.test = test;
    this.ranks = ranks;
    this.program = program;
    this.line = line;
    this.inputs = inputs;
  }

  /** Adds what it writes into a parameter. */
  public Output writes(String parameter, HostTensor tensor) {
    Output output = new Output(this, parameter, tensor);
    outputs.add(output);
    return output;
  }

  /** Notes what it is given, as far as that decides what its outputs can show. */
  public void given(List<Given> arguments) {
    alike = AlikeInputs.of(program.exchange(), ranks, arguments);
    values =
        arguments.stream()
            .filter(one -> one.parameter().direction() != Function.Direction.OUT)
            .map(one -> Content.of(one.tensor()))
            .toList();
  }

  /** True when it is the other one, or gave the same program the same values. */
  @SuppressWarnings("ReferenceEquality") // Launches are told apart by what they are.
  boolean isSeenIn(Launch other) {
    return this == other || isRepeatOf(other);
  }

  private boolean isRepeatOf(Launch other) {
    return values.equals(other.values) && program.equals(other.program);
  }

  /** Inputs in which all ranks get the same. */
  Optional<AlikeInputs> alike() {
    return alike;
  }

  /** True when no check that counts has looked at any of its outputs. */
  boolean isUnseen() {
    return outputs.stream().allMatch(output -> output.verified().length == 0);
  }

  ProgramText program() {
    return program;
  }

  /** Node id of the case that launched it; empty outside of one. */
  public String test() {
    return test;
  }

  public String name() {
    return program.name();
  }

  public int ranks() {
    return ranks;
  }

  int line() {
    return line;
  }

  Reads inputs() {
    return inputs;
  }

  public List<Output> outputs() {
    return outputs;
  }
}
