package io.ringmaster.worker.frontend.ops;

import static java.util.stream.Collectors.toCollection;

import io.ringmaster.worker.frontend.values.Nearest;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.source.Span;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Every operation by the names a kernel may call it, with its parameters and its rules. */
public final class OpTable {

  private static final String BINARY = "lhs, rhs";
  private static final String UNARY = "x";

  /** Larger families aren't listed in a hint. */
  private static final int MOST_LISTED = 16;

  private record Entry(
      String name, String family, Signature signature, Place place, Operation rule) {}

  /** The table; it is the same for every program. */
  public static final OpTable STANDARD = new OpTable();

  private final Map<String, Entry> entries = new LinkedHashMap<>();

  private OpTable() {
    moving();
    creating();
    elementwise();
    reducing();
    expanding();
    arranging();
    windows();
    communication();
    collectives();
  }

  /** Every operation by the name that messages give it. */
  public Set<String> names() {
    return entries.values().stream().map(Entry::name).collect(toCollection(TreeSet::new));
  }

  /** True when {@code printed} ({@code pl.load}, {@code pld.system.notify}) is an operation. */
  public boolean knows(String printed) {
    return entries.containsKey(printed);
  }

  /** Types a call of a known operation. */
  public Expr build(
      String printed,
      List<Arg> positional,
      List<Signature.Named> named,
      Span span,
      OpContext context) {
    Entry entry = Optional.ofNullable(entries.get(printed)).orElseThrow();
    entry
        .place()
        .require(entry.name(), entry.family(), context.level(), context.functionName(), span);
    Map<String, Arg> bound = entry.signature().bind(entry.name(), positional, named, span);
    return entry.rule().build(new OpCall(entry.name(), span, bound, context));
  }

  /** What to say about a name of the language that isn't an operation. */
  public Refusal unknown(String printed, Span span) {
    Optional<String> wayOut = NotSupported.wayOut(printed);
    if (wayOut.isPresent()) {
      return Refusal.of("'" + printed + "' is not supported", wayOut.get(), span);
    }
    String hint =
        scalarSuffix(printed)
            .or(() -> NotSupported.instead(printed))
            .or(() -> elsewhere(printed).map(name -> "did you mean '" + name + "'?"))
            .orElseGet(() -> Nearest.hint(printed, entries.keySet(), family(printed)));
    if (!printed.startsWith("pld.")) {
      return Refusal.of("Unknown operation '" + printed + "'", hint, span);
    }
    String[] parts = printed.split("\\.", -1);
    if (parts.length == 3 && !List.of("system", "tile", "tensor").contains(parts[1])) {
      return Refusal.of(
          "Unknown distributed category 'pld." + parts[1] + "'",
          "categories are pld.system, pld.tile and pld.tensor",
          span);
    }
    return Refusal.of("Unknown distributed operation '" + printed + "'", hint, span);
  }

  /** The operation of that name in another family; first one whose module is the same. */
  private Optional<String> elsewhere(String printed) {
    String module = printed.substring(0, printed.indexOf('.') + 1);
    String last = printed.substring(printed.lastIndexOf('.'));
    List<String> found = entries.keySet().stream().filter(name -> name.endsWith(last)).toList();
    return found.stream()
        .filter(name -> name.startsWith(module))
        .findFirst()
        .or(() -> found.stream().findFirst());
  }

  /** What there is instead of a name that is near to none. */
  private String family(String printed) {
    String family = printed.substring(0, printed.lastIndexOf('.') + 1);
    List<String> members =
        entries.keySet().stream()
            .filter(name -> name.startsWith(family) && name.indexOf('.', family.length()) < 0)
            .map(name -> name.substring(family.length()))
            .sorted()
            .toList();
    return !members.isEmpty() && members.size() <= MOST_LISTED
        ? family.substring(0, family.length() - 1) + " has " + String.join(", ", members)
        : "the language has no operation of this name";
  }

  private Optional<String> scalarSuffix(String printed) {
    if (!printed.endsWith("s")
        || !entries.containsKey(printed.substring(0, printed.length() - 1))) {
      return Optional.empty();
    }
    return Optional.of("use " + printed.substring(0, printed.length() - 1) + "(tile, scalar)");
  }

  private void add(Place place, String family, String signature, Operation rule, String... names) {
    for (String name : names) {
      entries.put(name, new Entry(names[0], family, Signature.of(signature), place, rule));
    }
  }

  private void moving() {
    add(
        Place.KERNEL,
        "tile.load",
        "tensor, offsets, shapes, valid_shape/valid_shapes?, target_memory?, clamp?",
        Moving::load,
        "pl.load",
        "pl.tile.load");
    add(
        Place.KERNEL,
        "tile.store",
        "tile, offsets, output_tensor, shapes?, *, atomic?",
        Moving::store,
        "pl.store",
        "pl.tile.store");
    add(
        Place.DEVICE,
        "tensor.read",
        "source, offset",
        Moving::read,
        "pl.read",
        "pl.tensor.read",
        "pl.tile.read");
    add(
        Place.DEVICE,
        "tensor.write",
        "destination, offset, value",
        Moving::write,
        "pl.write",
        "pl.tensor.write",
        "pl.tile.write");
    add(Place.KERNEL, "tile.move", "tile, target_memory", Moving::move, "pl.move", "pl.tile.move");
    add(
        Place.ANYWHERE,
        "tensor.slice",
        "source, shape, offset, valid_shape?, drop_dims?, pad_value?",
        Views::slice,
        "pl.slice",
        "pl.tensor.slice",
        "pl.tile.slice");
    add(
        Place.ANYWHERE,
        "tensor.assemble",
        "target, source, offset, *, atomic?",
        Views::assemble,
        "pl.assemble",
        "pl.tensor.assemble",
        "pl.tile.assemble");
    add(
        Place.DEVICE,
        "tensor.reshape",
        "source, shape",
        Views::reshape,
        "pl.reshape",
        "pl.tensor.reshape",
        "pl.tile.reshape");
    add(
        Place.DEVICE,
        "tensor.set_validshape",
        "tile, rows/valid_rows, cols/valid_cols",
        Views::setValidShape,
        "pl.set_validshape",
        "pl.tensor.set_validshape",
        "pl.tile.set_validshape");
    add(
        Place.KERNEL,
        "tensor.fillpad",
        "tile, pad/pad_value?",
        Views::fillPad,
        "pl.fillpad",
        "pl.tensor.fillpad",
        "pl.tile.fillpad");
    add(Place.DEVICE, "tensor.dim", "tensor, axis", Views::dim, "pl.tensor.dim");
  }

  private void creating() {
    add(
        Place.KERNEL,
        "tile.create",
        "shape, dtype, target_memory?",
        Creating::tile,
        "pl.tile.create",
        "pl.create_tile");
    add(Place.KERNEL, "tile.full", "shape, dtype, value", Creating::fullTile, "pl.tile.full");
    add(
        Place.ANYWHERE,
        "tensor.create",
        "shape, dtype, layout?, *, manual_dep?, init_value?",
        Creating::tensor,
        "pl.create_tensor",
        "pl.tensor.create");
    add(
        Place.KERNEL,
        "tensor.full",
        "shape, dtype, value",
        Creating::fullTensor,
        "pl.full",
        "pl.tensor.full");
    add(Place.DEVICE, "array.create", "extent, dtype", Creating::array, "pl.array.create");
  }

  private void elementwise() {
    arithmetic("add", OpCode.ADD, BinaryOperator.ADD, BINARY);
    arithmetic("sub", OpCode.SUB, BinaryOperator.SUBTRACT, BINARY);
    arithmetic("mul", OpCode.MUL, BinaryOperator.MULTIPLY, BINARY);
    arithmetic("div", OpCode.DIV, BinaryOperator.DIVIDE, BINARY + ", high_precision?");
    for (OpCode code : List.of(OpCode.MAXIMUM, OpCode.MINIMUM)) {
      String name = code.printedName().substring("pl.".length());
      add(
          Place.KERNEL,
          "tensor." + name,
          BINARY,
          Elementwise.extreme(code),
          "pl." + name,
          "pl.tensor." + name,
          "pl.tile." + name);
      add(
          Place.KERNEL,
          "tile." + name + "s",
          BINARY,
          Elementwise.withScalar(code),
          "pl." + name + "s",
          "pl.tile." + name + "s");
    }
    for (OpCode code :
        List.of(
            OpCode.EXP,
            OpCode.LOG,
            OpCode.SQRT,
            OpCode.RSQRT,
            OpCode.NEG,
            OpCode.ABS,
            OpCode.RECIP,
            OpCode.SIN,
            OpCode.COS)) {
      String name = code.printedName().substring("pl.".length());
      add(
          Place.KERNEL,
          "tensor." + name,
          UNARY,
          Elementwise.unary(code),
          "pl." + name,
          "pl.tensor." + name,
          "pl.tile." + name);
    }
    add(
        Place.ANYWHERE,
        "tensor.cast",
        "x, target_type, mode?",
        Elementwise::cast,
        "pl.cast",
        "pl.tensor.cast",
        "pl.tile.cast");
  }

  private void arithmetic(String name, OpCode code, BinaryOperator scalar, String signature) {
    add(
        Place.KERNEL,
        "tensor." + name,
        signature,
        Elementwise.arithmetic(code, scalar),
        "pl." + name,
        "pl.tensor." + name,
        "pl.tile." + name);
    add(
        Place.KERNEL,
        "tile." + name + "s",
        BINARY,
        Elementwise.withScalar(code),
        "pl.tile." + name + "s");
  }

  private void reducing() {
    for (OpCode code : List.of(OpCode.ROW_SUM, OpCode.ROW_MAX, OpCode.ROW_MIN, OpCode.ROW_PROD)) {
      reduction(code, Reducing.rows(code));
    }
    for (OpCode code : List.of(OpCode.COL_SUM, OpCode.COL_MAX, OpCode.COL_MIN, OpCode.COL_PROD)) {
      reduction(code, Reducing.columns(code));
    }
    add(
        Place.KERNEL,
        "tensor.matmul",
        "lhs, rhs, out_dtype?, a_trans?, b_trans?",
        Reducing::matmul,
        "pl.matmul",
        "pl.tensor.matmul",
        "pl.tile.matmul");
    add(
        Place.KERNEL,
        "tile.matmul_acc",
        "acc, lhs, rhs, init_cond?, a_trans?, b_trans?",
        Reducing::matmulAcc,
        "pl.matmul_acc",
        "pl.tensor.matmul_acc",
        "pl.tile.matmul_acc");
  }

  private void reduction(OpCode code, Operation rule) {
    String name = code.printedName().substring("pl.".length());
    add(
        Place.KERNEL,
        "tensor." + name,
        "tile, tmp_tile?",
        rule,
        "pl." + name,
        "pl.tensor." + name,
        "pl.tile." + name);
  }

  private void expanding() {
    for (OpCode code :
        List.of(OpCode.ADD, OpCode.SUB, OpCode.MUL, OpCode.DIV, OpCode.MAXIMUM, OpCode.MINIMUM)) {
      String suffix =
          switch (code) {
            case MAXIMUM -> "max";
            case MINIMUM -> "min";
            default -> code.printedName().substring("pl.".length());
          };
      kernel("row_expand_" + suffix, "target, row_vec", Expanding.rows(code));
      kernel("col_expand_" + suffix, "target, col_vec", Expanding.columns(code));
    }
    kernel("row_expand", "target, row_vec", Expanding.copied(true));
    kernel("col_expand", "target, col_vec", Expanding.copied(false));
  }

  private void arranging() {
    kernel("cmp", "lhs, rhs, cmp_type?", Arranging::compare);
    kernel("cmps", "lhs, rhs, cmp_type?", Arranging::compareWithScalar);
    kernel("sel", "mask, lhs, rhs, tmp?", Arranging::select);
    kernel("sels", "mask, src, tmp, scalar", Arranging::selectScalar);
    String counting = "start, shape, dtype?, descending?, tmp?";
    add(
        Place.KERNEL,
        "tensor.arange",
        counting,
        Arranging.arange(false),
        "pl.arange",
        "pl.tensor.arange",
        "pl.tensor.ci");
    add(
        Place.KERNEL,
        "tile.arange",
        counting,
        Arranging.arange(true),
        "pl.tile.arange",
        "pl.tile.ci");
    kernel("sort32", "src, idx, *, tmp?", Arranging::sort32);
    kernel(
        "mrgsort",
        "src0, src1?, src2?, src3?, tmp?, exhausted?, *, block_len?",
        Arranging::mergeSort);
    add(
        Place.KERNEL,
        "tensor.gather",
        "input, dim?, index?, *, mask_pattern?, output_dtype?, kvalue?, cmp_mode?, out_cols?,"
            + " offset?, count_dtype?",
        Arranging::gather,
        "pl.gather",
        "pl.tensor.gather");
    add(Place.KERNEL, "tile.gather", "src, indices, tmp", Arranging::gatherTile, "pl.tile.gather");
    add(
        Place.KERNEL,
        "tile.gather_mask",
        "src, mask_pattern, *, output_dtype?",
        Arranging::gatherMask,
        "pl.tile.gather_mask");
    add(
        Place.KERNEL,
        "tensor.scatter",
        "input, dim?, index?, src?, *, mask_pattern?, dst?",
        Arranging::scatter,
        "pl.scatter",
        "pl.tensor.scatter");
    add(
        Place.KERNEL,
        "tile.scatter",
        "dst, src, indexes",
        Arranging::scatterTile,
        "pl.tile.scatter");
    kernel("transpose", "x, axis1, axis2", Arranging::transpose);
  }

  /** An operation on tiles and tensors that only kernels may use. */
  private void kernel(String name, String signature, Operation rule) {
    add(
        Place.KERNEL,
        "tensor." + name,
        signature,
        rule,
        "pl." + name,
        "pl.tensor." + name,
        "pl.tile." + name);
  }

  private void windows() {
    add(
        Place.HOST,
        "tensor.alloc_window_buffer",
        "size, *, dtype?, name?",
        Windows::allocate,
        "pld.alloc_window_buffer",
        "pld.tensor.alloc_window_buffer");
    add(
        Place.HOST,
        "tensor.window",
        "buf, shape, *, dtype?",
        Windows::view,
        "pld.window",
        "pld.tensor.window");
    add(
        Place.HOST,
        "system.world_size",
        "",
        Windows::worldSize,
        "pld.system.world_size",
        "pld.world_size");
    add(
        Place.CONTEXT,
        "system.get_comm_ctx",
        "target",
        Windows::context,
        "pld.system.get_comm_ctx",
        "pld.get_comm_ctx");
    add(
        Place.COMMUNICATION,
        "system.rank",
        "ctx",
        Windows.ofContext(OpCode.RANK),
        "pld.system.rank",
        "pld.rank");
    add(
        Place.COMMUNICATION,
        "system.nranks",
        "ctx",
        Windows.ofContext(OpCode.NRANKS),
        "pld.system.nranks",
        "pld.nranks");
  }

  private void communication() {
    add(
        Place.COMMUNICATION,
        "system.notify",
        "target, peer, offsets, value, *, op",
        Signals::notifyCell,
        "pld.system.notify");
    add(
        Place.COMMUNICATION,
        "system.wait",
        "signal, offsets, expected, *, cmp",
        Signals::waitCell,
        "pld.system.wait");
    add(
        Place.COMMUNICATION,
        "system.defer_wait",
        "signal, offsets, expected, *, cmp",
        Signals::deferWait,
        "pld.system.defer_wait");
    add(
        Place.COMMUNICATION,
        "tile.remote_load",
        "target, peer, offsets, shape, valid_shape?",
        OneSided::remoteLoad,
        "pld.tile.remote_load",
        "pld.remote_load");
    add(
        Place.COMMUNICATION,
        "tile.remote_store",
        "src_tile, target, peer, offsets, *, atomic?",
        OneSided::remoteStoreTile,
        "pld.tile.remote_store",
        "pld.remote_store");
    add(
        Place.COMMUNICATION,
        "tensor.remote_store",
        "src, target, peer, offsets, *, atomic?",
        OneSided::remoteStoreTensor,
        "pld.tensor.remote_store");
    String region = "dst, peer, src, dst_offsets?, src_offsets?, shape?, *, ";
    String staging = "chunk_rows?, chunk_cols?, pipeline?";
    add(
        Place.COMMUNICATION,
        "tensor.put",
        region + "atomic?, " + staging,
        OneSided::put,
        "pld.tensor.put");
    add(Place.COMMUNICATION, "tensor.get", region + staging, OneSided::get, "pld.tensor.get");
  }

  private void collectives() {
    collective("barrier", "signal", Collectives::barrier);
    collective("broadcast", "target, signal, *, root", Collectives::broadcast);
    collective("allreduce", "target, signal?, *, op?, mode?, core_num?", Collectives::allreduce);
    collective("allgather", "local_data, target, signal", Collectives::allgather);
    collective("reduce_scatter", "target, signal, *, op?", Collectives::reduceScatter);
    collective("all_to_all", "input, target, signal", Collectives::allToAll);
    collective(
        "all_to_all_v",
        "input, target, signal?, send_counts?, recv_counts?",
        Collectives::allToAllV);
  }

  private void collective(String name, String signature, Operation rule) {
    add(Place.COLLECTIVE, "tensor." + name, signature, rule, "pld.tensor." + name);
  }
}
