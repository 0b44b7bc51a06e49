package io.ringmaster.service.workers;

import io.ringmaster.service.config.Ids;
import org.springframework.stereotype.Component;

/** This process among those that execute runs. */
@Component
class ServiceInstance {

  private final Processes processes;
  private final String id;

  ServiceInstance(Processes processes, Ids ids) {
    this.processes = processes;
    this.id = ids.row();
  }

  String id() {
    return id;
  }

  /** Says that this process lives. */
  void beat() {
    if (!processes.beat(id)) {
      processes.add(id);
    }
  }

  /** For a database that only one process can have open. */
  void beAlone() {
    processes.beAlone(id);
  }

  /** Whether another process of the service was there to hear the workers. */
  boolean hasListeners() {
    return processes.hasListeners(id);
  }

  /** Says that this process ends. */
  void leave() {
    processes.leave(id);
  }
}
