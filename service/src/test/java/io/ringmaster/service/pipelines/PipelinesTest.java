package io.ringmaster.service.pipelines;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.service.testing.CommandProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.yaml.snakeyaml.Yaml;

/**
 * The set-ups of {@code examples/pipelines}: their shell steps are taken out of the files and
 * executed against a service in a process of its own, with the variables that the vendor would set.
 */
@TestInstance(Lifecycle.PER_CLASS)
class PipelinesTest {

  private static final Path FOLDER = Path.of("../examples/pipelines");
  private static final Path RIGHT = Path.of("../examples/right/gather_without_barrier.py");
  private static final Path WRONG = Path.of("../examples/wrong/gather_without_barrier.py");

  /** Another kernel that is right. */
  private static final Path OTHER = Path.of("../examples/ladder/12_broadcast.py");

  @TempDir private static Path folder;

  private CommandProcess service;
  private String url;

  @BeforeAll
  void start() throws IOException {
    service = CommandProcess.serve(folder);
    CommandProcess.install(folder.resolve("bin"));
    url = service.url();
  }

  @AfterAll
  void stop() {
    service.close();
  }

  /** A vendor: where its shell steps are, and which variables it sets. */
  enum Vendor {
    GITHUB("github-actions.yml"),
    GITLAB("gitlab-ci.yml"),
    JENKINS("Jenkinsfile"),
    CURL("gate.sh");

    private final String file;

    Vendor(String file) {
      this.file = file;
    }

    String text() {
      try {
        return Files.readString(FOLDER.resolve(file));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    Map<String, String> variables(String branch, String url) {
      var known =
          Map.of(
              "github.head_ref || github.ref_name",
              branch,
              "github.sha",
              "c0ffee",
              "vars.RINGMASTER_SERVICE",
              url,
              "secrets.RINGMASTER_TOKEN",
              "");
      return switch (this) {
        case GITHUB -> {
          var set = new HashMap<String, String>();
          map(at("jobs", "gate", "env"))
              .forEach(
                  (name, value) -> {
                    var expression = String.valueOf(value).replaceAll("\\$\\{\\{ | }}", "");
                    assertThat(known).containsKey(expression);
                    set.put(name, known.get(expression));
                  });
          yield set;
        }
        case GITLAB ->
            Map.of(
                "CI_COMMIT_REF_NAME", branch, "CI_COMMIT_SHA", "c0ffee", "RINGMASTER_SERVICE", url);
        case JENKINS ->
            Map.of("BRANCH_NAME", branch, "GIT_COMMIT", "c0ffee", "RINGMASTER_SERVICE", url);
        case CURL -> Map.of("BRANCH", branch, "COMMIT", "c0ffee", "RINGMASTER_SERVICE", url);
      };
    }

    /** The shell steps, one after the other. */
    String script() {
      return switch (this) {
        case GITHUB ->
            join(
                ((List<?>) at("jobs", "gate", "steps")).stream().map(step -> map(step).get("run")));
        case GITLAB -> join(((List<?>) at("kernels", "script")).stream());
        case JENKINS -> {
          var match = Pattern.compile("(?s)sh '''(.*?)'''").matcher(text());
          assertThat(match.find()).isTrue();
          yield match.group(1);
        }
        case CURL -> FOLDER.resolve(file).toAbsolutePath() + " kernels/*.py";
      };
    }

    private static String join(Stream<?> steps) {
      return String.join(
          "\n", steps.filter(String.class::isInstance).map(String.class::cast).toList());
    }

    /** What the document has at the end of a path of keys. */
    private Object at(String... path) {
      Object node = new Yaml().load(text());
      for (String key : path) {
        node = Objects.requireNonNull(map(node).get(key), key);
      }
      return node;
    }

    @SuppressWarnings("unchecked") // keys of these documents are strings
    private static Map<String, Object> map(Object node) {
      return (Map<String, Object>) node;
    }
  }

  /** Runs a vendor's steps on a kernel, which is called like the vendor, and on others. */
  private CommandProcess.Outcome run(Vendor vendor, String branch, Path kernel, Path... others)
      throws IOException, InterruptedException {
    var workspace = Files.createDirectories(folder.resolve(vendor + "-" + branch));
    var kernels = Files.createDirectories(workspace.resolve("kernels"));
    var name = vendor.name().toLowerCase(Locale.ROOT) + ".py";
    Files.copy(kernel, kernels.resolve(name));
    for (var other : others) {
      Files.copy(other, kernels.resolve(other.getFileName()));
    }
    var variables = new HashMap<>(vendor.variables(branch, url));
    variables.put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
    var outcome = CommandProcess.bash(vendor.script(), workspace, variables);
    assertThat(workspace.resolve("reports").resolve(name.replace(".py", ".xml")))
        .as(outcome.output())
        .content()
        .contains("<testsuite ");
    return outcome;
  }

  @ParameterizedTest
  @EnumSource
  void aKernelIsApprovedOnMainIsTheSameOnABranchAndTurnsRedWhenItIsWrong(Vendor vendor)
      throws IOException, InterruptedException {
    var main = run(vendor, "main", RIGHT);
    assertThat(main.exitCode()).as(main.output()).isZero();
    assertThat(main.output()).contains("PASSED");

    var same = run(vendor, "mine", RIGHT);
    assertThat(same.exitCode()).as(same.output()).isZero();
    assertThat(same.output())
        .contains("same as baseline main, revision 1 (branch=main, commit=c0ffee");

    var wrong = run(vendor, "broken", WRONG);
    assertThat(wrong.exitCode()).as(wrong.output()).isEqualTo(1);
    assertThat(wrong.output()).contains("RACE", "changed against baseline main");

    var changed = run(vendor, "other", OTHER);
    assertThat(changed.exitCode()).as(changed.output()).isEqualTo(4);

    // That one kernel changed must not hide that another fails.
    var both = run(vendor, "both", OTHER, WRONG);
    assertThat(both.exitCode()).as(both.output()).isEqualTo(1);
  }
}
