package io.ringmaster.worker.codegen;

import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.fabric.Borrower;
import io.ringmaster.worker.fabric.Box;
import io.ringmaster.worker.fabric.Region;
import io.ringmaster.worker.tensor.DType;
import org.jspecify.annotations.Nullable;

/**
 * A tile that was loaded and not copied: its elements still lie where they were, and are fetched
 * when that memory is about to change. For tiles that are only stored again, see {@link PassedOn}.
 */
final class BorrowedTile implements Tile, Borrower {

  private final Device device;
  private final Box from;
  private final int[] shape;
  private @Nullable Tile own;

  /** {@code from} is memory that really has the elements, all of them, without gaps. */
  BorrowedTile(Device device, Box from, int[] shape) {
    this.device = device;
    this.from = from;
    this.shape = shape;
    from.region().lend(this, from.start(), from.start() + from.payloadBytes());
  }

  /** Where the elements are; null when the tile has them itself. */
  @Nullable Box borrowed() {
    return own == null ? from : null;
  }

  /** Says that the tile isn't needed any more. */
  void drop() {
    from.region().returned(this);
  }

  /** The tile with elements of its own. */
  Tile fetched() {
    Tile tile = own;
    if (tile == null) {
      tile =
          device.load(
              from.region().segment(), from.start(), from.strides(), from.dtype(), shape, shape);
      own = tile;
    }
    return tile;
  }

  @Override
  public void copyFrom(Region lender, long first, long end) {
    if (first < from.start() + from.payloadBytes() && from.start() < end) {
      fetched();
    }
  }

  @Override
  public long firstNeeded(Region lender) {
    return own == null ? from.start() : Long.MAX_VALUE;
  }

  @Override
  public long endNeeded(Region lender) {
    return own == null ? from.start() + from.payloadBytes() : Long.MIN_VALUE;
  }

  @Override
  public DType dtype() {
    return from.dtype();
  }

  @Override
  public int[] shape() {
    return shape;
  }

  @Override
  public int[] valid() {
    return shape;
  }
}
