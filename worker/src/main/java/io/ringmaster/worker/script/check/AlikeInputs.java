package io.ringmaster.worker.script.check;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.script.Remark;
import io.ringmaster.worker.tensor.HostTensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Inputs in which ranks get the same as others: a kernel that takes the share of the wrong rank, or
 * that forgot to fetch it, then gets what it should have, and no check can tell.
 *
 * @param names parameters
 * @param line of the script that made the first of them
 * @param extent which of the ranks' shares are alike
 */
record AlikeInputs(List<String> names, int line, Extent extent) {

  /** Elements of a share that are looked at first. */
  private static final long BEGINNING = 16;

  /** Which shares are alike. */
  private enum Extent {
    /** Those of all ranks. */
    ALL,
    /** Those of most ranks, each with that of some other: {@code x[r] = r % 2}. */
    GROUPS,
    /** The parts of each rank's own share. */
    WITHIN
  }

  /**
   * Looks at what a launch is given; empty when a wrong share would show. Whether the program's
   * text moves data between ranks doesn't matter: one that should and doesn't is what to look for.
   */
  static Optional<AlikeInputs> of(Exchange exchange, int ranks, List<Launch.Given> arguments) {
    if (ranks < 2) {
      return Optional.empty();
    }
    List<Launch.Given> shares = shares(exchange, ranks, arguments);
    boolean values = shares.stream().anyMatch(one -> one.tensor().dtype().isFloat());
    List<Launch.Given> data =
        shares.stream().filter(one -> one.tensor().dtype().isFloat() == values).toList();
    if (data.isEmpty()
        || data.stream().anyMatch(one -> one.ofKernel() || !one.tensor().isContiguous())) {
      return Optional.empty();
    }
    return extent(exchange, ranks, data.stream().map(Launch.Given::tensor).toList())
        .map(
            extent ->
                new AlikeInputs(
                    data.stream().map(one -> one.parameter().name()).toList(),
                    data.getFirst().line(),
                    extent));
  }

  /** What is handed out in parts, or, where nothing is, what each rank takes its own row of. */
  private static List<Launch.Given> shares(
      Exchange exchange, int ranks, List<Launch.Given> arguments) {
    List<Launch.Given> inputs =
        arguments.stream()
            .filter(one -> one.parameter().direction() != Function.Direction.OUT)
            .filter(one -> one.tensor().elements() > 0)
            .toList();
    List<Launch.Given> dealt =
        inputs.stream()
            .filter(one -> exchange.dealt().contains(one.parameter().name()))
            .filter(one -> isCutInto(ranks, one.tensor()) || isOneValue(one.tensor()))
            .toList();
    return dealt.isEmpty()
        ? inputs.stream()
            .filter(one -> one.tensor().rank() > 1 && one.tensor().shape()[0] == ranks)
            .toList()
        : dealt;
  }

  private static Optional<Extent> extent(Exchange exchange, int ranks, List<HostTensor> data) {
    if (data.stream().allMatch(tensor -> isOneValue(tensor) || isAlike(tensor, 0, 1, ranks))) {
      return Optional.of(Extent.ALL);
    }
    List<HostTensor> cut = data.stream().filter(tensor -> isCutInto(ranks, tensor)).toList();
    if (areInGroups(cut, ranks)) {
      return Optional.of(Extent.GROUPS);
    }
    boolean parts =
        exchange.parts()
            || (exchange.data() && cut.stream().allMatch(tensor -> hasPartForEach(ranks, tensor)));
    return parts && cut.stream().allMatch(tensor -> isAlikeWithin(tensor, ranks))
        ? Optional.of(Extent.WITHIN)
        : Optional.empty();
  }

  private static boolean isCutInto(int ranks, HostTensor tensor) {
    return tensor.rank() > 0 && tensor.shape()[0] % ranks == 0;
  }

  /** True for a share of as many rows as there are ranks, as an exchange by hand deals them out. */
  private static boolean hasPartForEach(int ranks, HostTensor tensor) {
    return tensor.rank() > 2 && tensor.shape()[0] == ranks && tensor.shape()[1] == ranks;
  }

  /**
   * True when the shares of most ranks are those of others, too. That several ranks have nothing,
   * zeros, is what a broadcast looks like: it counts only when no rank's share is the only one of
   * its kind.
   */
  private static boolean areInGroups(List<HostTensor> data, int ranks) {
    // Shares that differ mostly do so in their first elements: few are read to their ends.
    if (twins(data, ranks, BEGINNING).mapToInt(List::size).sum() * 2 <= ranks) {
      return false;
    }
    List<List<HostTensor>> twins =
        twins(data, ranks, Long.MAX_VALUE).flatMap(List::stream).toList();
    long full =
        twins.stream().filter(share -> !share.stream().allMatch(AlikeInputs::isZero)).count();
    return twins.size() == ranks || full * 2 > ranks;
  }

  /**
   * The ranks that get the same as another one, in groups: of each the shares of all tensors.
   *
   * @param most elements of a share that are looked at
   */
  private static Stream<List<List<HostTensor>>> twins(List<HostTensor> data, int ranks, long most) {
    return IntStream.range(0, ranks)
        .mapToObj(rank -> data.stream().map(tensor -> share(tensor, rank, ranks, most)).toList())
        .collect(Collectors.groupingBy(share -> share.stream().map(Content::of).toList()))
        .values()
        .stream()
        .filter(group -> group.size() > 1);
  }

  private static HostTensor share(HostTensor tensor, int rank, int ranks, long most) {
    long size = tensor.elements() / ranks;
    return new HostTensor(
        tensor.buffer(),
        tensor.dtype(),
        new long[] {Math.min(size, most)},
        new long[] {1},
        tensor.offset() + rank * size);
  }

  private static boolean isZero(HostTensor tensor) {
    long start = tensor.offset() * tensor.dtype().bytes();
    MemorySegment first = tensor.buffer().segment().asSlice(start, tensor.dtype().bytes());
    return isOneValue(tensor)
        && IntStream.range(0, tensor.dtype().bytes())
            .allMatch(i -> first.get(ValueLayout.JAVA_BYTE, i) == 0);
  }

  /** True for ones, zeros and the like, which are the same however they are handed out. */
  private static boolean isOneValue(HostTensor tensor) {
    if (!tensor.isContiguous()) {
      return false;
    }
    int width = tensor.dtype().bytes();
    long start = tensor.offset() * width;
    long end = start + tensor.elements() * width;
    MemorySegment memory = tensor.buffer().segment();
    return MemorySegment.mismatch(memory, start, end - width, memory, start + width, end) < 0;
  }

  /** True when one of {@code of} parts of a tensor, cut in so many, holds the same in all. */
  private static boolean isAlike(HostTensor tensor, int part, int of, int parts) {
    long elements = tensor.elements() / of;
    if (elements == 0 || elements % parts != 0) {
      return false;
    }
    int width = tensor.dtype().bytes();
    long start = (tensor.offset() + part * elements) * width;
    long size = elements / parts * width;
    MemorySegment memory = tensor.buffer().segment();
    for (int i = 1; i < parts; i++) {
      long at = start + i * size;
      if (MemorySegment.mismatch(memory, start, start + size, memory, at, at + size) >= 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean isAlikeWithin(HostTensor tensor, int ranks) {
    for (int rank = 0; rank < ranks; rank++) {
      if (!isAlike(tensor, rank, ranks, ranks)) {
        return false;
      }
    }
    return true;
  }

  /** A program in one case, as what another case is given vouches for nothing in it. */
  private record Use(ProgramText program, String test) {}

  /** What to say of the programs whose launches all got such inputs. */
  static List<Remark> remarks(List<Launch> launches) {
    Map<Use, AlikeInputs> alike = new LinkedHashMap<>();
    Set<Use> others = new HashSet<>();
    for (Launch launch : launches) {
      if (launch.alike().isEmpty() && launch.isUnseen()) {
        continue;
      }
      Use use = new Use(launch.program(), launch.test());
      launch
          .alike()
          .ifPresentOrElse(inputs -> alike.putIfAbsent(use, inputs), () -> others.add(use));
    }
    List<Remark> remarks = new ArrayList<>();
    alike.forEach(
        (use, inputs) -> {
          if (!others.contains(use)) {
            remarks.add(inputs.remark(use));
          }
        });
    return InCases.of(remarks);
  }

  private Remark remark(Use use) {
    String program = use.program().name();
    String all = names.stream().map(name -> "'" + name + "'").collect(Collectors.joining(" and "));
    return switch (extent) {
      case ALL ->
          remark(
              use,
              "all ranks get the same in "
                  + all
                  + " of "
                  + program
                  + ", so no check would notice the share of a wrong rank",
              "all ranks got the same in " + all,
              "give each rank values of its own: torch.manual_seed(r) before its torch.randn, or"
                  + " + r");
      case GROUPS ->
          remark(
              use,
              "most ranks get the same as some other rank in "
                  + all
                  + " of "
                  + program
                  + ", so no check would notice the share of the wrong one of them",
              "ranks got the same as others in " + all,
              "give each rank values of its own: torch.manual_seed(r) before its torch.randn, or"
                  + " + r");
      case WITHIN ->
          remark(
              use,
              "all parts of a rank's share of "
                  + all
                  + " of "
                  + program
                  + " are alike, so no check would notice a part that goes to the wrong rank",
              "all parts of a rank's " + all + " alike",
              "let the values differ within a share, too: torch.randn, or + torch.arange(n)");
    };
  }

  private Remark remark(Use use, String message, String brief, String hint) {
    return new Remark(
        Remark.Kind.ALIKE_INPUTS, message, brief, hint, line, use.test(), List.of(use.test()));
  }
}
