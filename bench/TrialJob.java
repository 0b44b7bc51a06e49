import com.sun.management.OperatingSystemMXBean;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobRunner;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.RunControl;
import io.ringmaster.worker.source.SourceFile;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How much processor time a warm process takes from the text of a script to its verdict, all its
 * threads together: what it takes to try out checks is the same on a loaded machine, wall time
 * isn't. The verdict has to be PASSED, and the sentence is printed with the time: one that says that
 * something was tried in part only took less.
 *
 * <p>Usage: {@code java -cp ringmaster.jar TrialJob.java SCRIPT RANKS [RUNS [WARM-UPS]]}
 */
public final class TrialJob {

  public static void main(String[] args) throws Exception {
    Path file = Path.of(args[0]);
    int ranks = Integer.parseInt(args[1]);
    int runs = args.length > 2 ? Integer.parseInt(args[2]) : 11;
    int warmUps = args.length > 3 ? Integer.parseInt(args[3]) : 5;
    var source = SourceFile.of(file.getFileName().toString(), Files.readString(file));
    var machine = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    var runner = new JobRunner();
    long[] nanos = new long[runs];
    String sentence = "";
    for (int i = -warmUps; i < runs; i++) {
      long start = machine.getProcessCpuTime();
      JobReport report =
          runner.run(
              new JobSpec(
                  source,
                  "a2a3sim",
                  List.of(IntStream.range(0, ranks).boxed().toList()),
                  List.of(),
                  new JobSpec.Limits(Duration.ofMinutes(10), 50_000_000, 20_000_000_000L, 8L << 30),
                  0),
              RunControl.none());
      if (i >= 0) {
        nanos[i] = machine.getProcessCpuTime() - start;
      }
      sentence = report.sentence();
      if (!report.verdict().name().equals("PASSED")) {
        throw new IllegalStateException(report.verdict() + ": " + sentence);
      }
    }
    Arrays.sort(nanos);
    System.out.printf(
        "%s, %d ranks, text to verdict, processor time: median %.0f ms, best %.0f ms of %d runs after %d; %s%n",
        file.getFileName(), ranks, nanos[runs / 2] / 1e6, nanos[0] / 1e6, runs, warmUps, sentence);
  }
}
