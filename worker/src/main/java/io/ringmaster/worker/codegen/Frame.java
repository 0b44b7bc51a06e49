package io.ringmaster.worker.codegen;

import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.fabric.TensorView;
import io.ringmaster.worker.fabric.WindowSlice;
import org.jspecify.annotations.Nullable;

/** The registers of one function call. */
final class Frame {

  final Machine machine;
  final CompiledFunction function;
  final long[] longs;
  final @Nullable Object[] refs;

  /** Where to go on. */
  int pc;

  /** Who called, with where the results go; null for the outermost function. */
  final @Nullable Frame caller;

  final @Nullable CallSite site;

  /** What was handed in, as the caller sees it: a result that is one of these is handed back. */
  final @Nullable Object[] arguments;

  /** How many unordered loops were open when it was called. */
  final int depth;

  Frame(
      Machine machine,
      CompiledFunction function,
      @Nullable Frame caller,
      @Nullable CallSite site,
      @Nullable Object[] arguments) {
    this.machine = machine;
    this.function = function;
    this.longs = new long[function.longCount()];
    this.refs = new @Nullable Object[function.refCount()];
    this.caller = caller;
    this.site = site;
    this.arguments = arguments;
    this.depth = machine.unordered().depth();
  }

  TensorView view(int slot) {
    if (refs[slot] instanceof TensorView view) {
      return view;
    }
    throw unset(slot, "a tensor");
  }

  Tile tile(int slot) {
    if (refs[slot] instanceof Tile tile) {
      return tile;
    }
    throw unset(slot, "a tile");
  }

  /** The tile that the next value of a register replaces; null when it holds none. */
  @Nullable Tile replaced(int slot) {
    return refs[slot] instanceof Tile tile ? tile : null;
  }

  WindowSlice context(int slot) {
    if (refs[slot] instanceof WindowSlice slice) {
      return slice;
    }
    throw unset(slot, "a communication context");
  }

  LocalArray array(int slot) {
    if (refs[slot] instanceof LocalArray array) {
      return array;
    }
    throw unset(slot, "an array");
  }

  private IllegalStateException unset(int slot, String wanted) {
    Object found = refs[slot];
    return new IllegalStateException(
        "register "
            + slot
            + " of '"
            + function.name()
            + "' holds "
            + (found == null ? "nothing" : found.getClass().getSimpleName())
            + " instead of "
            + wanted);
  }
}
