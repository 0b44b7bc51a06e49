package io.ringmaster.worker.device.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.DeviceFault;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.TileOp;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SimDeviceTest {

  private final Device device = new SimDevice();

  private Tile tile(DType dtype, int[] shape, double... values) {
    Tile tile = device.create(dtype, shape);
    int columns = shape[shape.length - 1];
    for (int i = 0; i < values.length; i++) {
      device.write(tile, new int[] {i / columns, i % columns}, raw(dtype, values[i]));
    }
    return tile;
  }

  private static long raw(DType dtype, double value) {
    return dtype.isFloat() ? Double.doubleToRawLongBits(value) : (long) value;
  }

  private double at(Tile tile, int... index) {
    long raw = device.read(tile, index);
    return tile.dtype().isFloat() ? Double.longBitsToDouble(raw) : (double) raw;
  }

  private static int[] shape(int... extents) {
    return extents;
  }

  private static MemorySegment memory(long bytes) {
    return HostTensor.zeros(DType.INT8, bytes).buffer().segment();
  }

  @ParameterizedTest
  @CsvSource({
    "FP32, 3, 4, 7, -1, 12, 0.75, 4, 3",
    "FP16, 3, 4, 7, -1, 12, 0.75, 4, 3",
    "BF16, 3, 4, 7, -1, 12, 0.75, 4, 3",
    "INT64, 30, -4, 26, 34, -120, -7, 30, -4",
    "INT32, 2147483647, 2, -2147483647, 2147483645, -2, 1073741823, 2147483647, 2",
    "INT16, 32767, 2, -32767, 32765, -2, 16383, 32767, 2",
    "INT8, 127, 2, -127, 125, -2, 63, 127, 2",
    "UINT32, 4294967295, 2, 1, 4294967293, 4294967294, 2147483647, 4294967295, 2",
    "UINT16, 1, 2, 3, 65535, 2, 0, 2, 1",
    "UINT8, 250, 10, 4, 240, 196, 25, 250, 10",
  })
  void arithmeticStaysInTheElementType(
      DType dtype,
      double a,
      double b,
      double sum,
      double difference,
      double product,
      double quotient,
      double max,
      double min) {
    Tile left = tile(dtype, shape(1, 1), a);
    Tile right = tile(dtype, shape(1, 1), b);
    for (TileOp.Binary op : TileOp.Binary.values()) {
      double expected =
          switch (op) {
            case ADD -> sum;
            case SUB -> difference;
            case MUL -> product;
            case DIV -> quotient;
            case MAX -> max;
            case MIN -> min;
          };
      Tile both = device.binary(op, left, right, dtype);
      Tile scalar = device.binary(op, left, raw(dtype, b));
      assertThat(at(both, 0, 0)).as(dtype + " " + op).isEqualTo(expected);
      assertThat(at(scalar, 0, 0)).as(dtype + " " + op).isEqualTo(expected);
    }
  }

  @Test
  void halfPrecisionRoundsEveryResultToNearestEven() {
    Tile a = tile(DType.FP16, shape(1, 2), 2048, 60000);
    Tile sum = device.binary(TileOp.Binary.ADD, a, raw(DType.FP16, 1));
    assertThat(at(sum, 0, 0)).isEqualTo(2048);
    Tile twice = device.binary(TileOp.Binary.ADD, a, a, DType.FP16);
    assertThat(at(twice, 0, 1)).isInfinite();
    Tile b = tile(DType.BF16, shape(1, 1), 256);
    assertThat(at(device.binary(TileOp.Binary.ADD, b, raw(DType.BF16, 1)), 0, 0)).isEqualTo(256);
    assertThat(at(device.binary(TileOp.Binary.ADD, b, raw(DType.BF16, 3)), 0, 0)).isEqualTo(260);
  }

  @ParameterizedTest
  @EnumSource(
      value = DType.class,
      names = {
        "FP32", "FP16", "BF16", "INT64", "INT32", "INT16", "INT8", "UINT64", "UINT32", "UINT16",
        "UINT8", "BOOL", "INDEX"
      })
  void whatIsStoredIsWhatIsLoaded(DType dtype) {
    MemorySegment memory = memory(256);
    Tile tile = tile(dtype, shape(2, 3), 1, 0, 1, 1, 0, 1);
    long[] strides = {5, 1};
    assertThat(device.store(tile, memory, 8, strides, false)).isZero();
    Tile back = device.load(memory, 8, strides, dtype, shape(2, 3), shape(2, 3));
    for (int i = 0; i < 6; i++) {
      assertThat(at(back, i / 3, i % 3)).isEqualTo(at(tile, i / 3, i % 3));
    }
  }

  @Test
  void columnsAndPartsOfRowsAreStoredAlone() {
    MemorySegment memory = memory(64);
    Tile tile = device.full(DType.INT32, shape(2, 2), 7);
    device.store(device.withValid(tile, shape(2, 1)), memory, 4, new long[] {4, 2}, false);
    Tile all = device.load(memory, 0, new long[] {4, 1}, DType.INT32, shape(2, 4), shape(2, 4));
    assertThat(at(all, 0, 1)).isEqualTo(7);
    assertThat(at(all, 1, 1)).isEqualTo(7);
    assertThat(at(all, 0, 3)).isZero();
  }

  @Test
  void anAtomicAddAddsInTheElementType() {
    MemorySegment memory = memory(16);
    Tile tile = tile(DType.FP16, shape(1, 2), 1.5, 2);
    device.store(tile, memory, 0, new long[] {2, 1}, true);
    device.store(tile, memory, 0, new long[] {2, 1}, true);
    Tile sum = device.load(memory, 0, new long[] {2, 1}, DType.FP16, shape(1, 2), shape(1, 2));
    assertThat(at(sum, 0, 0)).isEqualTo(3);
    assertThat(at(sum, 0, 1)).isEqualTo(4);
  }

  @Test
  void unitDimensionsAreRepeated() {
    Tile a = tile(DType.FP32, shape(2, 3), 1, 2, 3, 4, 5, 6);
    Tile row = tile(DType.FP32, shape(1, 3), 10, 20, 30);
    Tile column = tile(DType.FP32, shape(2, 1), 100, 200);
    assertThat(at(device.binary(TileOp.Binary.ADD, a, row, DType.FP32), 1, 2)).isEqualTo(36);
    assertThat(at(device.binary(TileOp.Binary.ADD, a, column, DType.FP32), 1, 0)).isEqualTo(204);
    assertThat(at(device.binary(TileOp.Binary.MUL, column, row, DType.FP32), 1, 2)).isEqualTo(6000);
    assertThatThrownBy(
            () ->
                device.binary(
                    TileOp.Binary.ADD, a, tile(DType.FP32, shape(1, 2), 1, 2), DType.FP32))
        .isInstanceOf(DeviceFault.class)
        .hasMessageContaining("compatible shapes");
  }

  @ParameterizedTest
  @CsvSource({
    "NONE, 2, -2, 4",
    "RINT, 2, -2, 4",
    "ROUND, 3, -3, 4",
    "FLOOR, 2, -3, 3",
    "CEIL, 3, -2, 4",
    "TRUNC, 2, -2, 3",
    "ODD, 3, -3, 3",
  })
  void castsRoundAsTheirModeSays(TileOp.Rounding mode, double a, double b, double c) {
    Tile tile = tile(DType.FP32, shape(1, 3), 2.5, -2.5, 3.7);
    Tile cast = device.cast(tile, DType.INT32, mode);
    assertThat(at(cast, 0, 0)).isEqualTo(a);
    assertThat(at(cast, 0, 1)).isEqualTo(b);
    assertThat(at(cast, 0, 2)).isEqualTo(c);
  }

  @Test
  void castsSaturateFloatsAndWrapIntegers() {
    Tile floats = tile(DType.FP32, shape(1, 3), 1e20, -1e20, Double.NaN);
    Tile ints = device.cast(floats, DType.INT16, TileOp.Rounding.RINT);
    assertThat(at(ints, 0, 0)).isEqualTo(32767);
    assertThat(at(ints, 0, 1)).isEqualTo(-32768);
    assertThat(at(ints, 0, 2)).isZero();
    Tile wide = tile(DType.INT32, shape(1, 1), 70000);
    assertThat(at(device.cast(wide, DType.INT16, TileOp.Rounding.NONE), 0, 0)).isEqualTo(4464);
    Tile half = tile(DType.FP32, shape(1, 1), 2049);
    assertThat(at(device.cast(half, DType.FP16, TileOp.Rounding.RINT), 0, 0)).isEqualTo(2048);
    assertThat(at(device.cast(half, DType.FP16, TileOp.Rounding.CEIL), 0, 0)).isEqualTo(2050);
    assertThat(at(device.cast(half, DType.FP16, TileOp.Rounding.ROUND), 0, 0)).isEqualTo(2050);
  }

  @Test
  void reductionsFoldTheValidBox() {
    Tile tile = tile(DType.FP32, shape(2, 3), 1, 2, 3, 4, 5, 6);
    assertThat(at(device.reduceRows(TileOp.Reduction.SUM, tile), 1, 0)).isEqualTo(15);
    assertThat(at(device.reduceRows(TileOp.Reduction.MAX, tile), 0, 0)).isEqualTo(3);
    assertThat(at(device.reduceColumns(TileOp.Reduction.MIN, tile), 0, 2)).isEqualTo(3);
    assertThat(at(device.reduceColumns(TileOp.Reduction.PROD, tile), 0, 1)).isEqualTo(10);
    Tile part = device.withValid(tile, shape(2, 2));
    assertThat(at(device.reduceRows(TileOp.Reduction.SUM, part), 1, 0)).isEqualTo(9);
    Tile ints = tile(DType.INT8, shape(1, 2), 100, 100);
    assertThat(at(device.reduceRows(TileOp.Reduction.SUM, ints), 0, 0)).isEqualTo(-56);
  }

  @Test
  void nanWinsInMaxAndMin() {
    Tile tile = tile(DType.FP32, shape(1, 2), Double.NaN, 1);
    Tile one = device.full(DType.FP32, shape(1, 2), raw(DType.FP32, 3));
    assertThat(at(device.binary(TileOp.Binary.MAX, one, tile, DType.FP32), 0, 0)).isNaN();
    assertThat(at(device.binary(TileOp.Binary.MIN, tile, one, DType.FP32), 0, 0)).isNaN();
    assertThat(at(device.reduceRows(TileOp.Reduction.MAX, tile), 0, 0)).isNaN();
  }

  @Test
  void matrixProductsAccumulateInTheWiderType() {
    Tile a = tile(DType.FP16, shape(2, 3), 1, 2, 3, 4, 5, 6);
    Tile b = tile(DType.FP16, shape(3, 2), 1, 0, 0, 1, 1, 1);
    Tile product = device.matmul(null, a, b, false, false, DType.FP32);
    assertThat(at(product, 0, 0)).isEqualTo(4);
    assertThat(at(product, 1, 1)).isEqualTo(11);
    Tile again = device.matmul(product, a, b, false, false, DType.FP32);
    assertThat(at(again, 0, 0)).isEqualTo(8);
    Tile transposed = device.matmul(null, b, a, true, true, DType.FP32);
    assertThat(at(transposed, 0, 0)).isEqualTo(4);
    assertThat(at(transposed, 1, 1)).isEqualTo(11);
    Tile ints = tile(DType.INT8, shape(1, 2), 100, 100);
    Tile column = tile(DType.INT8, shape(2, 1), 100, 100);
    assertThat(at(device.matmul(null, ints, column, false, false, DType.INT32), 0, 0))
        .isEqualTo(20000);
  }

  @Test
  void unwrittenElementsAreCountedWhenTheyReachMemory() {
    MemorySegment memory = memory(64);
    Tile tile = device.create(DType.FP32, shape(1, 4));
    assertThat(device.store(tile, memory, 0, new long[] {4, 1}, false)).isEqualTo(4);
    device.write(tile, shape(0, 1), raw(DType.FP32, 1));
    Tile sum = device.binary(TileOp.Binary.ADD, tile, raw(DType.FP32, 1));
    assertThat(device.store(sum, memory, 0, new long[] {4, 1}, false)).isEqualTo(3);
    Tile narrow = device.load(memory, 0, new long[] {4, 1}, DType.FP32, shape(1, 4), shape(1, 2));
    assertThat(device.store(narrow, memory, 0, new long[] {4, 1}, false)).isZero();
    Tile widened = device.withValid(narrow, shape(1, 4));
    assertThat(device.store(widened, memory, 0, new long[] {4, 1}, false)).isEqualTo(2);
    Tile filled = device.fillPad(narrow, TileOp.Pad.MIN);
    assertThat(device.store(filled, memory, 0, new long[] {4, 1}, false)).isZero();
    assertThat(at(filled, 0, 3)).isEqualTo(-Float.MAX_VALUE);
  }

  @Test
  void aComputedTileDoesNotShareItsMarks() {
    Tile tile = device.create(DType.FP32, shape(1, 2));
    Tile copy = device.unary(TileOp.Unary.NEG, tile);
    device.write(tile, shape(0, 0), 0);
    assertThat(device.store(copy, memory(8), 0, new long[] {2, 1}, false)).isEqualTo(2);
  }

  @Test
  void slicesAndAssembliesMoveBoxes() {
    Tile tile = tile(DType.INT32, shape(2, 4), 1, 2, 3, 4, 5, 6, 7, 8);
    Tile part = device.slice(tile, shape(0, 1), shape(2, 2), shape(2, 2));
    assertThat(at(part, 1, 1)).isEqualTo(7);
    Tile target = device.full(DType.INT32, shape(3, 4), 0);
    device.assemble(target, part, shape(1, 2));
    assertThat(at(target, 2, 3)).isEqualTo(7);
    assertThat(at(target, 0, 3)).isZero();
    assertThat(at(device.reshape(tile, shape(4, 2)), 3, 1)).isEqualTo(8);
    assertThatThrownBy(() -> device.slice(tile, shape(0, 3), shape(2, 2), shape(2, 2)))
        .isInstanceOfSatisfying(
            DeviceFault.class, fault -> assertThat(fault.isOutOfBounds()).isTrue());
  }

  @Test
  void typesWithoutArithmeticAreRefusedByName() {
    assertThatThrownBy(() -> device.create(DType.FP8E4M3FN, shape(1, 1)))
        .hasMessageContaining("FP8E4M3FN isn't simulated");
    assertThatThrownBy(
            () -> device.binary(TileOp.Binary.DIV, device.full(DType.INT32, shape(1, 1), 1), 0))
        .hasMessageContaining("division by zero");
  }
}
