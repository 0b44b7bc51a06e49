package io.ringmaster.worker.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.fabric.Access;
import io.ringmaster.worker.fabric.Finding;
import io.ringmaster.worker.fabric.Finding.Kind;
import io.ringmaster.worker.fabric.WindowInfo;
import java.util.List;
import org.junit.jupiter.api.Test;

class UninitialisedReadsTest {

  @Test
  void aSourceThatIsNeverStagedIsNamed() {
    for (boolean staged : new boolean[] {true, false}) {
      Rehearsal stage = new Rehearsal(2);
      WindowInfo data = stage.window("ar_data", RankScript.ROW);
      WindowInfo sig = stage.signal("sig");
      stage.everyRank(
          rank -> {
            if (staged) {
              rank.line(4).store(data, 0);
            }
            rank.line(6).barrier(sig, 1).clear(sig, 1);
            rank.line(7).load(data, 0).remoteLoad(1 - rank.number(), data, 0);
          });
      List<Finding> found = Found.of(stage.run(), Kind.UNINITIALISED_READ);
      if (staged) {
        assertThat(found).isEmpty();
      } else {
        assertThat(found).hasSize(1);
        assertThat(found.getFirst().message())
            .isEqualTo(
                "rank 0 reads bytes 0..256 of `ar_data` on rank 0, which nobody has written: it"
                    + " gets zeros; the same on rank 1");
        assertThat(found.getFirst().severity()).isEqualTo(Finding.Severity.WARNING);
      }
    }
  }

  @Test
  void onlyTheGapIsNamed() {
    Rehearsal stage = new Rehearsal(1);
    WindowInfo data = stage.window("data", 1024);
    stage
        .rank(0)
        .line(3)
        .box(Access.Kind.WRITE, 0, data, 0, 1, 100, 100)
        .box(Access.Kind.WRITE, 0, data, 120, 1, 136, 136)
        .line(4)
        .load(data, 0);
    Finding found = Found.of(stage.run(), Kind.UNINITIALISED_READ).getFirst();
    assertThat(found.fromByte()).contains(100L);
    assertThat(found.toByte()).contains(120L);
  }

  @Test
  void aResultThatIsStoredLaterDoesntMakeTheSourceStaged() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo data = stage.window("ar_data", RankScript.ROW);
    WindowInfo sig = stage.signal("sig");
    stage.everyRank(
        rank ->
            rank.line(6)
                .barrier(sig, 1)
                .load(data, 0)
                .remoteLoad(1 - rank.number(), data, 0)
                .barrier(sig, 2)
                .store(data, 0)
                .clear(sig, 2));
    assertThat(Found.kinds(stage.run())).containsExactly(Kind.UNINITIALISED_READ);
  }

  @Test
  void bytesWrittenLaterAreARaceInstead() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo data = stage.window("data", RankScript.ROW);
    stage.rank(0).line(3).load(data, 0);
    stage.rank(1).compute(1000).line(4).put(0, data, 0);
    assertThat(Found.kinds(stage.run())).containsExactly(Kind.RACE);
  }

  @Test
  void paddingAndSignalCellsAreNoData() {
    Rehearsal stage = new Rehearsal(2);
    WindowInfo data = stage.window("data", 200);
    WindowInfo sig = stage.signal("sig");
    stage.rank(0).line(3).box(Access.Kind.WRITE, 0, data, 0, 1, 200, 200).line(4).load(data, 0);
    stage.everyRank(
        rank ->
            rank.line(6)
                .barrier(sig, 1)
                .line(7)
                .box(Access.Kind.READ, rank.number(), sig, 0, 2, 4, 4));
    assertThat(Found.kinds(stage.run())).containsExactly(Kind.RESIDUE);
  }
}
