package io.ringmaster.worker.lowering;

import io.ringmaster.worker.ir.Attribute;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.OpCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Access to pieces of one row of a window through a tile of fixed width.
 *
 * @param row the row, for a window of two dimensions
 * @param ragged pieces may be shorter than the tile: their tail is padded with zeros
 * @param padsTransfers a remote load of a short piece moves whole blocks of 32 bytes
 */
record Chunk(Schedule s, Expr window, Expr row, long width, boolean ragged, boolean padsTransfers) {

  private static final Map<String, Attribute> PADDED =
      Map.of("physical_tail_padding", new Attribute.Bool(true));

  Expr load(Expr col, Expr valid) {
    Expr loaded = s.ir().op(OpCode.LOAD, box(List.of(window), col, valid), Map.of());
    return filled("acc_loaded", loaded);
  }

  Expr remoteLoad(Expr peer, Expr col, Expr valid) {
    Map<String, Attribute> attributes = ragged && padsTransfers ? PADDED : Map.of();
    Expr loaded = s.ir().op(OpCode.REMOTE_LOAD, box(List.of(window, peer), col, valid), attributes);
    return filled("recv_loaded", loaded);
  }

  Expr store(Expr tile, Expr col, Expr valid) {
    Build ir = s.ir();
    Expr value =
        ragged
            ? s.let("store_value", ir.op(OpCode.SET_VALID_SHAPE, tile, ir.index(1), valid))
            : tile;
    return ir.op(OpCode.STORE, value, ir.tuple(row, col), window);
  }

  private List<Expr> box(List<Expr> source, Expr col, Expr valid) {
    Build ir = s.ir();
    List<Expr> operands = new ArrayList<>(source);
    operands.add(ir.tuple(row, col));
    operands.add(ir.tuple(ir.index(1), ir.index(width)));
    if (ragged) {
      operands.add(ir.tuple(ir.index(1), valid));
    }
    return operands;
  }

  private Expr filled(String purpose, Expr loaded) {
    if (!ragged) {
      return loaded;
    }
    Expr tile = s.let(purpose, loaded);
    return s.ir().op(OpCode.FILL_PAD, List.of(tile), Map.of("pad", new Attribute.Text("zero")));
  }
}
