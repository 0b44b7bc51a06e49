package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.ScalarTyping;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Expr.BinaryOp;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

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
    return validPart(call, parameter, constants(shape, call));
  }

  /** As {@link #validBox}, for extents that only the run may know. */
  static List<Expr> validPart(OpCall call, String parameter, List<Expr> shape) {
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
      Extent size = call.extentOf(shape.get(axis));
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
      if (extent.minus(size).alwaysPositive()) {
        throw call.refuse(
            parameter,
            parameter
                + " "
                + TypeText.scalar(valid.get(axis))
                + " of dimension "
                + axis
                + " exceeds the window extent "
                + TypeText.scalar(shape.get(axis))
                + " (it provably exceeds physical shape extent)",
            "make the tile larger or the valid part smaller");
      }
      whole &= extent.sameAs(size);
      box.add(call.context().freeze(valid.get(axis)));
    }
    return whole ? List.of() : box;
  }

  /**
   * What is valid of a part of a tensor that is valid in part: empty when all of it is.
   *
   * @param valid the tensor's valid box, not empty
   */
  static List<Expr> within(OpCall call, List<Expr> valid, List<Expr> offsets, List<Expr> shape) {
    if (valid.isEmpty() || valid.size() != offsets.size()) {
      return List.of();
    }
    boolean whole = true;
    List<Expr> box = new ArrayList<>();
    for (int axis = 0; axis < shape.size(); axis++) {
      Extent left = call.extentOf(valid.get(axis)).minus(call.extentOf(offsets.get(axis)));
      Extent extent = call.extentOf(shape.get(axis));
      if (neverAbove(extent, left)) {
        box.add(shape.get(axis));
        continue;
      }
      whole = false;
      Expr rest = rest(call, valid.get(axis), offsets.get(axis));
      boolean fits = neverAbove(left, extent);
      box.add(
          call.context()
              .freeze(
                  fits
                      ? rest
                      : ScalarTyping.extreme(BinaryOp.MIN, rest, shape.get(axis), call.span())));
    }
    return whole ? List.of() : box;
  }

  /** A load takes what it is told to, not what is valid of its source. */
  static void warnOfRest(OpCall call, Type.Tensor source, List<Expr> offsets, List<Expr> extents) {
    if (source.valid().isEmpty() || source.valid().size() != offsets.size()) {
      return;
    }
    for (int axis = 0; axis < offsets.size(); axis++) {
      Extent left = call.extentOf(source.valid().get(axis)).minus(call.extentOf(offsets.get(axis)));
      if (!neverAbove(call.extentOf(extents.get(axis)), left)) {
        call.context()
            .warn(
                call.name()
                    + " may take more than is valid of its source: dimension "
                    + axis
                    + " is valid in part, and the rest counts as never written",
                "give valid_shape=",
                call.span());
        return;
      }
    }
  }

  private static boolean neverAbove(Extent a, Extent b) {
    return b.minus(a).plus(Extent.of(1)).alwaysPositive();
  }

  /** What is left of {@code valid} behind an offset. */
  private static Expr rest(OpCall call, Expr valid, Expr offset) {
    OptionalLong start = call.extentOf(offset).constant();
    if (start.isPresent() && start.getAsLong() == 0) {
      return valid;
    }
    OptionalLong left = call.extentOf(valid).minus(call.extentOf(offset)).constant();
    if (left.isPresent()) {
      return new Expr.IntConst(Math.max(0, left.getAsLong()), DType.INDEX, call.span());
    }
    Expr difference =
        ScalarTyping.binary(BinaryOperator.SUBTRACT, valid, offset, true, call.span());
    Expr zero = new Expr.IntConst(0, DType.INDEX, call.span());
    return ScalarTyping.extreme(BinaryOp.MAX, difference, zero, call.span());
  }

  /** A tile's valid extents, one for each dimension. */
  static List<Expr> valid(Type.Tile tile, OpCall call) {
    return tile.valid().isEmpty() ? constants(tile.shape(), call) : tile.valid();
  }

  /** The valid extents of a tile or tensor. */
  static List<Expr> valid(Type type, OpCall call) {
    return switch (type) {
      case Type.Tile tile -> valid(tile, call);
      case Type.Tensor tensor -> tensor.valid().isEmpty() ? tensor.shape() : tensor.valid();
      case Type other -> List.of();
    };
  }

  static List<Expr> constants(List<Long> values, OpCall call) {
    Expr[] constants = new Expr[values.size()];
    for (int i = 0; i < constants.length; i++) {
      constants[i] = new Expr.IntConst(values.get(i), DType.INDEX, call.span());
    }
    return List.of(constants);
  }
}
