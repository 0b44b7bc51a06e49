package io.ringmaster.worker.fabric;

import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.DType;
import java.util.Arrays;

/**
 * Checks every access against the view's shape and the bytes of its region. Nothing is clamped: an
 * access that isn't wholly inside is a {@link KernelFault}.
 */
public final class Bounds {

  private static final String HINT =
      "nothing is clamped: check the offset's arithmetic (device code truncates // and %) and the"
          + " declared shape";

  private Bounds() {}

  /**
   * The box of {@code extents} elements at {@code offsets} of a view. A box of fewer dimensions
   * than the view sees the leading ones folded into its first; one of more dimensions sees leading
   * ones of extent 1.
   *
   * @param rank global rank that accesses
   */
  public static Box box(int rank, TensorView view, long[] offsets, long[] extents, Site site) {
    TensorView aligned = align(rank, view, offsets.length, site);
    long[] limits = aligned.valid();
    long[] strides = aligned.strides();
    long first = 0;
    long last = 0;
    boolean empty = false;
    for (int axis = 0; axis < offsets.length; axis++) {
      check(rank, view, offsets, extents[axis], limits[axis], axis, site);
      first += offsets[axis] * strides[axis];
      last += Math.max(0, extents[axis] - 1) * strides[axis];
      empty |= extents[axis] == 0;
    }
    int width = view.dtype().bytes();
    long start = view.start() + first * width;
    if (!empty) {
      checkRegion(rank, view, start, start + (last + 1) * width, site);
    }
    return new Box(view.region(), start, extents, strides, view.dtype());
  }

  /** All of the view that holds values, as a box. */
  public static Box whole(int rank, TensorView view, Site site) {
    return box(rank, view, new long[view.rank()], view.valid(), site);
  }

  /** Byte of the region at which one element lies. */
  public static long element(int rank, TensorView view, long[] offsets, Site site) {
    TensorView aligned = align(rank, view, offsets.length, site);
    long index = 0;
    for (int axis = 0; axis < offsets.length; axis++) {
      check(rank, view, offsets, 1, aligned.valid()[axis], axis, site);
      index += offsets[axis] * aligned.strides()[axis];
    }
    int width = view.dtype().bytes();
    long start = view.start() + index * width;
    checkRegion(rank, view, start, start + width, site);
    return start;
  }

  /** Index of an INT32 cell in the slice of a signal window, counted from the slice's start. */
  public static long cell(int rank, TensorView view, long[] offsets, Site site) {
    if (view.dtype() != DType.INT32) {
      throw fault(
          rank,
          view,
          site,
          site.span(),
          "'" + site.tensor() + "' has dtype " + view.dtype() + ", a signal must be INT32",
          "view the signal buffer with dtype=pl.INT32",
          view.start(),
          view.start());
    }
    long start = element(rank, view, offsets, site);
    if (start % Integer.BYTES != 0) {
      throw fault(
          rank,
          view,
          site,
          site.span(),
          "the cell of '" + site.tensor() + "' at byte " + start + " isn't aligned to 4 bytes",
          "start the signal view at a multiple of 4 bytes",
          start,
          start + Integer.BYTES);
    }
    return start / Integer.BYTES;
  }

  /** The slice that {@code peer}, a domain-local rank, holds of the window behind a view. */
  public static WindowSlice peer(int rank, TensorView view, long peer, Site site) {
    WindowSlice own = window(rank, view, site);
    int size = own.window().size();
    if (peer < 0 || peer >= size) {
      throw fault(
          rank,
          view,
          site,
          site.peer(),
          "peer "
              + peer
              + " outside [0, "
              + size
              + ") of domain "
              + own.info().domain()
              + ", window '"
              + own.info().buffer()
              + "'",
          peer < 0
              ? "device code truncates %: write (r - 1 + n) % n for the left neighbour"
              : "peers are numbered from 0 inside the window's domain",
          view.start(),
          view.start());
    }
    return own.window().slice((int) peer);
  }

  /** The window slice behind a view that has to be one. */
  public static WindowSlice window(int rank, TensorView view, Site site) {
    if (view.region() instanceof WindowSlice slice) {
      return slice;
    }
    throw fault(
        rank,
        view,
        site,
        site.span(),
        "'" + site.tensor() + "' is a plain tensor; a window of pld.window is needed",
        "hand a view of an alloc_window_buffer to this kernel",
        view.start(),
        view.start());
  }

  private static TensorView align(int rank, TensorView view, int wanted, Site site) {
    int have = view.rank();
    if (wanted == have) {
      return view;
    }
    long[] shape = new long[wanted];
    long[] strides = new long[wanted];
    if (wanted > have) {
      long[] valid = new long[wanted];
      Arrays.fill(shape, 0, wanted - have, 1);
      Arrays.fill(valid, 0, wanted - have, 1);
      System.arraycopy(view.shape(), 0, shape, wanted - have, have);
      System.arraycopy(view.valid(), 0, valid, wanted - have, have);
      System.arraycopy(view.strides(), 0, strides, wanted - have, have);
      return new TensorView(view.region(), view.start(), shape, strides, view.dtype(), valid);
    }
    if (!view.isWhole()) {
      throw fault(
          rank,
          view,
          site,
          site.span(),
          "'" + site.tensor() + "' is partly valid and addressed with " + wanted + " offsets",
          "give one offset for each of its " + have + " dimensions",
          view.start(),
          view.start());
    }
    int folded = have - wanted;
    System.arraycopy(view.shape(), folded, shape, 0, wanted);
    System.arraycopy(view.strides(), folded, strides, 0, wanted);
    for (int axis = folded - 1; axis >= 0; axis--) {
      boolean joins = view.strides()[axis] == shape[0] * strides[0];
      if (view.shape()[axis] != 1 && !joins && wanted > 0) {
        throw fault(
            rank,
            view,
            site,
            site.span(),
            "'" + site.tensor() + "' has gaps and can't be addressed with " + wanted + " offsets",
            "give one offset for each of its " + have + " dimensions",
            view.start(),
            view.start());
      }
      if (wanted > 0) {
        shape[0] *= view.shape()[axis];
      }
    }
    return new TensorView(view.region(), view.start(), shape, strides, view.dtype());
  }

  private static void check(
      int rank, TensorView view, long[] offsets, long extent, long limit, int axis, Site site) {
    long offset = offsets[axis];
    if (offset >= 0 && extent >= 0 && offset <= limit - extent) {
      return;
    }
    String detail = detail(offset, extent, limit, axis, view.shape(), view.valid(), site);
    int width = view.dtype().bytes();
    long stride = axis < view.rank() ? view.strides()[axis] : 1;
    long from = view.start() + offset * stride * width;
    long to = from + Math.max(extent, 0) * stride * width;
    throw fault(rank, view, site, site.offset(axis), detail, HINT, from, to);
  }

  /**
   * Checks a box of a tile, which has no region behind it.
   *
   * @param shape the tile's
   */
  public static void tile(int rank, int[] shape, long[] offsets, long[] extents, Site site) {
    if (offsets.length != shape.length || extents.length != shape.length) {
      return;
    }
    for (int axis = 0; axis < shape.length; axis++) {
      if (offsets[axis] < 0 || extents[axis] < 0 || offsets[axis] > shape[axis] - extents[axis]) {
        long[] whole = Arrays.stream(shape).asLongStream().toArray();
        throw KernelFault.of(
            Finding.Kind.OUT_OF_BOUNDS,
            rank,
            site.offset(axis),
            "rank "
                + rank
                + ": "
                + site.operation()
                + ": "
                + detail(offsets[axis], extents[axis], shape[axis], axis, whole, whole, site),
            HINT);
      }
    }
  }

  private static String detail(
      long offset, long extent, long limit, int axis, long[] shape, long[] valid, Site site) {
    String place = " of '" + site.tensor() + "' with shape " + Arrays.toString(shape);
    if (offset < 0) {
      return "offset " + offset + " in dimension " + axis + place + " is negative";
    }
    if (extent < 0) {
      return "extent " + extent + " in dimension " + axis + place + " is negative";
    }
    return "past the end of dimension "
        + axis
        + place
        + (Arrays.equals(shape, valid) ? "" : " and valid_shape " + Arrays.toString(valid))
        + ": offset "
        + offset
        + " + extent "
        + extent
        + " exceeds "
        + limit;
  }

  private static void checkRegion(int rank, TensorView view, long from, long to, Site site) {
    if (from >= 0 && to <= view.region().bytes()) {
      return;
    }
    String what =
        view.region() instanceof WindowSlice slice
            ? "window buffer '" + slice.info().buffer() + "'"
            : "memory";
    throw fault(
        rank,
        view,
        site,
        site.span(),
        "bytes ["
            + from
            + ", "
            + to
            + ") of '"
            + site.tensor()
            + "' lie outside its "
            + what
            + " of "
            + view.region().bytes()
            + " bytes",
        "alloc_window_buffer takes bytes, not elements: allocate elements times dtype.get_byte()",
        from,
        to);
  }

  private static KernelFault fault(
      int rank,
      TensorView view,
      Site site,
      Span at,
      String detail,
      String hint,
      long from,
      long to) {
    return KernelFault.outOfBounds(rank, site, at, view.region(), detail, hint, from, to);
  }
}
