package io.ringmaster.worker.engine;

import io.ringmaster.worker.codegen.CompiledFunction;
import io.ringmaster.worker.fabric.DispatchInfo;
import io.ringmaster.worker.fabric.TensorView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A planned dispatch: what runs, on what, and after what. */
final class Task {

  final DispatchInfo info;
  final CompiledFunction function;
  final @Nullable Object[] arguments;
  final Map<String, Long> dims;

  /** Host tensors that receive the function's results. */
  final List<TensorView> results;

  /** Tasks of other ranks that wait for this one. */
  final List<Task> dependents = new ArrayList<>();

  /** Tasks of other ranks this one still waits for. */
  final List<Task> open = new ArrayList<>();

  /** When the last of them finished. */
  long readyAt;

  Task(
      DispatchInfo info,
      CompiledFunction function,
      @Nullable Object[] arguments,
      Map<String, Long> dims,
      List<TensorView> results) {
    this.info = info;
    this.function = function;
    this.arguments = arguments;
    this.dims = dims;
    this.results = results;
  }
}
