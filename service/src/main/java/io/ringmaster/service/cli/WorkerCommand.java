package io.ringmaster.service.cli;

import io.ringmaster.service.placement.DeviceRanges;
import io.ringmaster.service.placement.DeviceText;
import io.ringmaster.worker.agent.AgentSettings;
import io.ringmaster.worker.agent.WorkerAgent;
import io.ringmaster.worker.external.ExternalRunner;
import io.ringmaster.worker.external.ExternalSettings;
import io.ringmaster.worker.isolated.ChildRunner;
import io.ringmaster.worker.job.JobRunner;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ringmaster worker}: a process that executes a service's runs, on any machine. */
@Command(
    description = {
      "Executes runs of a job service until it is told to end.",
      "SIGTERM lets runs finish for a while; what is left goes back into the queue."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:told to end",
      "2:bad usage, or the service refuses this worker",
      "3:a run didn't stop; start the worker again"
    })
final class WorkerCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;
  @Mixin private ServiceOptions service = new ServiceOptions();

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "for people; default the host's name")
  private @Nullable String name;

  @Option(
      names = "--pool",
      paramLabel = "POOL",
      defaultValue = "sim",
      description = "where its devices belong; default ${DEFAULT-VALUE}")
  private String pool = "sim";

  @Option(
      names = {"-p", "--platforms"},
      paramLabel = "LIST",
      split = ",",
      description = "what it executes; default its cards, without --cards all this process can")
  private @Nullable List<String> platforms;

  @Option(
      names = {"-d", "--devices"},
      paramLabel = "RANGES",
      defaultValue = "0-65535",
      description = "its device ids, such as 0-63 or 0-3,8; default ${DEFAULT-VALUE}")
  private String devices = "0-65535";

  @Option(
      names = "--groups",
      paramLabel = "RANGES",
      description = {
        "devices with links between them, one range for each group, such as 0-7,8-15;",
        "default: all of them are linked"
      })
  private @Nullable String groups;

  @Mixin private CardOptions cards = new CardOptions();

  @Option(
      names = "--slots",
      paramLabel = "N",
      defaultValue = "2",
      description = "runs at once; default ${DEFAULT-VALUE}")
  private int slots;

  @Option(
      names = "--grace",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description = "how long runs may go on after SIGTERM; default ${DEFAULT-VALUE}")
  private long graceSeconds;

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = Objects.requireNonNull(spec, "set by picocli").commandLine().getOut();
    var onCards = cards.runner();
    var runner = ChildRunner.jobs(onCards, requireSlots());
    var agent = new WorkerAgent(settings(onCards, runner), onCards, runner, line -> say(out, line));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(agent), "end"));
    return switch (agent.work()) {
      case TOLD -> ExitCodes.PASSED;
      case REFUSED -> ExitCodes.USAGE_OR_REJECTED;
      case LOST_TO_A_RUN -> ExitCodes.INFRASTRUCTURE;
    };
  }

  private static synchronized void say(PrintWriter out, String line) {
    out.println("ringmaster worker: " + line);
    out.flush();
  }

  private static void end(WorkerAgent agent) {
    try {
      agent.end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private int requireSlots() {
    if (slots < 1 || slots > 256) {
      throw usage("--slots: " + slots + " isn't in 1..256");
    }
    return slots;
  }

  private AgentSettings settings(Optional<ExternalRunner> onCards, JobRunner runner) {
    if (graceSeconds < 0 || graceSeconds > 86_400) {
      throw usage("--grace: " + graceSeconds + " isn't in 0..86400 seconds");
    }
    List<String> ofCards = onCards.map(some -> some.settings().platforms()).orElse(List.of());
    List<String> able = new ArrayList<>(runner.platforms());
    able.addAll(ofCards);
    List<String> offered =
        Objects.requireNonNullElse(platforms, ofCards.isEmpty() ? able : ofCards);
    for (String platform : offered) {
      if (!able.contains(platform)) {
        throw usage(
            "--platforms: this process can't execute '"
                + platform
                + "'; it can "
                + String.join(", ", able)
                + (ExternalSettings.PLATFORMS.contains(platform)
                    ? "; a host with cards needs --cards"
                    : ""));
      }
    }
    var ranges = ranges();
    return new AgentSettings(
        service.address(),
        service.trust(),
        service.token(),
        name == null ? hostName() : name,
        pool,
        offered,
        pairs(ranges.ranges()),
        groups == null ? List.of() : pairs(groups(groups, ranges)),
        slots,
        Duration.ofSeconds(graceSeconds));
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "worker-" + ProcessHandle.current().pid();
    }
  }

  private DeviceRanges ranges() {
    try {
      return DeviceText.ranges(devices, "--devices");
    } catch (IllegalArgumentException e) {
      throw usage(String.valueOf(e.getMessage()));
    }
  }

  private List<DeviceRanges.Range> groups(String text, DeviceRanges ranges) {
    try {
      return DeviceText.groups(text, ranges, "--groups");
    } catch (IllegalArgumentException e) {
      throw usage(String.valueOf(e.getMessage()));
    }
  }

  private static List<List<Integer>> pairs(List<DeviceRanges.Range> ranges) {
    return ranges.stream().map(range -> List.of(range.first(), range.last())).toList();
  }

  private ParameterException usage(String message) {
    return new ParameterException(
        Objects.requireNonNull(spec, "set by picocli").commandLine(), message);
  }
}
