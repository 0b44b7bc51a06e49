package io.ringmaster.worker.script.check;

import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostBuffer;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.Sizes;
import io.ringmaster.worker.tensor.Stretches;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What one launch of a program writes into one of its parameters, and what of it was compared. */
public final class Output {

  private static final long[] NOTHING = {};

  /** What is larger isn't compared with what was there before. */
  private static final long MOST_REMEMBERED = 2L << 20;

  private final Launch launch;
  private final String name;
  private final DType dtype;
  private final long[] shape;
  private final long[] strides;
  private final long offset;
  private final long[] stretches;
  private @Nullable HostBuffer buffer;
  private byte @Nullable [] before;
  private boolean leftAlone;
  private long[] written = NOTHING;
  private long[] verified = NOTHING;
  private long[] blank = NOTHING;
  private int blankLine;
  private Optional<Alteration> altered = Optional.empty();

  Output(Launch launch, String name, HostTensor tensor) {
    this.launch = launch;
    this.name = name;
    this.dtype = tensor.dtype();
    this.shape = tensor.shape();
    this.strides = tensor.strides();
    this.offset = tensor.offset();
    this.stretches = Stretches.of(tensor);
    this.buffer = tensor.buffer();
  }

  public Launch launch() {
    return launch;
  }

  /** Ranks of the program that writes it. */
  public int ranks() {
    return launch.ranks();
  }

  /** The script itself has done something to it that a check must not count on. */
  public void altered(Alteration by) {
    if (!isRepaired()) {
      altered = Optional.of(by);
    }
  }

  /** True when the script itself may have repaired what the kernel had written. */
  public boolean isRepaired() {
    return altered.isPresent() && !altered.get().difference();
  }

  /** The script has put one value for all in the place of what the kernel wrote there. */
  public void blanked(long[] ranges, int line) {
    blank = Reads.union(blank, ranges);
    blankLine = line;
  }

  /** Bytes that the kernel wrote and the script has blanked. */
  long[] blank() {
    return blank;
  }

  /** Line of the script in which it blanked some last; 0 for none. */
  int blankLine() {
    return blankLine;
  }

  /** The parameter's name. */
  public String name() {
    return name;
  }

  boolean isOfSameProgramAs(Output other) {
    return launch.program().isLike(other.launch.program());
  }

  /** True for what holds the bytes that the script itself had put there before the launch. */
  boolean isLeftAlone() {
    return leftAlone;
  }

  /**
   * Remembers what the script itself has put there before the launch; what an earlier launch left
   * there may well come out the same again.
   *
   * @param readable false where the kernel may not read it: one value for all is no golden there
   */
  public void remember(HostTensor tensor, boolean readable) {
    if (Reads.size(stretches) <= MOST_REMEMBERED && isOfHost(tensor.buffer())) {
      byte[] bytes = bytes(tensor.buffer());
      before = readable || !isOneValue(bytes) ? bytes : null;
    }
  }

  private boolean isOfHost(HostBuffer from) {
    boolean ofHost = true;
    for (int i = 0; i < stretches.length; i += 2) {
      ofHost &= !from.written().intersects(stretches[i], stretches[i + 1]);
      ofHost &= !from.stale().intersects(stretches[i], stretches[i + 1]);
    }
    return ofHost;
  }

  private boolean isOneValue(byte[] bytes) {
    int width = Math.min(dtype.bytes(), bytes.length);
    return Arrays.equals(bytes, width, bytes.length, bytes, 0, bytes.length - width);
  }

  private byte[] bytes(HostBuffer from) {
    int size = Sizes.length(Reads.size(stretches));
    byte[] all = new byte[size];
    int at = 0;
    for (int i = 0; i < stretches.length; i += 2) {
      int count = (int) (stretches[i + 1] - stretches[i]);
      MemorySegment.copy(from.segment(), ValueLayout.JAVA_BYTE, stretches[i], all, at, count);
      at += count;
    }
    return all;
  }

  /** The launch is over: what the kernel has written is known, and the memory may go. */
  public void ended() {
    if (buffer != null) {
      leftAlone = before != null && Arrays.equals(before, bytes(buffer));
      before = null;
      for (int i = 0; i < stretches.length; i += 2) {
        written = Reads.union(written, buffer.written().within(stretches[i], stretches[i + 1]));
      }
      buffer = null;
    }
  }

  /** True when the kernel wrote something into it. */
  public boolean isWritten() {
    return written.length > 0;
  }

  /** Bytes that the kernel wrote. */
  long[] written() {
    return written;
  }

  /** The elements, in order, that the kernel wrote. */
  public BitSet writtenPlaces() {
    return places(Reads.of(this, written));
  }

  /** The elements, in order, that some bytes are. */
  public BitSet places(Reads reads) {
    BitSet places = new BitSet();
    long[] ranges = elements(reads);
    for (int i = 0; i < ranges.length; i += 2) {
      places.set(Math.toIntExact(ranges[i]), Math.toIntExact(ranges[i + 1]));
    }
    return places;
  }

  /** The numbers of the same elements. */
  int[] numbers(Reads reads) {
    long[] ranges = elements(reads);
    int[] numbers = new int[Math.toIntExact(Reads.size(ranges))];
    int count = 0;
    for (int i = 0; i < ranges.length; i += 2) {
      for (int at = Math.toIntExact(ranges[i]); at < ranges[i + 1]; at++) {
        numbers[count++] = at;
      }
    }
    return numbers;
  }

  /** The same as from, to, from, to... */
  public static long[] ranges(BitSet places) {
    List<Long> ranges = new ArrayList<>();
    for (int at = places.nextSetBit(0); at >= 0; at = places.nextSetBit(at)) {
      ranges.add((long) at);
      at = places.nextClearBit(at);
      ranges.add((long) at);
    }
    return ranges.stream().mapToLong(Long::longValue).toArray();
  }

  /** Bytes that a check which counts has looked at. */
  long[] verified() {
    return verified;
  }

  /** Some of the checks that have looked at it may count no more. */
  void startAgain() {
    verified = NOTHING;
  }

  /**
   * Notes that a check has looked at bytes.
   *
   * @return false when all of them were noted before
   */
  boolean verify(long[] ranges) {
    long[] all = Reads.union(verified, ranges);
    boolean more = Reads.size(all) > Reads.size(verified);
    verified = all;
    return more;
  }

  /** Which elements, in order, some bytes are; all when they don't lie in order. */
  long[] elements(Reads reads) {
    boolean dense = isDense();
    for (int i = 0; i < reads.outputs().size() && dense; i++) {
      if (reads.outputs().get(i) == this) {
        long[] elements = reads.ranges(i).clone();
        for (int at = 0; at < elements.length; at++) {
          elements[at] = place(elements[at]) / dtype.bytes();
        }
        return elements;
      }
    }
    return new long[] {0, Arrays.stream(shape).reduce(1, (a, b) -> a * b)};
  }

  /** True when its elements lie in order, without gaps. */
  boolean isDense() {
    long step = 1;
    boolean dense = true;
    for (int axis = shape.length - 1; axis >= 0; axis--) {
      dense &= shape[axis] == 1 || strides[axis] == step;
      step *= shape[axis];
    }
    return dense;
  }

  /** The bytes of some elements, by their order; of an output whose elements lie in order. */
  Reads reads(BitSet places) {
    long[] bytes = ranges(places);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (bytes[i] + offset) * dtype.bytes();
    }
    return Reads.of(this, bytes);
  }

  /** Elements of one index along the first axis, at least 1: usually what one rank has. */
  public long row() {
    long row = 1;
    for (int axis = 1; axis < shape.length; axis++) {
      row *= shape[axis];
    }
    return Math.max(1, row);
  }

  DType dtype() {
    return dtype;
  }

  /** Byte offsets from the first of an element: the same of two outputs lie at the same place. */
  long place(long inBuffer) {
    return inBuffer - offset * dtype.bytes();
  }

  long[] shape() {
    return shape;
  }

  long[] strides() {
    return strides;
  }
}
