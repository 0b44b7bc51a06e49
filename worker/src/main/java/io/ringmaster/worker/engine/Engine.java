package io.ringmaster.worker.engine;

import io.ringmaster.worker.codegen.CompiledFunction;
import io.ringmaster.worker.codegen.Executable;
import io.ringmaster.worker.codegen.Machine;
import io.ringmaster.worker.codegen.OperationCounts;
import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.DeviceMemoryFull;
import io.ringmaster.worker.device.opencl.OpenCl;
import io.ringmaster.worker.device.sim.SimDevice;
import io.ringmaster.worker.device.timing.TimingDevice;
import io.ringmaster.worker.fabric.BlockedRank;
import io.ringmaster.worker.fabric.Fabric;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.KernelFault;
import io.ringmaster.worker.fabric.MemoryLimitExceeded;
import io.ringmaster.worker.fabric.SpareMemory;
import io.ringmaster.worker.source.Diagnostic;
import io.ringmaster.worker.source.DiagnosticException;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.stop.StopOrder;
import io.ringmaster.worker.tensor.HostTensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs lowered programs on simulated devices and accelerators. An engine may be shared between
 * threads; each run stays on its caller's thread. The same request gives the same events and
 * outcome, wall times apart.
 */
public final class Engine {

  private static final String HEAP_FULL =
      "memory limit of this worker: tiles, dispatches and events of the kernel don't fit into its"
          + " Java heap of "
          + Runtime.getRuntime().maxMemory()
          + " bytes; use smaller tiles or fewer steps";

  private final Device computing = new SimDevice();
  private final Device timing = new TimingDevice();
  private final SpareMemory spare;
  private final Executables executables;

  /** An engine whose runs hand memory to each other. */
  public Engine() {
    this(new SpareMemory(), new Executables());
  }

  /** An engine that shares memory and compiled programs with others. */
  public Engine(SpareMemory spare, Executables executables) {
    this.spare = spare;
    this.executables = executables;
  }

  /**
   * Runs a program to its end.
   *
   * @throws DiagnosticException when devices, arguments or the HOST code's plan break a rule; no
   *     rank has run then
   */
  public RunOutcome run(RunRequest request) {
    return run(request, /* waiting= */ true);
  }

  private RunOutcome run(RunRequest request, boolean waiting) {
    Meter meter = new Meter(request.limits(), request.cancelled());
    Executable executable = executables.of(request.program());
    CompiledFunction entry = executable.entry();
    ArgumentCheck.check(entry.source(), request);
    Findings findings = new Findings();
    try (Device device = device(request);
        var fabric =
            new Fabric(
                request.listeners(),
                request.limits().memoryBytes(),
                request.timingOnly(),
                spare,
                device.isAsynchronous() ? device : null);
        // Before the fabric gives memory back, nobody uses it any more.
        Settling _ = device::settle) {
      var planner = new HostPlanner(request.program(), request, fabric, device, meter, findings);
      var host =
          new Machine(
              Machine.HOST,
              planner,
              fabric,
              device,
              request.profile().cost(),
              new OperationCounts());
      var run = new Run(request, meter, findings, planner, host, executable.signalsGrow(), waiting);
      try {
        plan(host, entry, planner, request);
      } catch (RunStop stop) {
        return run.outcome(stop.status(), stop.sentence(), null, List.of());
      } catch (StopOrder.Stopped _) {
        RunStop stop = meter.ordered();
        return run.outcome(stop.status(), stop.sentence(), null, List.of());
      } catch (MemoryLimitExceeded stop) {
        return run.outcome(RunOutcome.Status.RESOURCE, stop.sentence(), null, List.of());
      } catch (OutOfMemoryError _) {
        return run.outcome(RunOutcome.Status.RESOURCE, HEAP_FULL, null, List.of());
      }
      Coverage.check(planner.tasks(), findings);
      RunOutcome outcome = simulate(request, fabric, device, planner, run);
      planner.bringHome();
      return outcome;
    } catch (DeviceMemoryFull full) {
      // Before the ranks run, or after; what happens while they do is simulate's.
      return new RunOutcome(
          RunOutcome.Status.RESOURCE,
          Objects.requireNonNull(full.getMessage()),
          "",
          findings.list(),
          List.of(),
          Run.operations(new OperationCounts()),
          0,
          0,
          meter.wallNanos(),
          meter.executed(List.of()),
          request.profile().cost().name(),
          Optional.empty());
    }
  }

  /** Waits for the device at the end of a block, however that ends. */
  @FunctionalInterface
  private interface Settling extends AutoCloseable {
    @Override
    void close();
  }

  private Device device(RunRequest request) {
    if (request.timingOnly()) {
      return timing;
    }
    return request.profile().isSimulated() ? computing : OpenCl.open(request.deviceIds());
  }

  private static void plan(
      Machine host, CompiledFunction entry, HostPlanner planner, RunRequest request) {
    @Nullable Object[] arguments = new @Nullable Object[request.arguments().size()];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] =
          planner.view(request.arguments().get(i), entry.source().params().get(i).name());
    }
    try {
      host.start(entry, arguments, Map.of());
      host.run();
    } catch (KernelFault fault) {
      Finding finding = fault.finding();
      Span span = finding.places().isEmpty() ? Span.NONE : finding.places().getFirst().span();
      String message = finding.message() + shortTensor(entry, request, finding.message());
      throw new DiagnosticException(Diagnostic.error(message, finding.hint(), span));
    }
  }

  /** What a slice past a tensor's first dimension usually means. */
  private static String shortTensor(CompiledFunction entry, RunRequest request, String message) {
    for (int i = 0; i < request.arguments().size(); i++) {
      HostTensor tensor = request.arguments().get(i);
      String name = "'" + entry.source().params().get(i).name() + "'";
      if (tensor.rank() > 0 && tensor.shape()[0] < request.worldSize() && message.contains(name)) {
        return " (leading dim " + tensor.shape()[0] + " < world_size " + request.worldSize() + ")";
      }
    }
    return "";
  }

  private RunOutcome simulate(
      RunRequest request, Fabric fabric, Device device, HostPlanner planner, Run run) {
    var simulation =
        new Simulation(
            planner.tasks(),
            fabric,
            device,
            request.profile().cost(),
            SchedulePolicy.of(request.seed()),
            run.meter(),
            run.findings(),
            request.work(),
            request.conditions(),
            run.signalsGrow() && !fabric.ordered() && request.seed() == 0,
            () -> Foresight.of(request, freely -> run(freely, /* waiting= */ false)));
    if (!run.waiting()) {
      simulation.waitForNobody();
    }
    try {
      planner.watch();
      boolean finished = simulation.run();
      device.settle();
      if (finished) {
        planner.overwritten();
        request.kept().ifPresent(fabric::keep);
        return run.outcome(
            RunOutcome.Status.FINISHED, "every dispatch finished", simulation, List.of());
      }
      List<BlockedRank> blocked = simulation.blocked(null);
      return run.outcome(
          RunOutcome.Status.DEADLOCK,
          blocked.size() + " rank(s) wait and no notify can come",
          simulation,
          blocked);
    } catch (KernelFault fault) {
      Finding finding = fault.finding();
      Integer culprit = Simulation.culprit(finding).orElse(null);
      return run.fault(finding, simulation, simulation.blocked(culprit));
    } catch (HostWorkFailed failed) {
      return run.raised(failed, simulation);
    } catch (RunStop stop) {
      return run.outcome(stop.status(), stop.sentence(), simulation, simulation.blocked(null));
    } catch (StopOrder.Stopped _) {
      RunStop stop = run.meter().ordered();
      return run.outcome(stop.status(), stop.sentence(), simulation, simulation.blocked(null));
    } catch (MemoryLimitExceeded stop) {
      return run.outcome(
          RunOutcome.Status.RESOURCE, stop.sentence(), simulation, simulation.blocked(null));
    } catch (DeviceMemoryFull full) {
      return run.outcome(
          RunOutcome.Status.RESOURCE,
          Objects.requireNonNull(full.getMessage()),
          simulation,
          simulation.blocked(null));
    } catch (OutOfMemoryError _) {
      return run.outcome(RunOutcome.Status.RESOURCE, HEAP_FULL, simulation, List.of());
    }
  }

  /** What an outcome is made of. */
  private record Run(
      RunRequest request,
      Meter meter,
      Findings findings,
      HostPlanner planner,
      Machine host,
      boolean signalsGrow,
      boolean waiting) {

    RunOutcome fault(Finding fault, Simulation simulation, List<BlockedRank> blocked) {
      List<Finding> all = new ArrayList<>();
      all.add(Simulation.withThoseThatWait(fault, blocked));
      all.addAll(findings.list());
      return outcome(RunOutcome.Status.FAULT, fault.message(), simulation, blocked, all);
    }

    /** What was found up to here stands, whatever the work threw. */
    RunOutcome raised(HostWorkFailed failed, Simulation simulation) {
      return outcome(
          RunOutcome.Status.FAULT,
          "host work '" + failed.function() + "' failed",
          simulation,
          List.of(),
          findings.list(),
          Optional.of(failed.thrown()));
    }

    RunOutcome outcome(
        RunOutcome.Status status,
        String sentence,
        @Nullable Simulation simulation,
        List<BlockedRank> blocked) {
      return outcome(status, sentence, simulation, blocked, findings.list());
    }

    private RunOutcome outcome(
        RunOutcome.Status status,
        String sentence,
        @Nullable Simulation simulation,
        List<BlockedRank> blocked,
        List<Finding> all) {
      return outcome(status, sentence, simulation, blocked, all, Optional.empty());
    }

    private RunOutcome outcome(
        RunOutcome.Status status,
        String sentence,
        @Nullable Simulation simulation,
        List<BlockedRank> blocked,
        List<Finding> all,
        Optional<RuntimeException> raised) {
      List<Machine> machines = new ArrayList<>();
      machines.add(host);
      if (simulation != null) {
        machines.addAll(simulation.machines());
      }
      return new RunOutcome(
          status,
          sentence,
          status == RunOutcome.Status.TIMED_OUT || status == RunOutcome.Status.CANCELLED
              ? at(simulation, meter.executed(machines))
              : "",
          all,
          blocked,
          operations(simulation == null ? new OperationCounts() : simulation.counts()),
          planner.planned(),
          simulation == null ? 0 : simulation.virtualNanos(),
          meter.wallNanos(),
          meter.executed(machines),
          request.profile().cost().name(),
          raised);
    }

    private String at(@Nullable Simulation simulation, long steps) {
      Optional<String> place =
          simulation != null
              ? simulation.whereabouts()
              : Optional.of(host).filter(Machine::isRunning).map(Machine::whereabouts);
      return place.map(where -> where + ", after " + steps + " kernel instructions").orElse("");
    }

    private static RunOutcome.Operations operations(OperationCounts counts) {
      return new RunOutcome.Operations(
          counts.notifies(),
          counts.waits(),
          counts.puts(),
          counts.gets(),
          counts.remoteLoads(),
          counts.remoteStores());
    }
  }
}
