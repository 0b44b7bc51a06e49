package io.ringmaster.service.cli;

import io.ringmaster.api.client.model.Job;
import io.ringmaster.api.client.model.JobSubmission;
import io.ringmaster.api.client.model.LimitsRequest;
import io.ringmaster.api.client.model.Priority;
import io.ringmaster.worker.engine.Condition;
import io.ringmaster.worker.job.Exploration;
import io.ringmaster.worker.job.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ringmaster submit}: a script as a job of a service. */
@Command(
    description = "Submits a kernel script to a job service.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:submitted; with --wait, PASSED",
      "1:with --wait, any other verdict",
      "2:bad usage, refused or REJECTED",
      "3:infrastructure, not the kernel",
      "4:with --baseline, PASSED but changed, and not approved"
    })
final class SubmitCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;
  @Mixin private ScriptOptions script = new ScriptOptions();
  @Mixin private ConditionOptions conditions = new ConditionOptions();
  @Mixin private ExplorationOptions exploration = new ExplorationOptions();
  @Mixin private ClientOptions service = new ClientOptions();
  @Mixin private ReportOptions report = new ReportOptions();
  @Mixin private BaselineOptions baseline = new BaselineOptions();

  @Option(names = "--name", paramLabel = "NAME", description = "the job's name in lists")
  private @Nullable String name;

  @Option(
      names = "--label",
      paramLabel = "KEY=VALUE",
      description = "a label such as branch=main; may be repeated")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(
      names = "--priority",
      paramLabel = "PRIORITY",
      description = "LOW, NORMAL or HIGH; jobs of higher priority start first")
  private @Nullable String priority;

  @Option(names = "--pool", paramLabel = "POOL", description = "the pool to run in; default any")
  private @Nullable String pool;

  @Option(names = "--wait", description = "wait for the verdict; the exit code says it")
  private boolean wait;

  @Override
  public Integer call() throws IOException {
    var line = Objects.requireNonNull(spec, "set by picocli").commandLine();
    var client = service.client();
    report.requireWritable();
    baseline.check(wait);
    if (!wait && report.areGiven()) {
      throw new ParameterException(line, "--json and --junit need --wait: they show the verdict");
    }
    Job job = client.submit(submission(line.getCommandSpec()));
    if (!wait) {
      line.getOut().println(job.getId());
      line.getOut().flush();
      return ExitCodes.PASSED;
    }
    new JobProgress(client, line.getErr()).await(job.getId());
    int verdict = report.show(client, job.getId(), script.file().toString(), line.getOut());
    // Behind --json nothing else may be printed.
    return baseline.compare(
        client, job.getId(), verdict, report.isJson() ? line.getErr() : line.getOut());
  }

  private JobSubmission submission(CommandSpec command) throws IOException {
    List<String> platforms = script.platforms();
    JobSpec job = script.onFirst();
    Exploration orders = exploration.exploration(job.seed());
    Path file = script.file();
    var submission =
        new JobSubmission()
            .script(Files.readString(file))
            .scriptName(Objects.requireNonNull(file.getFileName(), "a file has a name").toString())
            .name(name)
            .devices(script.deviceRequests())
            .pool(pool)
            .arguments(job.arguments())
            .seed(job.seed())
            .schedules(orders.schedules())
            .scheduleSeed(orders.scheduleSeed())
            .cacheLines(orders.cacheLines())
            .conditions(
                conditions.conditions(job.fewestRanks()).stream().map(Condition::text).toList())
            .labels(labels)
            .limits(new LimitsRequest().wallSeconds(job.limits().wall().toSeconds()));
    if (platforms.size() == 1) {
      submission.platform(job.platform());
    } else {
      submission.platforms(platforms);
    }
    if (priority != null) {
      submission.priority(Choice.of(Priority.values(), priority, "--priority", command));
    }
    return submission;
  }
}
