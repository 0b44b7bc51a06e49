package io.ringmaster.worker.ir;

/**
 * Every operation of the language, with its printed name and operands in order. {@code o}, {@code
 * s} stand for a {@link Expr.TupleExpr} of scalars (offsets, shape); an operand in brackets may be
 * missing. Attributes are named after {@code |}.
 */
public enum OpCode {
  // Moving data. Results: LOAD a tile, STORE/ASSEMBLE their destination (same storage).
  /** tensor, o, s, [valid s] | target_memory, clamp. */
  LOAD("pl.load"),
  /** tile, o, tensor | atomic. */
  STORE("pl.store"),
  /** tensor or tile, o. */
  READ("pl.read"),
  /** tensor or tile, o, scalar. */
  WRITE("pl.write"),
  /** (type only) | dtype, target_memory. */
  CREATE_TILE("pl.tile.create"),
  /** (type only) | dtype, value. */
  FULL_TILE("pl.tile.full"),
  /** s | dtype. */
  CREATE_TENSOR("pl.create_tensor"),
  /** s | dtype, value. */
  FULL_TENSOR("pl.full"),
  /** tile | target_memory. */
  MOVE("pl.move"),
  /** tensor or tile, s, o, [valid s] | dropped axes as drop_mask bits. */
  SLICE("pl.slice"),
  /** destination, source, o | atomic. */
  ASSEMBLE("pl.assemble"),
  /** tensor or tile, s. */
  RESHAPE("pl.reshape"),
  /** tile, rows, columns. */
  SET_VALID_SHAPE("pl.set_validshape"),
  /** tile | pad (zero, max, min). */
  FILL_PAD("pl.fillpad"),
  /** tensor | axis. */
  DIM("pl.tensor.dim"),
  /** (type only) | n, dtype. */
  ARRAY_CREATE("pl.array.create"),
  /** array, index. */
  ARRAY_GET("pl.array.get"),
  /** array, index, value. */
  ARRAY_SET("pl.array.set"),

  // Element-wise: tile or tensor, then tile, tensor or scalar.
  ADD("pl.add"),
  SUB("pl.sub"),
  MUL("pl.mul"),
  DIV("pl.div"),
  MAXIMUM("pl.maximum"),
  MINIMUM("pl.minimum"),
  EXP("pl.exp"),
  LOG("pl.log"),
  SQRT("pl.sqrt"),
  RSQRT("pl.rsqrt"),
  NEG("pl.neg"),
  ABS("pl.abs"),
  RECIP("pl.recip"),
  SIN("pl.sin"),
  COS("pl.cos"),
  /** tile or tensor | dtype, mode. */
  CAST("pl.cast"),
  /** tile, [scratch tile]. */
  ROW_SUM("pl.row_sum"),
  ROW_MAX("pl.row_max"),
  ROW_MIN("pl.row_min"),
  ROW_PROD("pl.row_prod"),
  COL_SUM("pl.col_sum"),
  COL_MAX("pl.col_max"),
  COL_MIN("pl.col_min"),
  COL_PROD("pl.col_prod"),
  /** left, right or scalar | cmp_type (eq, ne, lt, le, gt, ge). */
  CMP("pl.cmp"),
  /** mask, what is taken where it is set, what is taken elsewhere. */
  SEL("pl.sel"),
  /** first value, s | dtype, descending. */
  ARANGE("pl.tensor.arange"),
  /** first value, s | dtype, descending. */
  ARANGE_TILE("pl.tile.arange"),
  /** values, indices. */
  SORT32("pl.sort32"),
  /** one to four sorted rows | block_len (of one row's runs). */
  MRGSORT("pl.mrgsort"),
  /** values, indices | by_row: an index counts within its row. */
  GATHER("pl.gather"),
  /** values | mask_pattern, dtype. */
  GATHER_MASK("pl.gather_mask"),
  /** destination, values, indices | by_row. */
  SCATTER("pl.scatter"),
  /** tensor or tile; the last two dimensions change places. */
  TRANSPOSE("pl.transpose"),
  /** left, right | a_trans, b_trans, dtype. */
  MATMUL("pl.matmul"),
  /** accumulator, left, right. */
  MATMUL_ACC("pl.matmul_acc"),

  // Windows and context.
  /** byte count; the assigned variable names the buffer. */
  ALLOC_WINDOW("pld.alloc_window_buffer"),
  /** buffer, s | dtype. */
  WINDOW("pld.window"),
  WORLD_SIZE("pld.world_size"),
  /** window. */
  GET_COMM_CTX("pld.get_comm_ctx"),
  /** context. */
  RANK("pld.rank"),
  /** context. */
  NRANKS("pld.nranks"),

  // One-sided communication.
  /** signal window, peer, o, value | op. */
  NOTIFY("pld.system.notify"),
  /** signal window, o, expected | cmp. */
  WAIT("pld.system.wait"),
  /** signal window, o, expected | cmp. */
  DEFER_WAIT("pld.system.defer_wait"),
  /** window, peer, o, s, [valid s]. */
  REMOTE_LOAD("pld.tile.remote_load"),
  /** tile, window, peer, o | atomic. */
  REMOTE_STORE("pld.tile.remote_store"),
  /**
   * destination window, peer, source tensor, destination o, source o, s, [stage tile] | atomic,
   * chunk_rows, chunk_cols, pipeline. The front end always writes the region out.
   */
  PUT("pld.tensor.put"),
  /** destination tensor, peer, source window, destination o, source o, s, [stage tile] | as put. */
  GET("pld.tensor.get"),

  // Collectives; removed by lowering. Result: the target (barrier: the signal).
  /** signal. */
  BARRIER("pld.tensor.barrier"),
  /** target, signal | root. */
  BROADCAST("pld.tensor.broadcast"),
  /** target, [signal] | op, mode, core_num. */
  ALLREDUCE("pld.tensor.allreduce"),
  /** source, target, signal. */
  ALLGATHER("pld.tensor.allgather"),
  /** target, signal | op. */
  REDUCE_SCATTER("pld.tensor.reduce_scatter"),
  /** source, target, signal. */
  ALL_TO_ALL("pld.tensor.all_to_all"),
  /** source, target, signal, send counts, receive counts. */
  ALL_TO_ALL_V("pld.tensor.all_to_all_v");

  private final String printedName;

  OpCode(String printedName) {
    this.printedName = printedName;
  }

  /** The name in the text form, as a kernel would spell it. */
  public String printedName() {
    return printedName;
  }

  /** True for the built-in collectives, barrier included. */
  public boolean isCollective() {
    return compareTo(BARRIER) >= 0;
  }
}
