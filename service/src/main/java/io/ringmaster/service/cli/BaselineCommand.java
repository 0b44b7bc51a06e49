package io.ringmaster.service.cli;

import io.ringmaster.api.client.model.Approved;
import java.io.PrintWriter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ringmaster baseline}: approved results of a service. */
@Command(
    name = "baseline",
    description = "Lists, shows, approves and compares with approved results.",
    mixinStandardHelpOptions = true)
final class BaselineCommand implements Runnable {

  private static final int MOST = 200;

  @Spec private @Nullable CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        Objects.requireNonNull(spec, "set by picocli").commandLine(),
        "Name what to do: list, show, history, approve or compare.");
  }

  private PrintWriter out() {
    return Objects.requireNonNull(spec, "set by picocli").commandLine().getOut();
  }

  @Command(description = "Lists the baselines.", mixinStandardHelpOptions = true)
  int list(
      @Mixin ClientOptions service,
      @Option(names = "--json", description = "as the service has them, as JSON") boolean json) {
    var all = service.client().baselines(MOST);
    if (json) {
      out().println(ServiceClient.json(all));
    } else {
      var table = new Table("baseline", "owner", "updated", "jobs");
      all.getBaselines()
          .forEach(
              one ->
                  table.row(
                      one.getName(),
                      one.getOwner(),
                      one.getUpdatedAt().truncatedTo(ChronoUnit.SECONDS),
                      String.join(", ", one.getApprovedNames())));
      out().print(table.render());
    }
    out().flush();
    return ExitCodes.PASSED;
  }

  @Command(
      description = "Shows what stands in a baseline for each job name.",
      mixinStandardHelpOptions = true)
  int show(
      @Mixin ClientOptions service,
      @Parameters(paramLabel = "NAME", description = "the baseline") String name,
      @Option(names = "--json", description = "as the service has it, as JSON") boolean json) {
    var baseline = service.client().baseline(name);
    if (baseline.isEmpty()) {
      throw usage("there is no baseline " + name);
    }
    if (json) {
      out().println(ServiceClient.json(baseline.get().baseline()));
    } else {
      out().print(table(baseline.get().baseline().getApproved()));
    }
    out().flush();
    return ExitCodes.PASSED;
  }

  @Command(
      description = "Shows every approval in a baseline, newest first.",
      mixinStandardHelpOptions = true)
  int history(
      @Mixin ClientOptions service,
      @Parameters(paramLabel = "NAME", description = "the baseline") String name,
      @Option(names = "--json", description = "as the service has them, as JSON") boolean json) {
    var history = service.client().history(name, MOST);
    out().print(json ? ServiceClient.json(history) + "\n" : table(history));
    out().flush();
    return ExitCodes.PASSED;
  }

  @Command(
      description = "Lets a finished job's results stand for its name from now on.",
      mixinStandardHelpOptions = true)
  int approve(
      @Mixin ClientOptions service,
      @Parameters(index = "0", paramLabel = "NAME", description = "the baseline") String name,
      @Parameters(index = "1", paramLabel = "JOB", description = "the job's id") String job,
      @Option(names = "--note", defaultValue = "", description = "why, for the history")
          String note,
      @Option(names = "--anyway", description = "also when the job isn't PASSED") boolean anyway) {
    var client = service.client();
    var baseline = client.approve(name, job, note, anyway, client.baseline(name));
    out().print(table(baseline.getApproved()));
    out().flush();
    return ExitCodes.PASSED;
  }

  @Command(
      description = {
        "Says what is new, same, changed or fixed in a finished job.",
        "Exit codes: 0 new, same or fixed; 4 changed; 2 not comparable."
      },
      mixinStandardHelpOptions = true)
  int compare(
      @Mixin ClientOptions service,
      @Parameters(index = "0", paramLabel = "NAME", description = "the baseline") String name,
      @Parameters(index = "1", paramLabel = "JOB", description = "the job's id") String job,
      @Option(
              names = "--compare-anyway",
              description = "also what was run on other devices or in another state")
          boolean anyway,
      @Option(names = "--json", description = "all numbers, as JSON") boolean json) {
    var comparison = service.client().compare(job, name, anyway);
    out().println(json ? ServiceClient.json(comparison) : comparison.getSentence());
    out().flush();
    return ExitCodes.of(ExitCodes.PASSED, comparison.getKind());
  }

  private ParameterException usage(String message) {
    return new ParameterException(
        Objects.requireNonNull(spec, "set by picocli").commandLine(), message);
  }

  private static String table(List<Approved> approved) {
    var table = new Table("job", "revision", "from", "labels", "runs", "approved by", "at", "note");
    for (var one : approved) {
      table.row(
          one.getName(),
          one.getRevision(),
          one.getJobId(),
          one.getLabels().entrySet().stream()
              .map(label -> label.getKey() + "=" + label.getValue())
              .collect(Collectors.joining(" ")),
          one.getRuns().size(),
          one.getApprovedBy(),
          one.getApprovedAt().truncatedTo(ChronoUnit.SECONDS),
          one.getNote());
    }
    return table.render();
  }
}
