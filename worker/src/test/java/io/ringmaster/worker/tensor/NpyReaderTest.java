package io.ringmaster.worker.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class NpyReaderTest {

  @ParameterizedTest
  @EnumSource(names = {"FP64", "FP32", "FP16", "INT64", "INT32", "INT16", "INT8", "UINT8", "BOOL"})
  void whatWasWrittenIsReadBack(DType dtype) {
    HostTensor tensor = HostTensor.zeros(dtype, 2, 3);
    var random = new SplittableRandom(1);
    for (long at = 0; at < 6L * dtype.bytes(); at++) {
      tensor.buffer().segment().set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt(2));
    }

    HostTensor read = NpyReader.read(NpyWriter.write(tensor));

    assertThat(read.dtype()).isEqualTo(dtype);
    assertThat(read.shape()).containsExactly(2, 3);
    assertThat(read.buffer().segment().mismatch(tensor.buffer().segment())).isEqualTo(-1);
  }

  @Test
  void scalarsAndEmptyOnesAreRead() {
    assertThat(NpyReader.read(file(1, "'<f4'", "False", "()", 4)).rank()).isZero();
    assertThat(NpyReader.read(file(2, "'<i8'", "False", "(0, 3)", 0)).elements()).isZero();
    assertThat(NpyReader.read(file(3, "'|u1'", "False", "(5,)", 5)).shape()).containsExactly(5);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "'>f4' ; False ; (2,) ; 8 ; it is big-endian, '>f4'; save a.astype('<f4') instead",
        "[('a', '<f4')] ; False ; (2,) ; 8 ; it holds records",
        "'|O' ; False ; (2,) ; 16 ; element type '|O' is none of",
        "'<f4' ; True ; (2, 2) ; 16 ; Fortran order",
        "'<f4' ; Maybe ; (2, 2) ; 16 ; no valid 'fortran_order'",
        "'<f4' ; False ; (3,) ; 8 ; takes 12 bytes, but 8 follow",
        "'<f4' ; False ; (-1,) ; 8 ; no valid 'shape'",
        "'<f4' ; False ; (9999999999999999999999,) ; 8 ; isn't a list of sizes",
        "'<f4' ; False ; (4611686018427387904, 4) ; 8 ; is too large",
        "'<f4' ; False ; (1 2,) ; 8 ; isn't a list of sizes",
      })
  void whatTensorsCantHoldIsRefused(
      String descr, String fortran, String shape, int bytes, String says) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NpyReader.read(file(1, descr, fortran, shape, bytes)))
        .withMessageContaining(says);
  }

  @Test
  void otherVersionsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NpyReader.read(file(4, "'<f4'", "False", "(2,)", 8)))
        .withMessageContaining("version 4");
  }

  @Test
  void aDamagedFileIsRefusedOrReadButNeverBreaksTheReader() {
    byte[] whole = file(1, "'<f4'", "False", "(4, 4)", 64);
    var random = new SplittableRandom(2);
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatIllegalArgumentException().isThrownBy(() -> NpyReader.read(cut));
    }
    int read = 0;
    for (int round = 0; round < 2_000; round++) {
      byte[] damaged = whole.clone();
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      try {
        assertThat(NpyReader.read(damaged).elements()).isPositive();
        read++;
      } catch (IllegalArgumentException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
    assertThat(read).as("damage in the data is no damage").isPositive();
  }

  private static byte[] file(int version, String descr, String fortran, String shape, int bytes) {
    byte[] header =
        "{'descr': %s, 'fortran_order': %s, 'shape': %s, }\n"
            .formatted(descr, fortran, shape)
            .getBytes(StandardCharsets.US_ASCII);
    ByteBuffer file =
        ByteBuffer.allocate(12 + header.length + bytes).order(ByteOrder.LITTLE_ENDIAN);
    file.put(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', (byte) version, 0});
    if (version == 1) {
      file.putShort((short) header.length);
    } else {
      file.putInt(header.length);
    }
    file.put(header);
    return Arrays.copyOf(file.array(), file.position() + bytes);
  }
}
