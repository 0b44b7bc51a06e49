package io.ringmaster.service.cli;

import io.ringmaster.api.client.model.Job;
import io.ringmaster.api.client.model.Run;
import io.ringmaster.api.client.model.State;
import io.ringmaster.api.client.model.Waiting;
import java.io.Console;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Waits for a job and says how far it is: on a terminal in one line that changes, else in a line
 * for each change.
 */
final class JobProgress {

  private static final int BAR = 20;

  private final ServiceClient client;
  private final PrintWriter out;
  private final boolean terminal;
  private String shown = "";

  JobProgress(ServiceClient client, PrintWriter out) {
    this.client = client;
    this.out = out;
    this.terminal = Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent();
  }

  /** Returns the job once it is finished. */
  Job await(String id) {
    var version = client.job(id);
    show(version.job());
    while (version.job().getState() != State.FINISHED) {
      var next = client.changed(id, version.tag());
      if (next.isPresent()) {
        version = next.get();
        show(version.job());
      }
    }
    if (terminal && !shown.isEmpty()) {
      out.print("\r" + " ".repeat(shown.length()) + "\r");
      out.flush();
    }
    return version.job();
  }

  private void show(Job job) {
    var line = line(job);
    if (line.equals(shown) || job.getState() == State.FINISHED) {
      return;
    }
    if (terminal) {
      out.print("\r" + line + " ".repeat(Math.max(0, shown.length() - line.length())));
    } else {
      out.println(line);
    }
    out.flush();
    shown = line;
  }

  /** Where a job is: its place in the queue, or what its runs do. */
  static String line(Job job) {
    List<Run> runs = Objects.requireNonNullElse(job.getRuns(), List.of());
    if (job.getState() == State.QUEUED) {
      Waiting waiting = job.getWaiting();
      return waiting == null
          ? job.getId() + "  queued"
          : job.getId() + "  queued: " + waiting.getDetail();
    }
    long finished = runs.stream().filter(run -> run.getState() == State.FINISHED).count();
    var text = new StringBuilder(job.getId());
    if (runs.size() > 1) {
      int filled = (int) (finished * BAR / runs.size());
      text.append("  [").append("#".repeat(filled)).append(".".repeat(BAR - filled)).append("] ");
      text.append(finished).append(" of ").append(runs.size()).append(" runs");
    }
    for (Run run : runs) {
      if (run.getState() == State.RUNNING) {
        text.append("  ").append(run.getDevices().size()).append(" ranks: ");
        text.append(Objects.requireNonNullElse(run.getPhase(), "starting"));
      }
    }
    return text.toString();
  }
}
