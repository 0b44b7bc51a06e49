import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.JobRunner;
import io.ringmaster.worker.job.JobSpec;
import io.ringmaster.worker.job.RunControl;
import io.ringmaster.worker.source.SourceFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How long a warm process takes from the text of a script to its verdict, every check on: parsing,
 * evaluating the driver, compiling, running and comparing, each time from the start. Nothing is
 * kept from one run to the next but what the JVM has compiled, and the memory of windows, whose
 * content nobody sees again.
 *
 * <p>Usage: {@code java -cp ringmaster.jar WarmJob.java SCRIPT RANKS [RUNS [WARM-UPS [ARGUMENT ...]]]}
 */
public final class WarmJob {

  public static void main(String[] args) throws Exception {
    Path file = Path.of(args[0]);
    int ranks = Integer.parseInt(args[1]);
    int runs = args.length > 2 ? Integer.parseInt(args[2]) : 201;
    int warmUps = args.length > 3 ? Integer.parseInt(args[3]) : 1000;
    List<String> arguments = List.of(args).subList(Math.min(4, args.length), args.length);
    String text = Files.readString(file);
    var runner = new JobRunner();
    long[] nanos = new long[runs];
    long[] kernel = new long[runs];
    for (int i = -warmUps; i < runs; i++) {
      long start = System.nanoTime();
      JobReport report =
          runner
              .run(
                  new JobSpec(
                      new SourceFile(file.getFileName().toString(), text),
                      ranks > 64 ? "sim" : "a2a3sim",
                      List.of(IntStream.range(0, ranks).boxed().toList()),
                      arguments,
                      new JobSpec.Limits(Duration.ofMinutes(10), 50_000_000, 20_000_000_000L, 8L << 30),
                      0),
                  RunControl.none());
      if (i >= 0) {
        nanos[i] = System.nanoTime() - start;
        kernel[i] = report.runs().getFirst().timings().runWallNanos();
      }
      if (!report.verdict().name().equals("PASSED")) {
        throw new IllegalStateException(report.verdict() + ": " + report.sentence());
      }
    }
    Arrays.sort(nanos);
    Arrays.sort(kernel);
    System.out.printf(
        "%s, %d ranks, text to verdict: median %.3f ms, best %.3f ms; kernels alone: median %.3f ms, best %.3f ms; of %d runs after %d%n",
        file.getFileName(),
        ranks,
        nanos[runs / 2] / 1e6,
        nanos[0] / 1e6,
        kernel[runs / 2] / 1e6,
        kernel[0] / 1e6,
        runs,
        warmUps);
  }
}
