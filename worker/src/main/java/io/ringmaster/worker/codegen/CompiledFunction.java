package io.ringmaster.worker.codegen;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.source.Span;
import java.util.List;
import java.util.Map;

/** A function as a flat list of instructions over numbered registers. */
public final class CompiledFunction {

  private final Function source;
  private final ParameterBinding binding;
  private Instruction[] code = {};
  private Span[] spans = {};
  private int longCount;
  private int refCount;

  CompiledFunction(Function source, ParameterBinding binding) {
    this.source = source;
    this.binding = binding;
  }

  /** Fills in the body; separate because functions refer to each other. */
  void complete(List<Instruction> body, List<Span> places, int longs, int refs) {
    code = body.toArray(Instruction[]::new);
    spans = places.toArray(Span[]::new);
    longCount = longs;
    refCount = refs;
  }

  public String name() {
    return source.name();
  }

  /** What it was compiled from. */
  public Function source() {
    return source;
  }

  /** Register of each dynamic dimension. */
  Map<String, Integer> dims() {
    return binding.dims();
  }

  ParameterBinding binding() {
    return binding;
  }

  Instruction[] code() {
    return code;
  }

  /** The place in the source of an instruction. */
  Span span(int pc) {
    return pc >= 0 && pc < spans.length ? spans[pc] : source.span();
  }

  int longCount() {
    return longCount;
  }

  int refCount() {
    return refCount;
  }
}
