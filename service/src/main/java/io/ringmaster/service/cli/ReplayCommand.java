package io.ringmaster.service.cli;

import io.ringmaster.worker.isolated.ChildRunner;
import io.ringmaster.worker.job.Bundle;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.RunControl;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ringmaster replay}: a bundle of {@code run --bundle} again, event for event. */
@Command(
    description = "Repeats the run of a bundle and compares the reports, wall times apart.",
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:PASSED, and the same report",
      "1:any other verdict, and the same report",
      "2:bad usage or REJECTED",
      "3:another report than the bundle's"
    })
final class ReplayCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;
  @Mixin private ReportOptions report = new ReportOptions();

  @Parameters(
      index = "0",
      paramLabel = "FILE",
      description = "what run --bundle FILE wrote, or a service's bundle (zip)")
  private @Nullable Path file;

  @Override
  public Integer call() throws IOException {
    report.requireWritable();
    Bundle bundle = read(Objects.requireNonNull(file, "picocli requires FILE"));
    JobReport again = ChildRunner.jobs(Optional.empty(), 1).run(bundle.spec(), RunControl.none());
    var line = Objects.requireNonNull(spec, "set by picocli").commandLine();
    PrintWriter out = line.getOut();
    if (!report.isJson()) {
      again.runs().forEach(run -> out.print(run.log()));
    }
    int code = report.show(again, bundle.spec().source().name(), out);
    List<String> differences = bundle.differences(again);
    PrintWriter err = line.getErr();
    if (differences.isEmpty()) {
      err.println("replayed: the same report as in " + file + ", wall times apart");
    } else {
      err.println(
          "another report than in " + file + ", which version " + bundle.ringmaster() + " made:");
      differences.forEach(difference -> err.println("  " + difference));
    }
    err.flush();
    return differences.isEmpty() ? code : ExitCodes.INFRASTRUCTURE;
  }

  private Bundle read(Path path) throws IOException {
    try {
      return Bundle.read(text(path));
    } catch (NoSuchFileException e) {
      throw usage("no such file: " + path);
    } catch (IllegalArgumentException e) {
      throw usage(path + ": " + e.getMessage());
    }
  }

  /** The bundle's text, from its file or out of the zip that a service makes. */
  private String text(Path path) throws IOException {
    byte[] content = Files.readAllBytes(path);
    if (content.length < 2 || content[0] != 'P' || content[1] != 'K') {
      return new String(content, StandardCharsets.UTF_8);
    }
    try (var zip = new ZipFile(path.toFile())) {
      var entry = zip.getEntry(Bundle.FILE);
      if (entry == null) {
        throw usage(path + ": there is no " + Bundle.FILE + " in this zip");
      }
      return new String(zip.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8);
    } catch (ZipException e) {
      throw usage(path + ": the zip can't be read: " + e.getMessage());
    }
  }

  private ParameterException usage(String message) {
    return new ParameterException(
        Objects.requireNonNull(spec, "set by picocli").commandLine(), message);
  }
}
