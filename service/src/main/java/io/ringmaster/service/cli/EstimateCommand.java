package io.ringmaster.service.cli;

import io.ringmaster.worker.device.CostModel;
import io.ringmaster.worker.device.HardwareProfile;
import io.ringmaster.worker.engine.Condition;
import io.ringmaster.worker.job.ReportJson;
import io.ringmaster.worker.trial.Estimate;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ringmaster estimate}: which algorithm is the cheapest, and from which size on. */
@Command(
    description = "Compares the algorithms of a collective in virtual time.",
    mixinStandardHelpOptions = true)
final class EstimateCommand implements Callable<Integer> {

  private static final long SMALLEST = 1L << 8;
  private static final long LARGEST = 1L << 22;

  @Spec private @Nullable CommandSpec spec;
  @Mixin private CollectiveOptions collective = new CollectiveOptions();
  @Mixin private ConditionOptions conditions = new ConditionOptions();

  @Option(
      names = "--no-plot",
      description = "only the size asked for, without the comparison over sizes")
  private boolean noPlot;

  @Option(names = "--json", description = "print everything as JSON instead")
  private boolean json;

  /** What {@code --json} prints. */
  private record Report(
      String collective,
      String platform,
      int ranks,
      String costModel,
      Map<String, String> provenance,
      List<String> conditions,
      List<Estimate.Line> algorithms,
      Estimate.@Nullable Sweep sweep) {}

  @Override
  public Integer call() {
    HardwareProfile profile = collective.profile();
    String name = collective.collective();
    List<Condition> changed = conditions.conditions(collective.ranks());
    var estimate = new Estimate(name, profile, collective.ranks(), changed);
    List<Estimate.Line> lines = estimate.compare(collective.bytes());
    boolean sized = !name.equals("barrier");
    boolean any = lines.getFirst().isPredicted();
    Estimate.Sweep sweep =
        noPlot || !sized || !any
            ? null
            : estimate.sweep(SMALLEST, Math.max(LARGEST, collective.bytes()));
    PrintWriter out = Objects.requireNonNull(spec, "set by picocli").commandLine().getOut();
    CostModel cost = profile.cost();
    if (json) {
      out.println(
          ReportJson.print(
              new Report(
                  name,
                  profile.platform(),
                  collective.ranks(),
                  cost.name(),
                  cost.provenance(),
                  changed.stream().map(Condition::text).toList(),
                  lines,
                  sweep)));
    } else {
      out.print(EstimatePrinter.print(name, profile, collective.ranks(), lines, sweep));
    }
    out.flush();
    return any ? 0 : ExitCodes.USAGE_OR_REJECTED;
  }
}
