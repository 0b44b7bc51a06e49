package io.ringmaster.worker.codegen;

import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.fabric.Box;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.LocalRegion;
import io.ringmaster.worker.fabric.Site;
import io.ringmaster.worker.tensor.DType;
import java.util.List;

/**
 * Tells of values that a kernel uses although nobody wrote them. They are marks by then, so that a
 * result which depends on them can't come out right by luck.
 */
final class Unwritten {

  private Unwritten() {}

  /** Elements of a tile that reach memory. */
  static void stored(Machine machine, long count, DType dtype, Site tile, Site target) {
    String text =
        "%d element(s) of tile '%s' that nobody has written are stored to '%s'"
            .formatted(count, tile.tensor(), target.tensor());
    report(
        machine,
        target,
        text,
        dtype,
        "fill the tile first (pl.tile.full, pl.fillpad), or narrow its valid shape to what was"
            + " loaded");
  }

  /** One element of a tile that is read as a scalar. */
  static void element(Machine machine, DType dtype, Site tile) {
    report(
        machine,
        tile,
        "an element of tile '" + tile.tensor() + "' is read that nobody has written",
        dtype,
        "write it first, or create the tile with pl.tile.full");
  }

  static void element(Machine machine, long index, DType dtype, Site array) {
    report(
        machine,
        array,
        "element " + index + " of array '" + array.tensor() + "' is read that nobody has written",
        dtype,
        "an array isn't zeroed: write every element before it is read");
  }

  /** Looks whether all of a box was written, where the memory keeps a record. */
  static void check(Machine machine, Box box, Site site) {
    if (!(box.region() instanceof LocalRegion local) || !machine.device().computes()) {
      return;
    }
    long[] missing = {-1};
    box.rows(
        (from, rows, rowBytes, rowStride) -> {
          for (long row = 0; row < rows && missing[0] < 0; row++) {
            long start = from + row * rowStride;
            if (!local.isWritten(start, start + rowBytes)) {
              missing[0] = start;
            }
          }
        });
    if (missing[0] >= 0) {
      report(
          machine,
          site,
          "elements of tensor '"
              + site.tensor()
              + "' are read that nobody has written, in bytes "
              + missing[0]
              + " and after",
          box.dtype(),
          "pl.create_tensor doesn't zero memory in chip code: write all of it first, or use"
              + " pl.full");
    }
  }

  private static void report(Machine machine, Site site, String what, DType dtype, String hint) {
    String holds =
        dtype.isFloat()
            ? "NaN"
            : Long.toString(Scalars.convert(Device.mark(dtype), DType.INT64, dtype));
    String text = what + ": hardware has anything there, here it is " + holds;
    machine
        .environment()
        .report(
            Finding.of(
                Finding.Kind.UNINITIALISED_READ,
                "rank " + machine.rank() + ": " + site.operation() + ": " + text,
                hint,
                List.of(machine.rank()),
                List.of(new Finding.Place(machine.rank(), site.span(), what))));
  }
}
