package io.ringmaster.worker.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.device.Device;
import io.ringmaster.worker.device.DeviceMemoryFull;
import io.ringmaster.worker.device.Tile;
import io.ringmaster.worker.device.opencl.OpenCl;
import io.ringmaster.worker.tensor.DType;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Platform opencl on hosts with other devices than this one. What a host has is looked up once in a
 * process, so each host is a process of its own, with the drivers' own settings.
 */
class OpenClHostsTest {

  private static final String SCRIPT = "16_putting_it_together.py";

  @TempDir private Path empty;

  /** Runs the script on four ranks, and says how it went. */
  public static final class Host {
    private Host() {}

    public static void main(String[] args) {
      JobReport report = run();
      var out = new PrintStream(System.out, true, UTF_8);
      out.println(report.verdict());
      out.println(report.sentence());
      out.println(report.diagnostics().stream().map(line -> line.hint()).toList());
      out.println(report.runs().getFirst().evidence().outputDigest());
      out.println(report.runs().getFirst().evidence().versions().get("devices"));
      out.println(new JobRunner().platforms());
    }
  }

  private static JobReport run() {
    var spec =
        new JobSpec(
            Examples.ladder(SCRIPT),
            "opencl",
            List.of(Examples.firstDevices(4)),
            List.of(),
            JobSpec.Limits.DEFAULT,
            0);
    return new JobRunner().run(spec, RunControl.none());
  }

  @Test
  void aHostWithoutDevicesRefusesByName() throws Exception {
    List<String> lines = onHost("OCL_ICD_VENDORS", empty.toString());

    assertThat(lines.get(0)).isEqualTo("REJECTED");
    assertThat(lines.get(1)).startsWith("platform 'opencl' isn't available here: ");
    assertThat(lines.get(2)).contains("apt-get install pocl-opencl-icd ocl-icd-libopencl1");
    assertThat(lines.get(5)).doesNotContain("opencl");
  }

  @Test
  void ranksOnTwoDevicesSeeWhatTheOthersWrote() throws Exception {
    List<String> lines = onHost("POCL_DEVICES", "pthread basic");

    assertThat(lines.get(0)).as(lines.toString()).isEqualTo("PASSED");
    assertThat(lines.get(3)).isEqualTo(run().runs().getFirst().evidence().outputDigest());
    assertThat(lines.get(4)).contains(", ");
  }

  /** Fills the device with tiles of one size after the other, then with tiles that stay. */
  public static final class Small {
    private Small() {}

    public static void main(String[] args) {
      var out = new PrintStream(System.out, true, UTF_8);
      try (Device device = OpenCl.open(List.of(0))) {
        for (int elements = 1 << 16; elements <= 1 << 24; elements *= 2) {
          for (long bytes = 0; bytes < 400L << 20; bytes += 4L * elements) {
            device.full(DType.INT32, new int[] {elements}, 7);
          }
        }
        out.println("one after the other");
        List<Tile> kept = new ArrayList<>();
        while (kept.size() < 100) {
          kept.add(device.full(DType.INT32, new int[] {1 << 20}, 7));
        }
        out.println("more than the first budget");
        kept.add(device.full(DType.INT32, new int[] {1 << 29}, 7));
      } catch (DeviceMemoryFull full) {
        out.println(full.getMessage());
      }
    }
  }

  /** The driver is told to have 1 GiB; how much it gives in all differs, one tile of 2 never. */
  @Test
  void aSmallDeviceIsUsedUpBeforeItIsFull() throws Exception {
    List<String> lines = onHost(Small.class, "POCL_MEMORY_LIMIT", "1");

    assertThat(lines.subList(0, 2))
        .containsExactly("one after the other", "more than the first budget");
    assertThat(lines.get(2))
        .startsWith("memory limit of the device: ")
        .endsWith("; use smaller tiles or windows, or fewer ranks on one device");
  }

  private List<String> onHost(String variable, String value)
      throws IOException, InterruptedException {
    List<String> lines = onHost(Host.class, variable, value);
    assertThat(lines).hasSizeGreaterThanOrEqualTo(6);
    return lines;
  }

  private List<String> onHost(Class<?> main, String variable, String value)
      throws IOException, InterruptedException {
    var java = Path.of(System.getProperty("java.home"), "bin", "java");
    var builder =
        new ProcessBuilder(
            java.toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName());
    builder.environment().put(variable, value);
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    Path said = empty.resolveSibling(empty.getFileName() + ".out");
    builder.redirectOutput(said.toFile());
    Process process = builder.start();
    try {
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).as("it ends").isTrue();
      return Files.readAllLines(said);
    } finally {
      process.destroyForcibly();
    }
  }
}
