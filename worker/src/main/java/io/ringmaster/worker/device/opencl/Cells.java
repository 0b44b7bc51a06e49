package io.ringmaster.worker.device.opencl;

import io.ringmaster.worker.device.Boxes;
import io.ringmaster.worker.device.opencl.Buffers.Buffer;
import io.ringmaster.worker.device.opencl.Job.Operand;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where the elements of a tile are: in a buffer of their own, or still in the memory that they were
 * loaded from. A tile that is only read once - the usual one of a collective - is never copied so:
 * who computes with it reads the memory. Before that memory changes there, the elements move to a
 * buffer of their own ({@link Mirrors} sees to it).
 */
final class Cells {

  /**
   * Elements in a memory that outlives the tile.
   *
   * @param width of an element in bytes
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record View(Mirrors mirrors, Lane lane, Memory memory, int width, int[] shape) {
    Operand operand() {
      return new Operand(mirrors.read(memory.segment(), lane), memory.first(), memory.strides());
    }
  }

  /** Room for the elements; they are there unless there is a view. */
  private @Nullable Buffer room;

  private @Nullable View view;

  private Cells(@Nullable Buffer room, @Nullable View view) {
    this.room = room;
    this.view = view;
  }

  static Cells of(Buffer buffer) {
    return new Cells(buffer, null);
  }

  /**
   * Elements that stay where they are as long as possible.
   *
   * @param room for them if they have to move, of the right size; null for none
   */
  static Cells lent(View view, @Nullable Buffer room) {
    var cells = new Cells(room, view);
    view.mirrors().lend(view.memory(), cells);
    return cells;
  }

  /** The elements for who only reads them. */
  Operand read(int[] shape) {
    View from = view;
    return from == null ? new Operand(own(), 0, Boxes.rowMajor(shape)) : from.operand();
  }

  /** The same, repeated along unit dimensions so that they have another shape. */
  Operand read(int[] shape, int[] spread) {
    View from = view;
    if (from == null) {
      return new Operand(own(), 0, Boxes.spread(shape, spread));
    }
    Operand operand = from.operand();
    long[] strides = new long[spread.length];
    for (int axis = 0; axis < spread.length; axis++) {
      int at = axis - (spread.length - shape.length);
      boolean repeated = at < 0 || (shape[at] == 1 && spread[axis] != 1);
      strides[axis] = repeated ? 0 : operand.strides()[at];
    }
    return new Operand(operand.buffer(), operand.first(), strides);
  }

  /** The elements in a buffer of their own. */
  Buffer own() {
    Buffer to = room;
    View from = view;
    if (from != null) {
      if (to == null) {
        to = from.lane().take(Boxes.count(from.shape()) * from.width());
        room = to;
      }
      view = null;
      from.lane()
          .move(
              from.width(),
              Boxes.longs(from.shape()),
              from.operand(),
              new Operand(to, 0, Boxes.rowMajor(from.shape())));
    }
    if (to == null) {
      throw new IllegalStateException("the tile's room was given to another one");
    }
    return to;
  }

  boolean isLent() {
    return view != null;
  }

  /** The room of a tile that nobody will look at again; null when it has none. */
  @Nullable Buffer handOver() {
    view = null;
    return room;
  }

  @Override
  public String toString() {
    View from = view;
    return from == null ? "own" : "lent " + Arrays.toString(from.shape());
  }
}
