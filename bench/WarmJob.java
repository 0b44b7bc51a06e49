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
 * evaluating the driver, compiling, running and comparing. A runner keeps syntax trees and compiled
 * programs by their content, so every second text is one that it hasn't seen for long, the others
 * are one and the same; both are shown.
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
    long[] kernel = new long[runs];
    long[][] nanos = new long[2][runs];
    for (int i = -2 * warmUps; i < 2 * runs; i++) {
      // Other lines make it another program; more of them than are kept.
      String source = i % 2 == 0 ? text : "\n".repeat(1 + Math.floorMod(i, 1000)) + text;
      long start = System.nanoTime();
      JobReport report =
          runner
              .run(
                  new JobSpec(
                      new SourceFile(file.getFileName().toString(), source),
                      ranks > 64 ? "sim" : "a2a3sim",
                      List.of(IntStream.range(0, ranks).boxed().toList()),
                      arguments,
                      new JobSpec.Limits(Duration.ofMinutes(10), 50_000_000, 20_000_000_000L, 8L << 30),
                      0),
                  RunControl.none());
      if (i >= 0) {
        nanos[i % 2][i / 2] = System.nanoTime() - start;
        kernel[i / 2] = report.runs().getFirst().timings().runWallNanos();
      }
      if (!report.verdict().name().equals("PASSED")) {
        throw new IllegalStateException(report.verdict() + ": " + report.sentence());
      }
    }
    Arrays.sort(kernel);
    for (int known = 0; known < 2; known++) {
      Arrays.sort(nanos[known]);
      System.out.printf(
          "%s, %d ranks, text to verdict, a text that is %s: median %.3f ms, best %.3f ms; kernels alone: median %.3f ms, best %.3f ms; of %d runs after %d%n",
          file.getFileName(),
          ranks,
          known == 0 ? "known" : "new",
          nanos[known][runs / 2] / 1e6,
          nanos[known][0] / 1e6,
          kernel[runs / 2] / 1e6,
          kernel[0] / 1e6,
          runs,
          warmUps);
    }
  }
}
