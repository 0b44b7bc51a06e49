package io.ringmaster.worker.job;

import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.NpyReader;
import io.ringmaster.worker.tensor.NpyWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Keeps what the launches of one run leave, as the files that {@link RunOutputs} reads. The last
 * output of a name comes first: where there isn't room for all, earlier ones are left out, the
 * oldest of them first, and of those only the digest stays.
 */
final class OutputKeeper {

  /** A script that launches in a loop without end must not fill the memory. */
  private static final int MOST_ENTRIES = 10_000;

  private final long mostBytes;
  private final long mostEarlierBytes;
  private final List<RunOutputs.Entry> entries = new ArrayList<>();

  /** The place of the last output of each name that is kept. */
  private final Map<String, Integer> places = new HashMap<>();

  private final Map<String, byte[]> last = new LinkedHashMap<>();
  private final Map<String, byte[]> earlier = new HashMap<>();
  private final Deque<Integer> oldest = new ArrayDeque<>();
  private long lastBytes;
  private long earlierBytes;
  private boolean whole = true;
  private boolean indexed;

  /**
   * Keeps nothing yet.
   *
   * @param mostBytes of all files together
   * @param mostEarlierBytes of them, for outputs that aren't the last of their name
   */
  OutputKeeper(long mostBytes, long mostEarlierBytes) {
    this.mostBytes = mostBytes;
    this.mostEarlierBytes = mostEarlierBytes;
  }

  /** A launch has left this; the tensor is copied. */
  void add(String name, HostTensor tensor) {
    if (entries.size() == MOST_ENTRIES) {
      whole = false;
      indexed = true;
      replace(name);
      keep(name, tensor);
      return;
    }
    replace(name);
    int place = entries.size();
    if (keep(name, tensor)) {
      places.put(name, place);
      entries.add(new RunOutputs.Entry(name, tensor.dtype(), "", file(name)));
      indexed |= tensor.dtype() == DType.BF16;
    } else {
      entries.add(new RunOutputs.Entry(name, tensor.dtype(), OutputDigest.of(tensor), ""));
      indexed = true;
    }
  }

  /** A launch has left this, of which there is only the digest. */
  void leftOut(String name, DType dtype, String digest) {
    replace(name);
    indexed = true;
    if (entries.size() == MOST_ENTRIES) {
      whole = false;
    } else {
      entries.add(new RunOutputs.Entry(name, dtype, digest, ""));
    }
  }

  private static String file(String name) {
    return name + ".npy";
  }

  private boolean keep(String name, HostTensor tensor) {
    long size = tensor.elements() * tensor.dtype().bytes();
    if (lastBytes + size > mostBytes) {
      return false;
    }
    while (lastBytes + earlierBytes + size > mostBytes) {
      drop(oldest.removeFirst());
    }
    byte[] npy = NpyWriter.write(tensor);
    last.put(file(name), npy);
    lastBytes += npy.length;
    return true;
  }

  /** What is there under a name is no longer the last. */
  private void replace(String name) {
    byte[] npy = last.remove(file(name));
    Integer place = places.remove(name);
    if (npy == null) {
      return;
    }
    lastBytes -= npy.length;
    indexed = true;
    if (place == null) {
      return; // it came when the list was full
    }
    String file = place + "-" + file(name);
    earlier.put(file, npy);
    earlierBytes += npy.length;
    oldest.addLast(place);
    entries.set(place, new RunOutputs.Entry(name, entries.get(place).dtype(), "", file));
    while (earlierBytes > mostEarlierBytes) {
      drop(oldest.removeFirst());
    }
  }

  /** Of an earlier output only the digest stays. */
  private void drop(int place) {
    var entry = entries.get(place);
    byte[] npy = Objects.requireNonNull(earlier.remove(entry.file()), entry.file());
    earlierBytes -= npy.length;
    HostTensor read = NpyReader.read(npy);
    HostTensor tensor =
        new HostTensor(read.buffer(), entry.dtype(), read.shape(), read.strides(), read.offset());
    entries.set(
        place, new RunOutputs.Entry(entry.name(), entry.dtype(), OutputDigest.of(tensor), ""));
  }

  /** The files, by name, in the order of the launches that left them. */
  Map<String, byte[]> files() {
    Map<String, byte[]> files = new LinkedHashMap<>(last);
    if (indexed) {
      files.put(RunOutputs.FILE, RunOutputs.write(entries, whole, earlier));
    }
    return files;
  }
}
