package io.ringmaster.worker.tensor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tensors from {@code .npy} files, formats 1.0 to 3.0, C order, little-endian.
 *
 * <p>Source of the format: NumPy enhancement proposal 1.
 */
public final class NpyReader {

  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
  private static final int MOST_AXES = 32;
  private static final Pattern DESCR = Pattern.compile("'descr'\\s*:\\s*'([^']*)'");
  private static final Pattern RECORDS = Pattern.compile("'descr'\\s*:\\s*\\[");
  private static final Pattern FORTRAN = Pattern.compile("'fortran_order'\\s*:\\s*(True|False)");
  private static final Pattern SHAPE = Pattern.compile("'shape'\\s*:\\s*\\(([0-9, ]*)\\)");
  private static final Map<String, DType> TYPES =
      Map.ofEntries(
          Map.entry("<f8", DType.FP64),
          Map.entry("<f4", DType.FP32),
          Map.entry("<f2", DType.FP16),
          Map.entry("<i8", DType.INT64),
          Map.entry("<i4", DType.INT32),
          Map.entry("<i2", DType.INT16),
          Map.entry("|i1", DType.INT8),
          Map.entry("<u8", DType.UINT64),
          Map.entry("<u4", DType.UINT32),
          Map.entry("<u2", DType.UINT16),
          Map.entry("|u1", DType.UINT8),
          Map.entry("|b1", DType.BOOL));

  private NpyReader() {}

  /** What a file says of itself before its data. */
  private record Header(DType dtype, List<Long> shape, int dataAt) {}

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException when it isn't one, or holds what tensors can't hold; the
   *     message says what
   */
  public static HostTensor read(byte[] file) {
    Header header = header(file);
    long[] shape = header.shape().stream().mapToLong(Long::longValue).toArray();
    long bytes;
    try {
      bytes = Sizes.times(HostTensor.count(shape), header.dtype().bytes());
    } catch (Sizes.TooLarge e) {
      throw new IllegalArgumentException("its shape " + header.shape() + " is too large", e);
    }
    if (bytes != file.length - header.dataAt()) {
      throw new IllegalArgumentException(
          "a tensor of shape %s takes %,d bytes, but %,d follow the header"
              .formatted(header.shape(), bytes, file.length - header.dataAt()));
    }
    HostTensor tensor = HostTensor.zeros(header.dtype(), shape);
    MemorySegment.copy(
        MemorySegment.ofArray(file),
        ValueLayout.JAVA_BYTE,
        header.dataAt(),
        tensor.buffer().segment(),
        ValueLayout.JAVA_BYTE,
        0,
        bytes);
    return tensor;
  }

  private static Header header(byte[] file) {
    if (file.length < 10 || !Arrays.equals(file, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      throw new IllegalArgumentException("it isn't a .npy file: it doesn't begin with \\x93NUMPY");
    }
    int version = file[6];
    if (version < 1 || version > 3) {
      throw new IllegalArgumentException("format version " + version + " is none of 1, 2, 3");
    }
    int lengthBytes = version == 1 ? 2 : 4;
    int start = 8 + lengthBytes;
    long length = 0;
    for (int i = Math.min(start, file.length) - 1; i >= 8; i--) {
      length = (length << 8) | (file[i] & 0xFF);
    }
    if (file.length < start || length > file.length - start) {
      throw new IllegalArgumentException("it ends within its header");
    }
    String text = new String(file, start, (int) length, StandardCharsets.UTF_8);
    if (RECORDS.matcher(text).find()) {
      throw new IllegalArgumentException("it holds records; save one field of them, a['x']");
    }
    String descr = field(DESCR, text, "descr");
    DType dtype = TYPES.get(descr.startsWith("=") ? "<" + descr.substring(1) : descr);
    if (descr.startsWith(">")) {
      throw new IllegalArgumentException(
          "it is big-endian, '%s'; save a.astype('<%s') instead"
              .formatted(descr, descr.substring(1)));
    }
    if (dtype == null) {
      throw new IllegalArgumentException(
          "its element type '"
              + descr
              + "' is none of "
              + TYPES.keySet().stream().sorted().toList());
    }
    if (field(FORTRAN, text, "fortran_order").equals("True")) {
      throw new IllegalArgumentException(
          "it is in Fortran order; save numpy.ascontiguousarray(a) instead");
    }
    return new Header(dtype, shape(field(SHAPE, text, "shape")), start + (int) length);
  }

  private static String field(Pattern pattern, String header, String name) {
    Matcher matcher = pattern.matcher(header);
    if (!matcher.find()) {
      throw new IllegalArgumentException("its header has no valid '" + name + "'");
    }
    return matcher.group(1);
  }

  private static List<Long> shape(String text) {
    String[] extents =
        Arrays.stream(text.split(",", -1))
            .map(String::strip)
            .filter(extent -> !extent.isEmpty())
            .toArray(String[]::new);
    if (extents.length > MOST_AXES) {
      throw new IllegalArgumentException("it has more than " + MOST_AXES + " axes");
    }
    try {
      return Arrays.stream(extents).map(Long::valueOf).toList();
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("its shape (" + text + ") isn't a list of sizes", e);
    }
  }
}
