package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds regions that leave their tensor whatever the run-time values are. What can't be decided
 * here is left to the run, where every access is checked.
 */
final class Bounds {

  private Bounds() {}

  /**
   * Refuses a region that provably starts below zero or ends beyond its tensor.
   *
   * @param verb {@code reads} or {@code writes}
   * @param whole {@code source} or {@code destination}
   */
  static void check(
      OpCall call,
      String parameter,
      String verb,
      String whole,
      List<Expr> offsets,
      List<Expr> extents,
      List<Expr> sizes) {
    for (int axis = 0; axis < offsets.size(); axis++) {
      Extent offset = call.extentOf(offsets.get(axis));
      if (offset.alwaysNegative()) {
        throw call.refuse(
            parameter,
            "offset "
                + TypeText.scalar(offsets.get(axis))
                + " of dimension "
                + axis
                + " is provably negative",
            "offsets count elements from the start of the dimension");
      }
      Extent end = offset.plus(call.extentOf(extents.get(axis)));
      if (end.minus(call.extentOf(sizes.get(axis))).alwaysPositive()) {
        throw call.refuse(
            parameter,
            pastTheEnd(verb, axis, offsets.get(axis), extents.get(axis), whole, sizes.get(axis)),
            "keep offset + extent within " + TypeText.scalar(sizes.get(axis)));
      }
    }
  }

  static String pastTheEnd(
      String verb, int axis, Expr offset, Expr extent, String whole, Expr size) {
    return verb
        + " past the end of dimension "
        + axis
        + ": offset "
        + TypeText.scalar(offset)
        + " + extent "
        + TypeText.scalar(extent)
        + " exceeds the "
        + whole
        + " extent "
        + TypeText.scalar(size);
  }

  /**
   * Reads a {@code valid_shape} for a tile, refuses one that can't fit, and returns the tile type's
   * valid box: empty when the whole tile is valid.
   */
  static List<Expr> validBox(OpCall call, String parameter, List<Long> shape) {
    if (!call.has(parameter)) {
      return List.of();
    }
    List<Expr> valid = call.integers(parameter);
    if (valid.size() != shape.size()) {
      throw call.refuse(
          parameter,
          parameter
              + " rank ("
              + valid.size()
              + ") must match shape rank ("
              + shape.size()
              + "): expected them to have same number of dimensions",
          "");
    }
    boolean whole = true;
    List<Expr> box = new ArrayList<>();
    for (int axis = 0; axis < shape.size(); axis++) {
      Extent extent = call.extentOf(valid.get(axis));
      if (extent.alwaysNegative()) {
        throw call.refuse(
            parameter,
            parameter
                + " "
                + axis
                + " is provably negative: "
                + TypeText.scalar(valid.get(axis))
                + " has provably negative extent",
            "");
      }
      if (extent.minus(Extent.of(shape.get(axis))).alwaysPositive()) {
        throw call.refuse(
            parameter,
            parameter
                + " "
                + TypeText.scalar(valid.get(axis))
                + " of dimension "
                + axis
                + " exceeds the window extent "
                + shape.get(axis)
                + " (it provably exceeds physical shape extent)",
            "make the tile larger or the valid part smaller");
      }
      whole &= extent.sameAs(Extent.of(shape.get(axis)));
      box.add(call.context().freeze(valid.get(axis)));
    }
    return whole ? List.of() : box;
  }

  /** A tile's valid extents, one for each dimension. */
  static List<Expr> valid(Type.Tile tile, OpCall call) {
    return tile.valid().isEmpty() ? constants(tile.shape(), call) : tile.valid();
  }

  static List<Expr> constants(List<Long> values, OpCall call) {
    return values.stream()
        .<Expr>map(value -> new Expr.IntConst(value, DType.INDEX, call.span()))
        .toList();
  }
}
