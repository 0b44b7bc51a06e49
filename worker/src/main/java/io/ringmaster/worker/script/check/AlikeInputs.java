package io.ringmaster.worker.script.check;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.script.Remark;
import io.ringmaster.worker.tensor.HostTensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Inputs in which all ranks get the same: a kernel that takes the share of the wrong rank then gets
 * what it should have, and no check can tell.
 *
 * @param names parameters
 * @param line of the script that made the first of them
 * @param within true when it isn't the ranks' shares that are alike, but the parts of each share
 */
record AlikeInputs(List<String> names, int line, boolean within) {

  /** Looks at what a launch is given; empty when a wrong share would show. */
  static Optional<AlikeInputs> of(Exchange exchange, int ranks, List<Launch.Given> arguments) {
    if (ranks < 2 || !exchange.data()) {
      return Optional.empty();
    }
    List<Launch.Given> shares =
        arguments.stream()
            .filter(one -> one.parameter().direction() != Function.Direction.OUT)
            .filter(one -> exchange.dealt().contains(one.parameter().name()))
            .filter(one -> one.tensor().rank() > 0 && one.tensor().shape()[0] % ranks == 0)
            .toList();
    boolean values = shares.stream().anyMatch(one -> one.tensor().dtype().isFloat());
    List<Launch.Given> data =
        shares.stream().filter(one -> one.tensor().dtype().isFloat() == values).toList();
    if (data.isEmpty() || data.stream().anyMatch(Launch.Given::ofKernel)) {
      return Optional.empty();
    }
    if (data.stream().allMatch(one -> isAlike(one.tensor(), 0, 1, ranks))) {
      return Optional.of(found(data, /* within= */ false));
    }
    boolean within =
        exchange.parts() && data.stream().allMatch(one -> isAlikeWithin(one.tensor(), ranks));
    return within ? Optional.of(found(data, /* within= */ true)) : Optional.empty();
  }

  private static AlikeInputs found(List<Launch.Given> data, boolean within) {
    List<String> names = data.stream().map(one -> one.parameter().name()).toList();
    return new AlikeInputs(names, data.getFirst().line(), within);
  }

  /** True when one of {@code of} parts of a tensor, cut in so many, holds the same in all. */
  private static boolean isAlike(HostTensor tensor, int part, int of, int parts) {
    long elements = tensor.elements() / of;
    if (!tensor.isContiguous() || elements == 0 || elements % parts != 0) {
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
  static List<Remark> remarks(Launches launches) {
    Map<Use, AlikeInputs> alike = new LinkedHashMap<>();
    Set<Use> others = new HashSet<>();
    for (Launch launch : launches.all()) {
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
    return within
        ? new Remark(
            Remark.Kind.ALIKE_INPUTS,
            "all parts of a rank's share of "
                + all
                + " of "
                + program
                + " are alike, so no check would notice a part that goes to the wrong rank",
            "all parts of a rank's " + all + " alike",
            "let the values differ within a share, too: torch.randn, or + torch.arange(n)",
            line,
            use.test(),
            List.of(use.test()))
        : new Remark(
            Remark.Kind.ALIKE_INPUTS,
            "all ranks get the same in "
                + all
                + " of "
                + program
                + ", so no check would notice the share of a wrong rank",
            "all ranks got the same in " + all,
            "give each rank values of its own: torch.manual_seed(r) before its torch.randn, or + r",
            line,
            use.test(),
            List.of(use.test()));
  }
}
