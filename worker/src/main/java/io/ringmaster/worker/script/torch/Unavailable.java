package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.Value;
import java.util.Map;
import java.util.Optional;

/** What people look for in torch and won't find here, with what to do instead. */
final class Unavailable {

  private static final String NO_GRADIENTS = "there are no gradients; leave it out";
  private static final String NO_FILES =
      "scripts have no files; make the tensors in the script, or upload .npy files";
  private static final String RANKS = "ranks are those of the program's dispatches";
  private static final String COMPILED = "goldens run as they are; leave it out";
  private static final String NO_COMPLEX = "tensors hold real numbers; use one for each part";
  private static final String NO_LAYER =
      "write it in the forward() of a class that derives from torch.nn.Module";

  /** Parts and functions of torch. */
  static final Map<String, String> OF_TORCH =
      Map.ofEntries(
          Map.entry(
              "from_numpy",
              "there is no numpy; make tensors with torch.tensor, torch.arange or torch.randn"),
          Map.entry("load", NO_FILES),
          Map.entry("save", NO_FILES),
          Map.entry("compile", COMPILED),
          Map.entry("jit", COMPILED),
          Map.entry("autograd", NO_GRADIENTS),
          Map.entry("optim", NO_GRADIENTS),
          Map.entry("distributed", RANKS),
          Map.entry("multiprocessing", RANKS),
          Map.entry("utils", "use the functions of torch itself"),
          Map.entry("profiler", "the report has the times; leave it out"),
          Map.entry("complex64", NO_COMPLEX),
          Map.entry("complex128", NO_COMPLEX),
          Map.entry("complex", NO_COMPLEX));

  /** Layers and parts of {@code torch.nn} that people look for. */
  static final Map<String, String> OF_NN =
      Map.of(
          "Conv1d", NO_LAYER,
          "Conv2d", NO_LAYER,
          "BatchNorm1d", NO_LAYER,
          "BatchNorm2d", NO_LAYER,
          "GroupNorm", NO_LAYER,
          "MultiheadAttention",
              "write it with torch.nn.functional.scaled_dot_product_attention and Linear",
          "Transformer",
              "write it with torch.nn.functional.scaled_dot_product_attention and Linear",
          "DataParallel", RANKS,
          "parallel", RANKS,
          "utils", NO_LAYER);

  private static final String ON_CPU =
      "tensors of a script live on the CPU; pass them to the compiled program, it moves them";

  private static final Map<String, String> OF_TENSORS =
      Map.of(
          "numpy",
              "there is no numpy; compare tensors with torch.allclose or"
                  + " torch.testing.assert_close, or use .tolist()",
          "cuda", ON_CPU,
          "npu", ON_CPU,
          "data_ptr", "tensors have no address that a script could use; compare values",
          "backward", NO_GRADIENTS,
          "resize_", "make a new tensor of that shape",
          "set_", "use copy_ or make a new tensor",
          "apply_", "use element-wise functions, or torch.where",
          "map_", "use element-wise functions, or torch.where");

  private Unavailable() {}

  /** A tensor method that refuses when it is called. */
  static Optional<Value> method(String name) {
    String hint = OF_TENSORS.get(name);
    return hint == null
        ? Optional.empty()
        : Optional.of(
            NativeFunction.of(
                name,
                "*rest, **named",
                (a, c) -> {
                  throw Errors.refuse(
                      "Tensor." + name + "() is not available in scripts", hint, c.span());
                }));
  }
}
