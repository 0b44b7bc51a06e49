package io.ringmaster.worker.job;

import io.ringmaster.worker.device.opencl.Accelerator;
import io.ringmaster.worker.device.opencl.OpenCl;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What platform opencl has to compute with, in words.
 *
 * @param devices one line a device, in the order of their numbers; empty when there is none
 * @param names of the devices, in the same order
 * @param reason why there is none; empty when there is one
 * @param fix what to do about that
 */
public record Accelerators(List<String> devices, List<String> names, String reason, String fix) {

  public Accelerators {
    devices = List.copyOf(devices);
    names = List.copyOf(names);
    if (devices.size() != names.size()) {
      throw new IllegalArgumentException(
          devices.size() + " devices have " + names.size() + " names");
    }
  }

  /** A host without any. */
  public static Accelerators none(String reason, String fix) {
    return new Accelerators(List.of(), List.of(), reason, fix);
  }

  /** Looks once in the life of the process; loads the driver into it. */
  public static Accelerators ofThisProcess() {
    return switch (OpenCl.probe()) {
      case OpenCl.Probe.Available some ->
          new Accelerators(
              some.devices().stream().map(Accelerator::text).toList(),
              some.devices().stream().map(Accelerator::name).toList(),
              "",
              "");
      case OpenCl.Probe.Unavailable none -> none(none.reason(), none.fix());
    };
  }

  public boolean available() {
    return !devices.isEmpty();
  }

  /** The devices that ranks with these ids compute on, each once. */
  public String names(List<Integer> ids) {
    return available()
        ? ids.stream()
            .map(id -> names.get(Math.floorMod(id, names.size())))
            .distinct()
            .collect(Collectors.joining(", "))
        : reason;
  }
}
