package io.ringmaster.worker.frontend.ops;

import io.ringmaster.worker.frontend.values.Extent;
import io.ringmaster.worker.frontend.values.Refusal;
import io.ringmaster.worker.frontend.values.ScalarTyping;
import io.ringmaster.worker.frontend.values.TypeText;
import io.ringmaster.worker.ir.Expr;
import io.ringmaster.worker.ir.Expr.BinaryOp;
import io.ringmaster.worker.ir.Type;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.source.Span;
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
   * The arguments that give a region.
   *
   * @param offsets the one with its start
   * @param extents the one with its size; empty where every access has the same
   */
  record Given(String offsets, String extents) {}

  /**
   * Refuses a region that provably starts below zero or ends beyond its tensor.
   *
   * @param verb {@code reads} or {@code writes}
   * @param whole {@code source} or {@code destination}
   */
  static void check(
      OpCall call,
      Given given,
      String verb,
      String whole,
      List<Expr> offsets,
      List<Expr> extents,
      List<Expr> sizes) {
    for (int axis = 0; axis < offsets.size(); axis++) {
      Expr offset = offsets.get(axis);
      Expr extent = extents.get(axis);
      Expr size = sizes.get(axis);
      requireStart(
          call,
          given.offsets(),
          "offset " + TypeText.scalar(offset) + " of dimension " + axis + " is provably negative",
          offset);
      requireEnd(
          call, given, pastTheEnd(verb, axis, offset, extent, whole, size), offset, extent, size);
    }
  }

  /** Refuses an offset that is negative whatever the run-time values are. */
  static void requireStart(OpCall call, String parameter, String text, Expr offset) {
    if (call.extentOf(offset).alwaysNegative()) {
      throw refuse(
          call,
          text,
          "offsets count elements from the start of the dimension: 0 is the first",
          start(call, parameter, offset));
    }
  }

  /** Refuses what ends beyond {@code size} whatever the run-time values are. */
  static void requireEnd(
      OpCall call, Given given, String text, Expr offset, Expr extent, Expr size) {
    Extent length = call.extentOf(extent);
    Extent most = call.extentOf(size);
    if (!call.extentOf(offset).plus(length).minus(most).alwaysPositive()) {
      return;
    }
    // Wherever it starts, what is larger than the whole doesn't fit.
    boolean tooLarge = length.minus(most).alwaysPositive() && call.given(given.extents());
    throw refuse(
        call,
        text,
        fit(length, most, TypeText.scalar(size)),
        tooLarge ? call.spanOf(given.extents()) : start(call, given.offsets(), offset));
  }

  private static Refusal refuse(OpCall call, String text, String hint, Span at) {
    return Refusal.of(call.name() + " " + text, hint, at);
  }

  /** Where an offset is written: by itself, or the list of them. */
  private static Span start(OpCall call, String parameter, Expr offset) {
    return offset.span().isKnown() ? offset.span() : call.spanOf(parameter);
  }

  private static String fit(Extent length, Extent most, String size) {
    OptionalLong extent = length.constant();
    OptionalLong all = most.constant();
    if (extent.isEmpty() || all.isEmpty() || extent.getAsLong() < 1) {
      return "keep offset + extent within " + size;
    }
    long last = all.getAsLong() - extent.getAsLong();
    if (last < 0) {
      return "an extent of at most " + size + " fits there";
    }
    String end = last == 0 ? "only offset 0 fits" : "offsets from 0 to " + last + " fit";
    return "with an extent of " + extent.getAsLong() + ", " + end + " there";
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
          "give one extent for each dimension");
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
            "a valid part has no or some elements: 0 is the least");
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
