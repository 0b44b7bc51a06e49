package io.ringmaster.worker.ir;

import java.util.List;
import java.util.Optional;

/**
 * A compiled unit: one HOST orchestrator and what it calls.
 *
 * @param domains communication domains; empty until the domain pass ran
 */
public record Program(String name, List<Function> functions, List<Domain> domains) {

  public Program {
    functions = List.copyOf(functions);
    domains = List.copyOf(domains);
  }

  public Optional<Function> function(String wanted) {
    return functions.stream().filter(f -> f.name().equals(wanted)).findFirst();
  }

  /**
   * Windows that the same ranks share.
   *
   * @param devices global ranks in ascending order; empty for "every rank"
   * @param buffers names of the window buffers, in declaration order
   */
  public record Domain(String name, List<Integer> devices, List<String> buffers) {
    public Domain {
      devices = List.copyOf(devices);
      buffers = List.copyOf(buffers);
    }

    public boolean coversAll() {
      return devices.isEmpty();
    }
  }
}
