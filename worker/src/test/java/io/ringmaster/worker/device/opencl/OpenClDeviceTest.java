package io.ringmaster.worker.device.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.ringmaster.worker.device.Boxes;
import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.DeviceFault;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.TileOp;
import io.ringmaster.worker.device.sim.SimDevice;
import io.ringmaster.worker.tensor.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every tile operation on every element type, on random bits: the device has to say what the
 * simulator says, bit for bit, but for the functions whose last bit IEEE 754 leaves open.
 */
@ParameterizedClass(name = "memory of the host: {0}")
@ValueSource(booleans = {true, false})
class OpenClDeviceTest {

  @Parameter private boolean sharing;

  private static final List<DType> TYPES =
      List.of(
          DType.FP32,
          DType.FP16,
          DType.BF16,
          DType.INT64,
          DType.INT32,
          DType.INT16,
          DType.INT8,
          DType.UINT64,
          DType.UINT32,
          DType.UINT16,
          DType.UINT8,
          DType.INDEX,
          DType.BOOL);

  private static final int[] SHAPE = {6, 5, 20};
  private static final int COUNT = 600;

  private final Device sim = new SimDevice();
  private final Arena arena = Arena.ofConfined();
  private Device device = sim;

  @BeforeEach
  void open() {
    device = OpenCl.open(List.of(0), sharing);
  }

  @AfterEach
  void close() {
    device.close();
    arena.close();
  }

  @TestFactory
  Stream<DynamicTest> elementsOfEveryTypeComputeAsInTheSimulator() {
    return TYPES.stream().map(type -> dynamicTest(type.name(), () -> arithmetic(type)));
  }

  private void arithmetic(DType type) {
    MemorySegment a = random(type, 1);
    MemorySegment b = random(type, 2);
    for (TileOp.Binary op : TileOp.Binary.values()) {
      boolean divides = op == TileOp.Binary.DIV && !type.isFloat();
      if (divides && type == DType.BOOL) {
        continue;
      }
      MemorySegment right = divides ? withoutZeros(type, b) : b;
      same(op + " of tiles", type, d -> d.binary(op, load(d, type, a), load(d, type, right), type));
      same(op + " of rows", type, d -> d.binary(op, load(d, type, a), row(d, type, right), type));
      for (double scalar : new double[] {3, -1.5, 0.1}) {
        long raw = type.isFloat() ? Double.doubleToRawLongBits(scalar) : (long) scalar;
        if (!divides || raw != 0) {
          same(op + " with " + scalar, type, d -> d.binary(op, load(d, type, a), raw));
        }
      }
    }
    for (TileOp.Unary op : TileOp.Unary.values()) {
      if (type.isFloat() || op == TileOp.Unary.NEG || op == TileOp.Unary.ABS) {
        int ulps =
            switch (op) {
              case EXP, LOG, SIN, COS -> 1;
              case SQRT, RSQRT, NEG, ABS, RECIP -> 0;
            };
        same(op.name(), type, ulps, d -> d.unary(op, load(d, type, a)));
      }
    }
    for (TileOp.Reduction op : TileOp.Reduction.values()) {
      same(op + " of rows", type, d -> d.reduceRows(op, load(d, type, a)));
      same(op + " of columns", type, d -> d.reduceColumns(op, load(d, type, a)));
    }
  }

  @TestFactory
  Stream<DynamicTest> everyTypeBecomesEveryOtherWithEveryRounding() {
    return TYPES.stream().map(type -> dynamicTest(type.name(), () -> casts(type)));
  }

  private void casts(DType type) {
    MemorySegment wide = random(type, 3);
    MemorySegment near = near(type);
    for (DType to : TYPES) {
      for (TileOp.Rounding mode : TileOp.Rounding.values()) {
        for (MemorySegment values : List.of(wide, near)) {
          same("to " + to + " " + mode, type, d -> d.cast(load(d, type, values), to, mode));
        }
      }
    }
  }

  @TestFactory
  Stream<DynamicTest> matricesMultiplyAsInTheSimulator() {
    return Stream.of(DType.FP32, DType.FP16, DType.BF16, DType.INT8, DType.INT32)
        .map(type -> dynamicTest(type.name(), () -> products(type)));
  }

  private void products(DType type) {
    DType result = type.isFloat() ? DType.FP32 : DType.INT32;
    MemorySegment a = near(type);
    for (boolean left : new boolean[] {false, true}) {
      for (boolean right : new boolean[] {false, true}) {
        Function<Device, Tile> product =
            d ->
                d.matmul(
                    null,
                    matrix(d, type, a, left ? 7 : 9, left ? 9 : 7),
                    matrix(d, type, a, right ? 11 : 7, right ? 7 : 11),
                    left,
                    right,
                    result);
        same("product " + left + right, type, product);
        same(
            "sum of products " + left + right,
            type,
            d ->
                d.matmul(
                    product.apply(d),
                    matrix(d, type, a, left ? 7 : 9, left ? 9 : 7),
                    matrix(d, type, a, right ? 11 : 7, right ? 7 : 11),
                    left,
                    right,
                    result));
      }
    }
  }

  private static Tile matrix(Device d, DType type, MemorySegment memory, int rows, int columns) {
    int[] shape = {rows, columns};
    return d.load(memory, 0, new long[] {columns, 1}, type, shape, shape);
  }

  @TestFactory
  Stream<DynamicTest> tilesMoveAsInTheSimulator() {
    return TYPES.stream().map(type -> dynamicTest(type.name(), () -> moves(type)));
  }

  private void moves(DType type) {
    MemorySegment a = random(type, 4);
    int[] part = {4, 5, 13};
    same("a part", type, d -> part(d, type, a, part));
    same("padding", type, d -> d.fillPad(part(d, type, a, part), TileOp.Pad.MIN));
    same("padding", type, d -> d.fillPad(part(d, type, a, part), TileOp.Pad.MAX));
    same("padding", type, d -> d.fillPad(part(d, type, a, part), TileOp.Pad.ZERO));
    same("a wider box", type, d -> d.withValid(part(d, type, a, part), new int[] {5, 5, 14}));
    same("sum of a part", type, d -> d.reduceRows(TileOp.Reduction.SUM, part(d, type, a, part)));
    same(
        "a part and a whole",
        type,
        d -> d.binary(TileOp.Binary.ADD, load(d, type, a), part(d, type, a, part), type));
    same(
        "a slice",
        type,
        d ->
            d.slice(
                load(d, type, a), new int[] {1, 2, 3}, new int[] {4, 2, 9}, new int[] {4, 2, 8}));
    same("reshaped", type, d -> d.reshape(load(d, type, a), new int[] {30, 20}));
    same(
        "assembled",
        type,
        d -> {
          Tile tile = d.create(type, SHAPE);
          d.assemble(tile, part(d, type, a, part), new int[] {2, 0, 3});
          d.write(tile, new int[] {0, 1, 2}, type.isFloat() ? 1 : 7);
          return tile;
        });
    same("transposed", type, d -> d.arrange(new TileOp.Transpose(), List.of(load(d, type, a))));
    same(
        "chosen",
        type,
        d -> {
          Tile some = part(d, type, a, part);
          Tile mask =
              d.arrange(new TileOp.Compare(TileOp.Relation.GT, DType.BOOL), List.of(some, some));
          return d.arrange(new TileOp.Select(), List.of(mask, some, load(d, type, a)));
        });
    same(
        "gathered",
        type,
        d -> {
          Tile tile = d.create(type, new int[] {2, 4});
          d.write(tile, new int[] {1, 2}, 1);
          Tile index = d.count(DType.INT32, new int[] {3, 2}, 7, -1);
          return d.arrange(new TileOp.Gather(false), List.of(tile, index));
        });
    same("full", type, d -> d.full(type, SHAPE, type.isFloat() ? 0x3FF8000000000000L : 5));
    // Without NaN: the simulator doesn't keep which NaN it was.
    MemorySegment numbers = type.isFloat() ? near(type) : a;
    for (boolean add : new boolean[] {false, true}) {
      byte[][] stored = new byte[2][];
      int at = 0;
      for (Device d : List.of(sim, device)) {
        MemorySegment target = arena.allocate(COUNT * 8L * 2, 64);
        target.copyFrom(type.isFloat() ? numbers : random(type, 5));
        d.store(
            part(d, type, numbers, part), target, type.bytes() * 4L, new long[] {200, 40, 2}, add);
        d.reading(target, 0, target.byteSize());
        stored[at++] = target.toArray(ValueLayout.JAVA_BYTE);
      }
      assertThat(stored[1]).as("%s stored, added: %s", type, add).isEqualTo(stored[0]);
    }
  }

  private static Tile part(Device d, DType type, MemorySegment memory, int[] valid) {
    return d.load(memory, 0, new long[] {100, 20, 1}, type, SHAPE, valid);
  }

  @Test
  void divisionByZeroIsFoundAndDoesNotStay() {
    Tile zeros = device.full(DType.INT32, SHAPE, 0);
    Tile ones = device.full(DType.INT32, SHAPE, 1);
    assertThatThrownBy(() -> device.binary(TileOp.Binary.DIV, ones, zeros, DType.INT32))
        .isInstanceOf(DeviceFault.class)
        .hasMessage("division by zero in a tile of INT32");
    assertThat(device.read(device.binary(TileOp.Binary.DIV, zeros, ones, DType.INT32), at0()))
        .isZero();
  }

  @Test
  void whatNobodyWroteIsAMarkAndIsCounted() {
    for (Device d : List.of(sim, device)) {
      Tile tile = d.create(DType.FP32, new int[] {2, 3});
      d.write(tile, new int[] {1, 1}, Double.doubleToRawLongBits(2));
      MemorySegment memory = arena.allocate(24, 8);
      assertThat(d.store(tile, memory, 0, new long[] {3, 1}, false)).isEqualTo(5);
      assertThat(d.holds(tile, new int[] {0, 1})).isFalse();
      assertThat(Double.longBitsToDouble(d.read(tile, new int[] {0, 1}))).isNaN();
      assertThat(Double.longBitsToDouble(d.read(tile, new int[] {1, 1}))).isEqualTo(2);
      d.reading(memory, 0, 24);
      assertThat(memory.getAtIndex(ValueLayout.JAVA_FLOAT, 0)).isNaN();
      assertThat(memory.getAtIndex(ValueLayout.JAVA_FLOAT, 4)).isEqualTo(2);
    }
  }

  @Test
  void theHostSeesAndChangesWhatTheDeviceHolds() {
    MemorySegment memory = arena.allocate(COUNT * 4L, 64);
    device.store(device.full(DType.INT32, SHAPE, 7), memory, 0, new long[] {100, 20, 1}, false);
    assertThat(memory.getAtIndex(ValueLayout.JAVA_INT, 9)).as("before it looks").isZero();
    device.reading(memory, 36, 4);
    assertThat(memory.getAtIndex(ValueLayout.JAVA_INT, 9)).isEqualTo(7);
    memory.setAtIndex(ValueLayout.JAVA_INT, 9, 8);
    device.changed(memory, 36, 4);
    Tile tile = load(device, DType.INT32, memory);
    assertThat(device.read(tile, new int[] {0, 0, 9})).isEqualTo(8);
    assertThat(device.read(tile, new int[] {0, 0, 10})).isEqualTo(7);
  }

  @Test
  void memoryOfDeadTilesIsUsedAgain() {
    int[] megabyte = {1 << 18};
    Tile sum = device.full(DType.INT32, megabyte, 0);
    for (int i = 0; i < 1500; i++) {
      sum = device.binary(TileOp.Binary.ADD, sum, 1);
    }
    assertThat(device.read(sum, at0())).isEqualTo(1500);
  }

  @Test
  void aTypeThatIsNotComputedIsRefusedByName() {
    assertThatThrownBy(() -> device.full(DType.FP64, SHAPE, 0))
        .isInstanceOf(DeviceFault.class)
        .hasMessageContaining("dtype FP64 isn't computed on opencl; tiles may be FP32");
  }

  private static int[] at0() {
    return new int[] {0};
  }

  private static Tile load(Device d, DType type, MemorySegment memory) {
    return d.load(memory, 0, new long[] {100, 20, 1}, type, SHAPE, SHAPE);
  }

  private static Tile row(Device d, DType type, MemorySegment memory) {
    int[] shape = {5, 1};
    return d.load(memory, 0, new long[] {20, 1}, type, shape, shape);
  }

  private void same(String what, DType type, Function<Device, Tile> computed) {
    same(what, type, 0, computed);
  }

  /** Compares shapes, what was written, and every element. */
  private void same(String what, DType type, int ulps, Function<Device, Tile> computed) {
    Tile expected = computed.apply(sim);
    Tile actual = computed.apply(device);
    assertThat(actual.shape()).as("%s %s: shape", what, type).isEqualTo(expected.shape());
    assertThat(actual.valid()).as("%s %s: valid", what, type).isEqualTo(expected.valid());
    assertThat(actual.dtype()).isEqualTo(expected.dtype());
    long[] strides = Boxes.rowMajor(expected.shape());
    int width = expected.dtype().bytes();
    long bytes = Boxes.count(expected.shape()) * width;
    MemorySegment one = arena.allocate(bytes, 64);
    MemorySegment two = arena.allocate(bytes, 64);
    assertThat(device.store(actual, two, 0, strides, false))
        .as("%s %s: unwritten", what, type)
        .isEqualTo(sim.store(expected, one, 0, strides, false));
    device.reading(two, 0, bytes);
    if (one.mismatch(two) < 0) {
      return;
    }
    Tile first = all(expected.dtype(), one, bytes / width);
    Tile second = all(expected.dtype(), two, bytes / width);
    for (int i = 0; i < bytes / width; i++) {
      long wanted = sim.read(first, new int[] {i});
      long got = sim.read(second, new int[] {i});
      if (expected.dtype().isFloat()) {
        int last =
            expected.dtype() == DType.FP32 ? 1 : expected.dtype() == DType.FP16 ? 1 << 13 : 1 << 16;
        close(what + " " + type + " [" + i + "]", wanted, got, ulps * last);
      } else {
        assertThat(got).as("%s %s [%d]", what, type, i).isEqualTo(wanted);
      }
    }
  }

  private Tile all(DType type, MemorySegment memory, long count) {
    int[] shape = {(int) count};
    return sim.load(memory, 0, new long[] {1}, type, shape, shape);
  }

  private static void close(String what, long wanted, long got, int ulps) {
    float a = (float) Double.longBitsToDouble(wanted);
    float b = (float) Double.longBitsToDouble(got);
    if (Float.isNaN(a) && Float.isNaN(b)) {
      return;
    }
    if (ulps > 0 && Math.abs(a - b) <= ulps * Math.ulp(a)) {
      return;
    }
    assertThat(Float.floatToRawIntBits(b))
        .as("%s: %s, the simulator says %s", what, b, a)
        .isEqualTo(Float.floatToRawIntBits(a));
  }

  /** Bytes of any kind: every number, NaN and infinity of the type. */
  private MemorySegment random(DType type, long seed) {
    MemorySegment memory = arena.allocate(COUNT * 8L, 64);
    var random = new SplittableRandom(seed * 31 + type.bytes());
    for (long at = 0; at < memory.byteSize(); at++) {
      memory.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
    }
    if (type == DType.BOOL) {
      for (long at = 0; at < memory.byteSize(); at++) {
        memory.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt(2));
      }
    }
    return memory;
  }

  private MemorySegment withoutZeros(DType type, MemorySegment values) {
    MemorySegment memory = arena.allocate(values.byteSize(), 64);
    memory.copyFrom(values);
    int width = type.bytes();
    for (long at = 0; at < memory.byteSize(); at += width) {
      memory.set(ValueLayout.JAVA_BYTE, at, (byte) (memory.get(ValueLayout.JAVA_BYTE, at) | 1));
    }
    return memory;
  }

  /** Small numbers with a fraction, halves among them, of both signs where the type has them. */
  private MemorySegment near(DType type) {
    MemorySegment memory = arena.allocate(COUNT * 8L, 64);
    var random = new SplittableRandom(7);
    int[] one = {1};
    for (int i = 0; i < COUNT; i++) {
      double value = random.nextInt(-60, 60) / 8.0 + (i % 3 == 0 ? random.nextDouble() / 512 : 0);
      long raw = type.isFloat() ? Double.doubleToRawLongBits(value) : (long) value;
      sim.store(sim.full(type, one, raw), memory, (long) i * type.bytes(), new long[] {1}, false);
    }
    return memory;
  }
}
