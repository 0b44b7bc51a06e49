package io.ringmaster.worker.engine;

import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.fabric.FabricListener;
import io.ringmaster.worker.fabric.KeptWindows;
import io.ringmaster.worker.ir.Program;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * One run of a lowered program.
 *
 * @param deviceIds rank r runs on the r-th device; their number is the world size
 * @param arguments one tensor per parameter of the HOST function, in order; outputs are written
 *     into them
 * @param seed 0 for the plain order; any other value perturbs the order of simultaneous events and
 *     the delays, always in the same way for the same seed
 * @param cancelled asked now and then; the run stops soon after it says true
 * @param work the functions of the program that run on the host
 * @param conditions how the machine differs from the calibrated one
 * @param timingOnly whether only time passes: no values are computed or moved
 * @param kept what the windows hold at the start; what they hold at the end goes there
 */
public record RunRequest(
    Program program,
    HardwareProfile profile,
    List<Integer> deviceIds,
    List<HostTensor> arguments,
    long seed,
    Limits limits,
    List<FabricListener> listeners,
    BooleanSupplier cancelled,
    HostWork work,
    List<Condition> conditions,
    boolean timingOnly,
    Optional<KeptWindows> kept) {

  public RunRequest {
    conditions = List.copyOf(conditions);
    deviceIds = List.copyOf(deviceIds);
    arguments = List.copyOf(arguments);
    listeners = List.copyOf(listeners);
  }

  /** A run without host work. */
  public RunRequest(
      Program program,
      HardwareProfile profile,
      List<Integer> deviceIds,
      List<HostTensor> arguments,
      long seed,
      Limits limits,
      List<FabricListener> listeners,
      BooleanSupplier cancelled) {
    this(
        program,
        profile,
        deviceIds,
        arguments,
        seed,
        limits,
        listeners,
        cancelled,
        HostWork.NONE,
        List.of(),
        false,
        Optional.empty());
  }

  /** A run in the plain order under the default limits. */
  public static RunRequest of(
      Program program,
      HardwareProfile profile,
      List<Integer> deviceIds,
      List<HostTensor> arguments,
      List<FabricListener> listeners) {
    return new RunRequest(
        program, profile, deviceIds, arguments, 0, Limits.DEFAULT, listeners, () -> false);
  }

  public int worldSize() {
    return deviceIds.size();
  }
}
