package io.ringmaster.worker.frontend.ops;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Operations of the language that aren't supported, with the nearest way out. They are told apart
 * from names that no version of the language has.
 */
final class NotSupported {

  private static final Map<String, String> WAYS_OUT = new LinkedHashMap<>();

  static {
    put("pl.maximum(x, 0.0)", "relu");
    put("choose with pl.sel(pl.cmp(x, 0.0, cmp_type=4), x, ...)", "lrelu", "prelu");
    put(
        "subtract y times the whole quotient, by pl.div and pl.cast",
        "rem",
        "rems",
        "fmod",
        "fmods");
    put(
        "bits of tiles can't be combined: do it with scalars in the driver",
        List.of("and_", "ands", "or_", "ors", "xor", "xors", "not_", "shl", "shls", "shr", "shrs"));
    put("two operations: pl.add(pl.add(a, b), c)", "addc", "subc", "addsc", "subsc");
    put("pl.exp(pl.row_expand_sub(x, rows))", "row_expand_expdif");
    put("pl.exp(pl.col_expand_sub(x, columns))", "col_expand_expdif");
    put("pl.full, or pl.add of zeros and the scalar", "expands", "expand_clone");
    put("pl.assemble both into one tensor", "concat", "fillpad_expand");
    put("pl.matmul", "batch_matmul", "gemv", "gemv_acc", "matmul_mx", "matmul_mx_acc");
    put("pl.add the bias to pl.matmul's result", "matmul_bias", "gemv_bias", "matmul_mx_bias");
    put("pl.row_max, then pl.cmp", "row_argmax", "row_argmin");
    put("pl.col_max, then pl.cmp", "col_argmax", "col_argmin");
    put("pl.add, pl.mul, pl.maximum or pl.minimum", "part_add", "part_mul", "part_max", "part_min");
    put("pl.row_sum, pl.row_max, pl.row_min or pl.col_sum", "sum", "max", "min");
    put("pl.gather(x, -1, index)", "gatherb", "gather_compare", "mgather", "paged_gather");
    put("pl.slice and pl.assemble row by row", "gather_row", "create_l1", "scatter_update");
    put("pl.scatter(x, -1, index, values)", "mscatter", "scatter_mask");
    put("pl.reshape", "view", "as_layout", "transpose_view", "reinterpret_view", "flatten");
    put("make the numbers in the driver and pass them", "random", "tri", "histogram");
    put(
        "cores of a group aren't told apart: write one kernel",
        List.of(
            "aic_gather",
            "aiv_gather",
            "tpush_to_aiv",
            "tpush_to_aic",
            "tpop_from_aic",
            "tpop_from_aiv",
            "tfree_to_aic",
            "tfree_to_aiv",
            "aic_initialize_pipe",
            "aiv_initialize_pipe",
            "reserve_buffer",
            "import_peer_buffer",
            "sync_src",
            "sync_dst",
            "bar_v",
            "bar_m",
            "bar_all"));
    put("with pl.at(level=pl.Level.CORE_GROUP):", "incore", "auto_incore");
    put("leave it away: nothing is dumped", "dump_tag", "prefetch");
  }

  /** Names of other libraries, which no version of the language has. */
  private static final Map<String, String> INSTEAD = new LinkedHashMap<>();

  static {
    instead(
        "pl.row_max, pl.row_expand_sub, pl.exp, pl.row_sum and pl.row_expand_div make it",
        "softmax");
    instead("pl.row_max, then pl.cmp", "argmax");
    instead("pl.row_min, then pl.cmp", "argmin");
    instead(
        "bits of tiles can't be combined: do it with scalars in the driver",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "bitwise_not",
        "left_shift",
        "right_shift");
    instead("pl.row_sum, then pl.mul by 1 / n", "mean");
    instead("pl.matmul", "dot", "mm", "bmm", "einsum");
    instead("pl.mul(x, x), as often as needed", "pow", "power", "square");
    instead("pl.minimum and pl.maximum", "clamp", "clip");
    instead("pl.maximum(x, 0.0)", "relu6", "threshold");
    instead("pl.recip(pl.add(pl.exp(pl.neg(x)), 1.0))", "sigmoid");
    instead("pl.sel(pl.cmp(a, b, cmp_type=...), x, y)", "where");
    instead("pl.full(shape, pl.FP32, 0.0)", "zeros", "empty");
    instead("pl.full(shape, pl.FP32, 1.0)", "ones");
    instead("pl.assemble the parts into one tensor", "cat", "stack");
    instead("pl.slice for each part", "split", "chunk");
    instead("print in the driver", "print");
  }

  private NotSupported() {}

  private static void instead(String way, String... names) {
    for (String name : names) {
      INSTEAD.put(name, way);
    }
  }

  /** What to write for a name that people know from elsewhere; empty for any other. */
  static Optional<String> instead(String printed) {
    return printed.startsWith("pl.")
        ? Optional.ofNullable(INSTEAD.get(printed.substring(printed.lastIndexOf('.') + 1)))
        : Optional.empty();
  }

  private static void put(String wayOut, String... names) {
    put(wayOut, List.of(names));
  }

  private static void put(String wayOut, List<String> names) {
    names.forEach(name -> WAYS_OUT.put(name, wayOut));
  }

  /** What to do instead of {@code pl.name}; empty for a name that isn't of the language. */
  static Optional<String> wayOut(String printed) {
    boolean known = printed.matches("pl\\.((tile|tensor|system)\\.)?\\w+");
    return known
        ? Optional.ofNullable(WAYS_OUT.get(printed.substring(printed.lastIndexOf('.') + 1)))
        : Optional.empty();
  }
}
