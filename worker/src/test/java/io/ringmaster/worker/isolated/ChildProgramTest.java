package io.ringmaster.worker.isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.worker.process.JavaOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a child is started. It sets a property of the process, so nobody else may start one. */
@Isolated
class ChildProgramTest {

  @AfterEach
  void noSetting() {
    System.clearProperty(ChildProgram.HEAP);
  }

  @Test
  void itHasTheOptionsThatTheProductNeeds() {
    assertThat(ChildProgram.ofThisProduct(1).command()).containsSubsequence(JavaOptions.NEEDED);
  }

  @ParameterizedTest
  @CsvSource({"256m, 268435456", "2g, 2147483648", "1048576K, 1073741824", "300000000, 300000000"})
  void itsHeapCanBeSet(String setting, long bytes) {
    System.setProperty(ChildProgram.HEAP, setting);
    assertThat(ChildProgram.heapBytes(4)).isEqualTo(bytes);
    assertThat(ChildProgram.ofThisProduct(4).command()).contains("-Xmx" + bytes);
  }

  @Test
  void childrenShareWhatThisProcessMayHave() {
    long all = Runtime.getRuntime().maxMemory();
    assertThat(ChildProgram.heapBytes(1)).isEqualTo(Math.max(256L << 20, all));
    assertThat(ChildProgram.heapBytes(1 << 20)).isEqualTo(256L << 20);
  }

  @ParameterizedTest
  @ValueSource(strings = {"much", "1t", "-1g", "255m", "9999999999g"})
  void aSettingThatIsNoSizeIsNamed(String setting) {
    System.setProperty(ChildProgram.HEAP, setting);
    assertThatThrownBy(() -> ChildProgram.heapBytes(1))
        .hasMessage(
            "-Dringmaster.child.heap=" + setting + ": write a size of 256m or more, such as 2g");
    var found = new ChildRunner(1).accelerators();
    assertThat(found.reason()).startsWith("-Dringmaster.child.heap=" + setting);
  }
}
