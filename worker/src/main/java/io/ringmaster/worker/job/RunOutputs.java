package io.ringmaster.worker.job;

import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.NpyReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the launches of one run left, in their order, as the run's files say it: {@code NAME.npy}
 * for the last output of each name, and {@link #FILE} where that isn't all - several launches left
 * the same name, something was too large to be kept, or an element type that {@code .npy} has none
 * for.
 *
 * @param list the outputs
 * @param whole false when there were more than the list has
 */
public record RunOutputs(List<Output> list, boolean whole) {

  /** Name of the file that says what the other files don't. */
  public static final String FILE = "launches.zip";

  private static final String SUFFIX = ".npy";
  private static final String INDEX = "outputs.json";

  /** More than any worker of ours packs; what claims to be more isn't unpacked. */
  private static final int MOST_UNPACKED = 1 << 28;

  /**
   * One output of one launch.
   *
   * @param name the parameter's
   * @param dtype of its elements, and not of the file's
   * @param digest of type, shape and bytes; empty when the content was kept
   * @param file where its content is; empty when it wasn't kept
   */
  record Entry(String name, DType dtype, String digest, String file) {}

  private record Index(List<Entry> entries, boolean whole) {}

  /** An output whose content is read when it is asked for. */
  public static final class Output {
    private final String name;
    private final Optional<DType> dtype;
    private final String digest;
    private final Optional<Content> content;

    private Output(String name, Optional<DType> dtype, String digest, Optional<Content> content) {
      this.name = name;
      this.dtype = dtype;
      this.digest = digest;
      this.content = content;
    }

    /** The parameter's name. */
    public String name() {
      return name;
    }

    boolean isKept() {
      return content.isPresent();
    }

    /** Only to be asked when it was kept. */
    HostTensor tensor() {
      HostTensor read = NpyReader.read(content.orElseThrow().npy());
      return dtype
          .filter(type -> type != read.dtype())
          .map(
              type ->
                  new HostTensor(read.buffer(), type, read.shape(), read.strides(), read.offset()))
          .orElse(read);
    }

    /** Digest of type, shape and bytes. */
    String digest() {
      return content.isPresent() ? OutputDigest.of(tensor()) : digest;
    }
  }

  /** Reads a file. */
  private interface Content {
    byte[] npy();
  }

  /**
   * Reads what a run left.
   *
   * @param names of its files
   * @param load a file's content; called only for those that are needed, and again for each use
   * @throws IllegalArgumentException when {@link #FILE} isn't what a run writes
   */
  public static RunOutputs read(List<String> names, Function<String, byte[]> load) {
    if (names.contains(FILE)) {
      return indexed(unzip(load.apply(FILE)), load);
    }
    List<Output> list = new ArrayList<>();
    for (String name : names.stream().sorted().toList()) {
      if (name.endsWith(SUFFIX)) {
        list.add(
            new Output(
                name.substring(0, name.length() - SUFFIX.length()),
                Optional.empty(),
                "",
                Optional.of(() -> load.apply(name))));
      }
    }
    return new RunOutputs(list, true);
  }

  private static RunOutputs indexed(Map<String, byte[]> zip, Function<String, byte[]> load) {
    try {
      byte[] json = zip.get(INDEX);
      if (json == null) {
        throw new IllegalArgumentException(FILE + " has no " + INDEX);
      }
      Index index = JsonMapper.shared().readValue(json, new TypeReference<>() {});
      List<Output> list = new ArrayList<>();
      for (Entry entry : index.entries()) {
        Optional<Content> content =
            entry.file().isEmpty()
                ? Optional.empty()
                : Optional.of(
                    () -> {
                      byte[] inside = zip.get(entry.file());
                      return inside == null ? load.apply(entry.file()) : inside;
                    });
        list.add(new Output(entry.name(), Optional.of(entry.dtype()), entry.digest(), content));
      }
      return new RunOutputs(list, index.whole());
    } catch (JacksonException e) {
      throw new IllegalArgumentException(FILE + " can't be read: " + e.getOriginalMessage(), e);
    }
  }

  private static Map<String, byte[]> unzip(byte[] bytes) {
    Map<String, byte[]> files = new HashMap<>();
    int left = MOST_UNPACKED;
    try (var zip = new ZipInputStream(new ByteArrayInputStream(bytes))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        byte[] content = zip.readNBytes(left);
        left -= content.length;
        if (left == 0) {
          throw new IllegalArgumentException(FILE + " holds more than " + MOST_UNPACKED + " bytes");
        }
        files.put(entry.getName(), content);
      }
    } catch (IOException e) {
      throw new IllegalArgumentException(FILE + " can't be read: " + e.getMessage(), e);
    }
    return files;
  }

  /** The content of {@link #FILE}. */
  static byte[] write(List<Entry> entries, boolean whole, Map<String, byte[]> earlier) {
    var out = new ByteArrayOutputStream();
    try (var zip = new ZipOutputStream(out)) {
      zip.setLevel(Deflater.BEST_SPEED);
      add(zip, INDEX, JsonMapper.shared().writeValueAsBytes(new Index(entries, whole)));
      for (var file : new TreeMap<>(earlier).entrySet()) {
        add(zip, file.getKey(), file.getValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("packing in memory failed", e);
    }
    return out.toByteArray();
  }

  private static void add(ZipOutputStream zip, String name, byte[] content) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    // The same outputs are the same bytes.
    entry.setTime(0);
    zip.putNextEntry(entry);
    zip.write(content);
    zip.closeEntry();
  }
}
