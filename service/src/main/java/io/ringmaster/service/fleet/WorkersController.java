package io.ringmaster.service.fleet;

import io.ringmaster.api.model.FailedProbe;
import io.ringmaster.api.model.GoldenError;
import io.ringmaster.api.model.Heartbeat;
import io.ringmaster.api.model.HeartbeatReply;
import io.ringmaster.api.model.Lease;
import io.ringmaster.api.model.LeaseEvents;
import io.ringmaster.api.model.LeaseResult;
import io.ringmaster.api.model.Limits;
import io.ringmaster.api.model.RunMeasures;
import io.ringmaster.api.model.Worker;
import io.ringmaster.api.model.WorkerChange;
import io.ringmaster.api.model.WorkerList;
import io.ringmaster.api.model.WorkerRegistration;
import io.ringmaster.api.server.WorkersApi;
import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.placement.DeviceRanges;
import io.ringmaster.service.placement.DeviceText;
import io.ringmaster.service.platforms.PlatformCatalog;
import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.problems.Quoting;
import io.ringmaster.service.problems.RequestError;
import io.ringmaster.service.problems.RequestError.Kind;
import io.ringmaster.service.problems.RequestErrors;
import io.ringmaster.service.web.Wait;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.Measures;
import io.ringmaster.worker.job.ReportJson;
import io.ringmaster.worker.tensor.DType;
import java.net.URI;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/** The workers' side of the contract. */
@RestController
class WorkersController implements WorkersApi {

  private static final int MOST_SLOTS = 256;

  private final WorkerRegistry workers;
  private final LeaseDesk desk;
  private final PlatformCatalog platforms;
  private final JsonMapper json;
  private final long heartbeatSeconds;

  WorkersController(
      WorkerRegistry workers,
      LeaseDesk desk,
      PlatformCatalog platforms,
      JsonMapper json,
      RingmasterProperties properties) {
    this.workers = workers;
    this.desk = desk;
    this.platforms = platforms;
    this.json = json;
    this.heartbeatSeconds = Math.max(1, properties.workers().heartbeat().toSeconds());
  }

  @Override
  public ResponseEntity<WorkerList> listWorkers() {
    return ResponseEntity.ok(new WorkerList(workers.all().stream().map(this::view).toList()));
  }

  @Override
  public ResponseEntity<Worker> registerWorker(WorkerRegistration worker) {
    check(worker);
    var id =
        workers.register(
            worker.getName(),
            worker.getPool(),
            worker.getPlatforms(),
            worker.getDevices(),
            groups(worker),
            Optional.ofNullable(worker.getSlots()).orElse(1),
            worker.getVersion());
    var view = workers.find(id).map(this::view).orElseThrow();
    return ResponseEntity.created(URI.create("/api/v1/workers/" + id)).body(view);
  }

  private void check(WorkerRegistration worker) {
    var errors = new RequestErrors();
    for (int i = 0; i < worker.getPlatforms().size(); i++) {
      var name = worker.getPlatforms().get(i);
      if (platforms.find(name).isEmpty()) {
        errors.body(
            "/platforms/" + i,
            Kind.BAD_VALUE,
            "There is no platform %s. Known: %s."
                .formatted(Quoting.quote(name), String.join(", ", platforms.names())));
      }
    }
    for (int i = 0; i < worker.getDevices().size(); i++) {
      var range = worker.getDevices().get(i);
      if (range.size() != 2 || range.getFirst() < 0 || range.getFirst() > range.getLast()) {
        errors.body(
            "/devices/" + i,
            Kind.BAD_VALUE,
            "A range of devices is its first id and its last, such as [0, 63], got %s."
                .formatted(range));
      }
    }
    PoolNames.check(worker.getPool(), errors);
    int slots = Optional.ofNullable(worker.getSlots()).orElse(1);
    if (slots < 1 || slots > MOST_SLOTS) {
      errors.body(
          "/slots",
          Kind.OUT_OF_RANGE,
          "slots must be from 1 to %d, got %d.".formatted(MOST_SLOTS, slots));
    }
    for (int i = 0; i < groups(worker).size(); i++) {
      var range = groups(worker).get(i);
      if (range.size() != 2 || range.getFirst() < 0 || range.getFirst() > range.getLast()) {
        errors.body(
            "/groups/" + i,
            Kind.BAD_VALUE,
            "A group is its first device and its last, such as [0, 7], got %s.".formatted(range));
      }
    }
    errors.throwIfAny();
    DeviceText.fault(DeviceRanges.each(groups(worker)), DeviceRanges.of(worker.getDevices()))
        .ifPresent(fault -> errors.body("/groups", Kind.BAD_VALUE, fault + "."));
    errors.throwIfAny();
  }

  private static List<List<Integer>> groups(WorkerRegistration worker) {
    return Optional.ofNullable(worker.getGroups()).orElse(List.of());
  }

  @Override
  public ResponseEntity<Worker> changeWorker(String workerId, WorkerChange change) {
    desk.drain(workerId, change.getAction() == WorkerChange.ActionEnum.DRAIN);
    return ResponseEntity.ok(workers.find(workerId).map(this::view).orElseThrow());
  }

  @Override
  public ResponseEntity<Void> postFailedProbe(String workerId, String leaseId, FailedProbe failed) {
    desk.probeFailed(
        workerId, leaseId, failed.getAttempt(), failed.getDevices(), failed.getMessage());
    return ResponseEntity.noContent().build();
  }

  @Override
  public ResponseEntity<Void> signOffWorker(String workerId) {
    desk.signOff(workerId);
    return ResponseEntity.noContent().build();
  }

  @Override
  public ResponseEntity<Lease> takeLease(String workerId, @Nullable Integer wait) {
    try {
      return desk.take(workerId, Wait.of(wait, null).time())
          .map(WorkersController::view)
          .map(ResponseEntity::ok)
          .orElseGet(() -> ResponseEntity.noContent().build());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return ResponseEntity.noContent().build();
    }
  }

  @Override
  public ResponseEntity<HeartbeatReply> beat(String workerId, String leaseId, Heartbeat beat) {
    boolean stop =
        desk.beat(workerId, leaseId, beat.getAttempt(), Optional.ofNullable(beat.getPhase()));
    return ResponseEntity.ok(new HeartbeatReply(stop));
  }

  @Override
  public ResponseEntity<Void> postEvents(String workerId, String leaseId, LeaseEvents events) {
    desk.printed(workerId, leaseId, events.getAttempt(), events.getLogOffset(), events.getLog());
    return ResponseEntity.noContent().build();
  }

  @Override
  public ResponseEntity<Void> postResult(String workerId, String leaseId, LeaseResult result) {
    desk.finish(
        workerId,
        leaseId,
        result.getAttempt(),
        report(result),
        Optional.ofNullable(result.getOutputs()).orElse(Map.of()),
        Optional.ofNullable(result.getMeasures()).map(WorkersController::measures),
        Optional.ofNullable(result.getBroken())
            .map(broken -> new LeaseDesk.Broken(broken.getDevices(), broken.getMessage())));
    return ResponseEntity.noContent().build();
  }

  private JobReport report(LeaseResult result) {
    try {
      return ReportJson.read(json.writeValueAsString(result.getReport()));
    } catch (IllegalArgumentException e) {
      var problem =
          ProblemException.of(
              ProblemCode.INVALID_REQUEST,
              new RequestError(
                  RequestError.Where.BODY,
                  "/report",
                  Kind.BAD_VALUE,
                  "report is none that this service can read. Let a worker of its version write"
                      + " it."));
      problem.initCause(e);
      throw problem;
    }
  }

  private static Measures measures(RunMeasures measures) {
    return new Measures(
        measures.getPassNanos(),
        measures.getInstructions(),
        IntStream.range(0, measures.getGoldenErrors().size())
            .mapToObj(i -> error(measures.getGoldenErrors().get(i), i))
            .toList());
  }

  private static Measures.GoldenError error(GoldenError error, int index) {
    try {
      return new Measures.GoldenError(DType.valueOf(error.getDtype()), error.getUlps());
    } catch (IllegalArgumentException e) {
      throw ProblemException.of(
          ProblemCode.INVALID_REQUEST,
          new RequestError(
              RequestError.Where.BODY,
              "/measures/goldenErrors/" + index + "/dtype",
              Kind.BAD_VALUE,
              "There is no dtype %s (measures.goldenErrors.%d.dtype). Known: %s."
                  .formatted(
                      Quoting.quote(error.getDtype()), index, Arrays.toString(DType.values()))));
    }
  }

  private Worker view(RemoteWorker worker) {
    var view =
        new Worker(
            worker.id(),
            worker.name(),
            worker.pool(),
            worker.platforms(),
            worker.devices(),
            worker.version(),
            worker.registeredAt().atOffset(ZoneOffset.UTC),
            worker.seenAt().atOffset(ZoneOffset.UTC),
            heartbeatSeconds,
            workers.runs(worker.id()).stream().map(WorkerRegistry.RunKey::runId).toList());
    view.setGroups(worker.groups());
    view.setSlots(worker.slots());
    view.setDraining(worker.draining());
    return view;
  }

  private static Lease view(LeaseDesk.Assignment assignment) {
    var claim = assignment.claim();
    var job = claim.job();
    var limits = job.limits();
    var lease =
        new Lease(
            claim.leaseId(),
            job.id(),
            claim.run().id(),
            claim.attempt(),
            assignment.script(),
            job.scriptName(),
            claim.run().platform(),
            claim.run().devices(),
            claim.run().arguments(),
            job.seed(),
            new Limits(
                limits.wall().toSeconds(),
                limits.scriptSteps(),
                limits.kernelSteps(),
                limits.memoryBytes()));
    var circumstances = job.circumstances();
    lease.setSchedules(circumstances.schedules());
    lease.setConditions(circumstances.conditions());
    lease.setCacheLines(circumstances.cacheLines());
    circumstances.scheduleSeed().ifPresent(lease::setScheduleSeed);
    lease.setProbe(claim.probe());
    return lease;
  }
}
