package io.ringmaster.worker.lowering;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.ir.Function;
import io.ringmaster.worker.ir.IrPrinter;
import org.junit.jupiter.api.Test;

class ConvertTensorToTileOpsTest {

  private static final String PARAMS =
      "x: pl.Tensor[[4, 64], pl.FP32], y: pl.Tensor[[4, 64], pl.FP32], v:"
          + " pl.Tensor[[pl.dynamic(\"N\"), 64], pl.FP32], g:"
          + " pl.InOut[pld.DistributedTensor[[4, 64], pl.FP32]]";

  private static String put(String source, String shape, String more) {
    return "pld.tensor.put(g, peer=1, src=%s, dst_offsets=[0, 0], src_offsets=[0, 0], shape=%s%s)"
        .formatted(source, shape, more);
  }

  private static String lowered(String statement) {
    Function f = Texts.step(Texts.lower(Texts.kernel(PARAMS, statement)));
    String text = IrPrinter.print(f);
    return text.substring(text.indexOf("):\n") + 3);
  }

  @Test
  void aPutStreamsThroughATileOfItsWholeRegion() {
    assertThat(lowered(put("x", "[4, 64]", "")))
        .isEqualTo(
            """
                g__stage_tmp_v0 = pl.tile.create([4, 64], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)
                pld.tile.put(g, peer=1, src=x, dst_offsets=[0, 0], src_offsets=[0, 0], shape=[4, 64], stage=g__stage_tmp_v0)
            """);
  }

  @Test
  void chunksBoundTheTile() {
    assertThat(lowered(put("x", "[4, 64]", ", chunk_rows=2, chunk_cols=16")))
        .contains("pl.tile.create([2, 16], dtype=pl.FP32");
  }

  @Test
  void aShortTransferStillHasAnAlignedTile() {
    assertThat(lowered(put("x", "[1, 3]", ""))).contains("pl.tile.create([1, 8], dtype=pl.FP32");
  }

  @Test
  void anUnknownNumberOfRowsNeedsAChunk() {
    String statement = put("v", "[pl.dynamic(\"N\"), 64]", "");
    assertThat(Texts.errorOf(Texts.kernel(PARAMS, statement)).message())
        .contains("a dynamic leading transfer dim needs a static chunk_rows");
  }

  @Test
  void tensorArithmeticIsDoneOnTiles() {
    assertThat(lowered("z = pl.add(x, y)"))
        .isEqualTo(
            """
                z__in_tmp_v0 = pl.load(x, [0, 0], [4, 64])
                z__in_tmp_v1 = pl.load(y, [0, 0], [4, 64])
                z__value_tmp_v2 = pl.add(z__in_tmp_v0, z__in_tmp_v1)
                z = pl.create_tensor([4, 64], dtype=pl.FP32)
                z = pl.store(z__value_tmp_v2, [0, 0], z)
            """);
  }

  @Test
  void assembleIsALoadAndAStore() {
    assertThat(lowered("pl.assemble(g, x, [0, 0])"))
        .isEqualTo(
            """
                g__src_tmp_v0 = pl.load(x, [0, 0], [4, 64])
                pl.store(g__src_tmp_v0, [0, 0], g)
            """);
  }

  @Test
  void aTileOfLessThanABlockIsRefused() {
    assertThat(Texts.errorOf(Texts.kernel(PARAMS, "t = pl.load(x, [0, 0], [2, 1])")).message())
        .contains("pto.alloc_tile of [2, 1] FP32: a column of 8 bytes isn't 32-byte aligned");
  }

  @Test
  void tilesThatLiveTogetherMustFitTogether() {
    String text =
        """
        @pl.program
        class Kernel:
            @pl.function(type=pl.FunctionType.InCore)
            def step(self, x: pl.Tensor[[1, 32768], pl.FP32]):
                a = pl.load(x, [0, 0], [1, 32768])
                %s
                b = pl.load(x, [0, 0], [1, 32768])
                x = pl.store(b, [0, 0], x)
                %s
        """;
    String store = "x = pl.store(a, [0, 0], x)";
    assertThat(Texts.lower(text.formatted(store, "pass"))).isNotNull();
    assertThat(Texts.errorOf(text.formatted("pass", store)).message())
        .contains(
            "Vec buffer usage (262144 bytes) exceeds platform limit (188416 bytes on a2a3sim)");
  }
}
