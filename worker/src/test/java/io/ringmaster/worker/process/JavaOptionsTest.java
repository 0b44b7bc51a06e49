package io.ringmaster.worker.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JavaOptionsTest {

  @Test
  void testsRunWithWhatTheProductNeeds() {
    assertThat(ManagementFactory.getRuntimeMXBean().getInputArguments())
        .containsAll(JavaOptions.NEEDED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ringmaster", "bench/run.sh", "helm/Dockerfile", "service/pom.xml"})
  void whateverStartsTheProductGivesThem(String file) throws IOException {
    String text = Files.readString(Path.of("..").resolve(file)).replace("\", \"", " ");
    assertThat(text).contains(String.join(" ", JavaOptions.NEEDED));
  }
}
