package io.ringmaster.worker.device.sim;

import io.ringmaster.worker.device.DeviceFault;
import io.ringmaster.worker.device.TileOp.Binary;
import io.ringmaster.worker.device.TileOp.Reduction;
import java.util.Arrays;

/**
 * Folds rows or columns of the last two dimensions, in ascending order, rounding after every step.
 */
final class Reductions {

  private Reductions() {}

  static SimTile rows(Reduction op, SimTile tile) {
    return fold(op, tile, tile.shape().length - 1);
  }

  static SimTile columns(Reduction op, SimTile tile) {
    return fold(op, tile, tile.shape().length - 2);
  }

  private static SimTile fold(Reduction op, SimTile tile, int axis) {
    if (tile.shape().length < 2) {
      throw new DeviceFault(
          "a row or column reduction needs a 2-D tile, got " + Arrays.toString(tile.shape()));
    }
    if (tile.valid()[axis] == 0) {
      throw new DeviceFault("can't reduce an empty valid axis " + axis);
    }
    int[] shape = tile.shape().clone();
    int[] valid = tile.valid().clone();
    shape[axis] = 1;
    valid[axis] = 1;
    int inner = 1;
    for (int i = axis + 1; i < shape.length; i++) {
      inner *= shape[i];
    }
    int extent = tile.shape()[axis];
    SimTile out = SimTile.blank(tile.dtype(), shape, valid);
    boolean[] marks = new boolean[out.count()];
    boolean[] from = tile.poison() == null ? marks : tile.marks();
    boolean dirty = false;
    for (int target = 0; target < out.count(); target++) {
      int first = target / inner * extent * inner + target % inner;
      for (int k = 0; k < tile.valid()[axis]; k++) {
        int source = first + k * inner;
        step(op, out, target, tile, source, k == 0);
        if (tile.poison() != null && from[source]) {
          marks[target] = true;
          dirty = true;
        }
      }
    }
    return dirty ? out.withPoison(marks) : out;
  }

  private static void step(
      Reduction op, SimTile out, int target, SimTile tile, int source, boolean first) {
    if (tile.isFloat()) {
      float value = tile.floats()[source];
      float before = out.floats()[target];
      out.floats()[target] =
          first
              ? value
              : Numbers.round(
                  tile.dtype(),
                  switch (op) {
                    case SUM -> before + value;
                    case PROD -> before * value;
                    case MAX -> Math.max(before, value);
                    case MIN -> Math.min(before, value);
                  });
      return;
    }
    if (first) {
      out.longs()[target] = tile.longs()[source];
      return;
    }
    long[] a = {out.longs()[target]};
    long[] b = {tile.longs()[source]};
    Binary step =
        switch (op) {
          case SUM -> Binary.ADD;
          case PROD -> Binary.MUL;
          case MAX -> Binary.MAX;
          case MIN -> Binary.MIN;
        };
    Elementwise.longs(step, tile.dtype(), a, b, a, 0, 1);
    out.longs()[target] = a[0];
  }
}
