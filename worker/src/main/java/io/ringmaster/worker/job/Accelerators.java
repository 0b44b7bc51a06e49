package io.ringmaster.worker.job;

import io.ringmaster.worker.device.opencl.Accelerator;
import io.ringmaster.worker.device.opencl.OpenCl;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What platform opencl has to compute with on this host, in words.
 *
 * @param devices one line a device, in the order of their numbers; empty when there is none
 * @param reason why there is none; empty when there is one
 * @param fix what to do about that
 */
public record Accelerators(List<String> devices, String reason, String fix) {

  /** Looks once in the life of the process; loads the driver into it. */
  public static Accelerators ofThisHost() {
    return switch (OpenCl.probe()) {
      case OpenCl.Probe.Available some ->
          new Accelerators(some.devices().stream().map(Accelerator::text).toList(), "", "");
      case OpenCl.Probe.Unavailable none -> new Accelerators(List.of(), none.reason(), none.fix());
    };
  }

  public boolean available() {
    return !devices.isEmpty();
  }

  /** The devices that ranks with these ids compute on, each once. */
  static String names(List<Integer> ids) {
    return switch (OpenCl.probe()) {
      case OpenCl.Probe.Available some ->
          ids.stream().map(id -> some.of(id).name()).distinct().collect(Collectors.joining(", "));
      case OpenCl.Probe.Unavailable none -> none.reason();
    };
  }
}
