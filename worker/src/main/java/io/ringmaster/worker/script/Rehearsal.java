package io.ringmaster.worker.script;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.script.KernelRuntime.Compiled;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A launch that can be run once more, with what one rank gives taken away.
 *
 * @param arguments what each argument held before the launch; an Out argument is only a shape
 * @param shares the arguments of which each rank gets a part along the first axis
 */
record Rehearsal(Compiled program, List<Given> arguments, List<Integer> shares) {

  /**
   * An argument.
   *
   * @param kept what it held; null for one that the kernel only writes
   */
  record Given(HostTensor like, @Nullable Kept kept) {}

  /**
   * Keeps what a launch is given.
   *
   * @param dealt parameters that the ranks get parts of; none where they exchange nothing
   * @param most bytes that may be kept
   * @return empty for a launch of which no rank's share can be taken away
   */
  static Optional<Rehearsal> of(
      Compiled program, Set<String> dealt, List<HostTensor> arguments, long most) {
    List<Function.Param> params = program.entry().params();
    if (dealt.isEmpty() || program.ranks() < 2 || arguments.size() != params.size()) {
      return Optional.empty();
    }
    Set<Object> buffers = new HashSet<>();
    List<Integer> shares = new ArrayList<>();
    long bytes = 0;
    for (int i = 0; i < arguments.size(); i++) {
      HostTensor tensor = arguments.get(i);
      boolean read = params.get(i).direction() != Function.Direction.OUT;
      bytes += read ? tensor.elements() * tensor.dtype().bytes() : 0;
      if (!buffers.add(System.identityHashCode(tensor.buffer()))) {
        return Optional.empty();
      }
      if (read && dealt.contains(params.get(i).name()) && isDealt(tensor, program.ranks())) {
        shares.add(i);
      }
    }
    if (shares.stream().anyMatch(i -> arguments.get(i).dtype().isFloat())) {
      // Whole numbers beside values are counts and places.
      shares.removeIf(i -> !arguments.get(i).dtype().isFloat());
    }
    if (shares.isEmpty() || bytes > most) {
      return Optional.empty();
    }
    List<Given> given = new ArrayList<>();
    for (int i = 0; i < arguments.size(); i++) {
      boolean read = params.get(i).direction() != Function.Direction.OUT;
      given.add(new Given(arguments.get(i), read ? Kept.of(arguments.get(i)) : null));
    }
    return Optional.of(new Rehearsal(program, given, shares));
  }

  private static boolean isDealt(HostTensor tensor, int ranks) {
    return tensor.rank() > 0 && tensor.elements() > 0 && tensor.shape()[0] % ranks == 0;
  }

  long bytes() {
    return arguments.stream()
        .filter(given -> given.kept() != null)
        .mapToLong(given -> given.like().elements() * given.like().dtype().bytes())
        .sum();
  }

  /** Names of the arguments of which a rank's share is taken away. */
  List<String> names() {
    return shares.stream().map(i -> program.entry().params().get(i).name()).toList();
  }

  /** What the arguments hold after a launch, and the kernel instructions that it took. */
  record Run(List<HostTensor> arguments, long steps) {}

  /** Runs it with zeros in the place of a rank's share; empty when it doesn't come to an end. */
  Optional<Run> without(int rank, long steps) {
    List<HostTensor> fresh = new ArrayList<>();
    for (Given given : arguments) {
      HostTensor tensor = HostTensor.zeros(given.like().dtype(), given.like().shape());
      Kept before = given.kept();
      if (before != null) {
        before.restore(tensor);
      }
      fresh.add(tensor);
    }
    for (int share : shares) {
      HostTensor tensor = fresh.get(share);
      Elements elements = Elements.of(tensor.buffer(), tensor.dtype());
      long each = tensor.elements() / program.ranks();
      StridedLoop.over(
          tensor.shape(),
          (position, at) -> {
            if (position / each == rank) {
              elements.setLong(at[0], 0);
            }
          },
          tensor);
    }
    OptionalLong taken = program.rehearse(fresh, steps);
    return taken.isPresent() ? Optional.of(new Run(fresh, taken.getAsLong())) : Optional.empty();
  }
}
