package io.ringmaster.worker.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Which outputs of a run are kept, and that they are read as they were left. */
class OutputKeeperTest {

  /** A file's bytes beyond those of its elements. */
  private static final long HEADER = 128;

  private static HostTensor filled(DType dtype, double value, long... shape) {
    HostTensor tensor = HostTensor.zeros(dtype, shape);
    Elements elements = Elements.of(tensor.buffer(), dtype);
    for (long i = 0; i < tensor.elements(); i++) {
      elements.setDouble(i, value);
    }
    return tensor;
  }

  private static double first(RunOutputs.Output output) {
    HostTensor tensor = output.tensor();
    return Elements.of(tensor.buffer(), tensor.dtype()).getDouble(0);
  }

  private static RunOutputs read(Map<String, byte[]> files) {
    return RunOutputs.read(
        List.copyOf(files.keySet()), name -> Objects.requireNonNull(files.get(name), name));
  }

  /** Most runs launch once: their files say all there is to say. */
  @Test
  void oneLaunchNeedsNoFurtherFile() {
    var keeper = new OutputKeeper(1 << 20, 1 << 16);
    keeper.add("y", filled(DType.FP32, 1, 2, 8));
    keeper.add("z", filled(DType.INT32, 2, 2, 8));
    assertThat(keeper.files()).containsOnlyKeys("y.npy", "z.npy");
    RunOutputs read = read(keeper.files());
    assertThat(read.whole()).isTrue();
    assertThat(read.list().stream().map(RunOutputs.Output::name)).containsExactly("y", "z");
    assertThat(read.list()).allMatch(RunOutputs.Output::isKept);
  }

  @Test
  void everyLaunchsOutputIsReadInOrder() {
    var keeper = new OutputKeeper(1 << 20, 1 << 16);
    for (int i = 0; i < 12; i++) {
      keeper.add("y", filled(DType.FP32, i, 4));
      keeper.add("n", filled(DType.INT64, 100 + i, 4));
    }
    assertThat(keeper.files()).containsOnlyKeys("y.npy", "n.npy", RunOutputs.FILE);
    RunOutputs read = read(keeper.files());
    assertThat(read.list()).hasSize(24).allMatch(RunOutputs.Output::isKept);
    for (int i = 0; i < 12; i++) {
      assertThat(first(read.list().get(2 * i))).isEqualTo(i);
      assertThat(first(read.list().get(2 * i + 1))).isEqualTo(100 + i);
    }
  }

  /** A file of NumPy's has no BF16; without its type, tolerance can't be right. */
  @Test
  void anElementTypeThatTheFileCannotNameIsRead() {
    var keeper = new OutputKeeper(1 << 20, 1 << 16);
    HostTensor tensor = filled(DType.BF16, 1.5, 2, 4);
    keeper.add("y", tensor);
    var output = read(keeper.files()).list().getFirst();
    assertThat(output.tensor().dtype()).isEqualTo(DType.BF16);
    assertThat(first(output)).isEqualTo(1.5);
    assertThat(output.digest()).isEqualTo(OutputDigest.of(tensor));
  }

  /** The last of each name is what people fetch. */
  @Test
  void whereThereIsNoRoomTheOldestGoFirstAndTheirDigestsStay() {
    long file = HEADER + 256;
    var keeper = new OutputKeeper(3 * file, 2 * file);
    for (int i = 0; i < 5; i++) {
      keeper.add("y", filled(DType.FP32, i, 64));
    }
    RunOutputs read = read(keeper.files());
    assertThat(read.list().stream().map(RunOutputs.Output::isKept))
        .containsExactly(false, false, true, true, true);
    for (int i = 0; i < 5; i++) {
      assertThat(read.list().get(i).digest()).isEqualTo(OutputDigest.of(filled(DType.FP32, i, 64)));
    }
    keeper.add("z", filled(DType.FP32, 9, 128));
    read = read(keeper.files());
    assertThat(read.list().stream().map(RunOutputs.Output::isKept))
        .containsExactly(false, false, false, false, true, true);
    assertThat(read.list().getLast().name()).isEqualTo("z");
  }

  @Test
  void whatIsTooLargeLeavesItsDigest() {
    var keeper = new OutputKeeper(1000, 1000);
    keeper.add("y", filled(DType.FP32, 1, 4));
    keeper.add("y", filled(DType.FP32, 2, 1000));
    assertThat(keeper.files()).containsOnlyKeys(RunOutputs.FILE);
    var list = read(keeper.files()).list();
    assertThat(list.getFirst().isKept()).isTrue();
    assertThat(first(list.getFirst())).isEqualTo(1);
    assertThat(list.getLast().isKept()).isFalse();
    assertThat(list.getLast().digest()).isEqualTo(OutputDigest.of(filled(DType.FP32, 2, 1000)));
  }

  @Test
  void aListThatIsCutSaysSo() {
    var keeper = new OutputKeeper(1 << 20, 0);
    HostTensor tensor = filled(DType.UINT8, 1, 1);
    for (int i = 0; i < 10_001; i++) {
      keeper.add("y", tensor);
    }
    RunOutputs read = read(keeper.files());
    assertThat(read.whole()).isFalse();
    assertThat(read.list()).hasSize(10_000);
    assertThat(keeper.files()).containsKey("y.npy");
  }

  @Test
  void aFileThatIsNoneOfOursIsSaid() {
    byte[] junk = "not a zip".getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> RunOutputs.read(List.of(RunOutputs.FILE), _ -> junk))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("launches.zip has no outputs.json");
  }
}
