package io.ringmaster.service.placement;

import static io.ringmaster.service.placement.Fleets.NOW;
import static io.ringmaster.service.placement.Fleets.POLICY;
import static io.ringmaster.service.placement.Fleets.auto;
import static io.ringmaster.service.placement.Fleets.held;
import static io.ringmaster.service.placement.Fleets.ids;
import static io.ringmaster.service.placement.Fleets.run;
import static io.ringmaster.service.placement.Fleets.seat;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who starts, where, and what the others wait for. */
class PlannerTest {

  private static Plan plan(Fleet fleet, QueuedRun... queue) {
    return Planner.plan(List.of(queue), fleet, POLICY);
  }

  private static List<String> started(Plan plan) {
    return plan.starts().stream().map(start -> start.run().id()).toList();
  }

  @Test
  void explicitIdsAreGivenInTheirOrder() {
    var plan = plan(Fleets.of(Map.of(), seat("w", "a", "0-7", "", 1)), run("x", ids(4, 1, 7), 60));
    assertThat(plan.starts().getFirst().devices()).containsExactly(4, 1, 7);
  }

  @Test
  void aNumberOfDevicesComesFromOneGroup() {
    var fleet = Fleets.of(Map.of("a", held(60, 0, 1, 2)), seat("w", "a", "0-7", "0-3,4-7", 1));
    assertThat(plan(fleet, run("x", auto(4), 60)).starts().getFirst().devices())
        .containsExactly(4, 5, 6, 7);
    assertThat(plan(fleet, run("x", auto(5), 60)).starts()).isEmpty();
  }

  /** Large free groups stay whole for those who need them. */
  @Test
  void theMostFragmentedGroupThatSufficesIsTakenFirst() {
    var fleet =
        Fleets.of(Map.of("a", held(60, 4, 8, 9, 10)), seat("w", "a", "0-11", "0-3,4-7,8-11", 3));
    var plan = plan(fleet, run("x", auto(1), 60), run("y", auto(2), 60), run("z", auto(4), 60));
    assertThat(plan.starts().stream().map(Plan.Start::devices))
        .containsExactly(List.of(11), List.of(5, 6), List.of(0, 1, 2, 3));
  }

  @Test
  void explicitIdsMayCrossGroups() {
    var fleet = Fleets.of(Map.of(), seat("w", "a", "0-7", "0-3,4-7", 1));
    assertThat(started(plan(fleet, run("x", ids(3, 4), 60)))).containsExactly("x");
  }

  @Test
  void aDeviceOutsideOfTheGroupsServesASingleRank() {
    var fleet = Fleets.of(Map.of(), seat("w", "a", "0-8", "0-3,4-7", 2));
    var plan = plan(fleet, run("x", auto(1), 60), run("y", auto(1), 60));
    assertThat(plan.starts().stream().map(Plan.Start::devices))
        .containsExactly(List.of(8), List.of(0));
  }

  /** S12: who waits holds nothing. */
  @Test
  void twoSixDeviceRunsOnEightDevicesFollowEachOther() {
    var fleet = Fleets.of(Map.of(), seat("w", "a", "0-7", "", 2));
    var plan = plan(fleet, run("x", auto(6), 60), run("y", auto(6), 60));
    assertThat(started(plan)).containsExactly("x");
    assertThat(wait(plan, "y").reason()).isEqualTo(WaitReason.NO_FREE_DEVICE);
  }

  @Test
  void deviceZeroOfOnePoolIsNotDeviceZeroOfAnother() {
    var fleet =
        Fleets.of(
            Map.of("a", held(60, 0)), seat("w", "a", "0-3", "", 1), seat("v", "b", "0-3", "", 1));
    assertThat(plan(fleet, run("x", ids(0), 60)).starts().getFirst().seat().worker())
        .isEqualTo("v");
    var insists = run("y", 1, Optional.of("a"), ids(0), 60);
    assertThat(wait(plan(fleet, insists), "y").reason()).isEqualTo(WaitReason.NO_FREE_DEVICE);
  }

  /** The bound: the wide run starts when the runs end that had its devices when it was first. */
  @Test
  void smallRunsThatEndInTimeGoAheadOfAWideOneAndOthersDoNot() {
    var fleet = Fleets.of(Map.of("a", held(100, 0)), seat("w", "a", "0-7", "", 3));
    var plan =
        plan(fleet, run("wide", auto(8), 60), run("long", ids(1), 101), run("short", ids(2), 100));
    assertThat(started(plan)).containsExactly("short");
    assertThat(wait(plan, "long").reason()).isEqualTo(WaitReason.BEHIND_RESERVATION);
    var kept = plan.reservations().getFirst();
    assertThat(kept.runId()).isEqualTo("wide");
    assertThat(kept.from()).isEqualTo(NOW.plusSeconds(100));
  }

  @Test
  void theReservationIsWhereTheDevicesAreFreeFirst() {
    var early = held(10, 4, 5);
    var pool =
        new Fleet.Pool(
            Map.of(0, NOW.plusSeconds(50), 4, early.held().get(4), 5, early.held().get(5)),
            Set.of(),
            false);
    var fleet = Fleets.of(Map.of("a", pool), seat("w", "a", "0-7", "0-3,4-7", 1));
    var plan = plan(fleet, run("x", auto(4), 60));
    assertThat(wait(plan, "x").reason()).isEqualTo(WaitReason.NO_FREE_GROUP);
    assertThat(plan.reservations().getFirst().devices()).containsExactlyInAnyOrder(4, 5, 6, 7);
  }

  @Test
  void blockedRunsHideNothing() {
    var fleet = Fleets.of(Map.of("a", held(60, 0)), seat("w", "a", "0-1", "", 1));
    var queue = new java.util.ArrayList<QueuedRun>();
    for (int i = 0; i < 5_000; i++) {
      queue.add(run("blocked" + i, ids(0), 60));
    }
    queue.add(run("last", ids(1), 60));
    assertThat(started(Planner.plan(queue, fleet, POLICY))).containsExactly("last");
  }

  @Test
  void whatIsOutOfUseGetsNothing() {
    var off = new Fleet.Pool(Map.of(), Set.of(1), false);
    var closed = new Fleet.Pool(Map.of(), Set.of(), true);
    var seat = seat("w", "a", "0-3", "", 1);
    assertThat(reason(Fleets.of(Map.of("a", off), seat), ids(0, 1)))
        .isEqualTo(WaitReason.POOL_DRAINING);
    assertThat(reason(Fleets.of(Map.of("a", off), seat), auto(4)))
        .isEqualTo(WaitReason.POOL_DRAINING);
    assertThat(started(plan(Fleets.of(Map.of("a", off), seat), run("x", auto(3), 60))))
        .containsExactly("x");
    assertThat(reason(Fleets.of(Map.of("a", closed), seat), ids(0)))
        .isEqualTo(WaitReason.POOL_DRAINING);
    var draining = new Seat("w", "w", "a", seat.platforms(), seat.devices(), List.of(), true, 1);
    assertThat(reason(Fleets.of(Map.of(), draining), ids(0))).isEqualTo(WaitReason.POOL_DRAINING);
    assertThat(reason(Fleets.of(Map.of()), ids(0))).isEqualTo(WaitReason.NO_WORKER);
    assertThat(reason(Fleets.of(Map.of(), seat), ids(9))).isEqualTo(WaitReason.NO_WORKER);
    assertThat(reason(Fleets.of(Map.of(), seat.wanting(0)), ids(0)))
        .isEqualTo(WaitReason.NO_WORKER);
  }

  private static WaitReason reason(Fleet fleet, io.ringmaster.service.jobs.DeviceRequest request) {
    return wait(plan(fleet, run("x", request, 60)), "x").reason();
  }

  @Test
  void privateDevicesAreWaitedForByNobody() {
    var fleet =
        new Fleet(
            List.of(seat("w", "a", "0-2147483647", "", 2)),
            Map.of("a", held(60, 0, 1)),
            Set.of(Fleets.CARDS),
            NOW);
    var plan = plan(fleet, run("x", ids(0, 1), 60), run("y", auto(3), 60), run("z", ids(0), 60));
    assertThat(started(plan)).containsExactly("x", "y");
    assertThat(plan.starts().get(1).devices()).containsExactly(0, 1, 2);
  }

  @Test
  void whatNobodyCanEverExecuteIsNamed() {
    var seats = List.of(seat("w", "a", "0-7", "0-3,4-7", 1));
    assertThat(refusal(seats, ids(0, 8))).contains("No worker has all of the 2 devices");
    assertThat(refusal(seats, auto(5))).contains("the largest group has 4");
    assertThat(refusal(seats, auto(4))).isEmpty();
    assertThat(refusal(List.of(), auto(4))).isEmpty();
    assertThat(Capacity.refusal(seats, Fleets.CARDS, Optional.of("b"), ids(0)).orElse(""))
        .contains("Pools that do: a");
  }

  private static String refusal(
      List<Seat> seats, io.ringmaster.service.jobs.DeviceRequest request) {
    return Capacity.refusal(seats, Fleets.CARDS, Optional.empty(), request).orElse("");
  }

  @Test
  void aRunMayOverstayItsLimitByTheGraceOfThePolicy() {
    var fleet = Fleets.of(Map.of("a", held(100, 0)), seat("w", "a", "0-1", "", 1));
    var queue = List.of(run("wide", ids(0, 1), 60), run("short", ids(1), 100));
    var patient = new Policy(16, Duration.ofSeconds(1));
    assertThat(started(Planner.plan(queue, fleet, patient))).isEmpty();
    assertThat(started(Planner.plan(queue, fleet, POLICY))).containsExactly("short");
  }

  /** A pass in which nobody wants a run explains. */
  @Test
  void whatWaitsIsSaidInWords() {
    var fleet = Fleets.of(Map.of("a", held(100, 0)), seat("w", "a", "0-7", "", 0));
    var plan = plan(fleet, run("wide", auto(8), 60), run("long", ids(1), 101), run("x", ids(8), 1));
    assertThat(wait(plan, "wide").detail()).isEqualTo("No worker has 8 free devices now.");
    assertThat(wait(plan, "long").detail())
        .isEqualTo("Device [1] of pool a is kept for wide, which waits for more.");
    assertThat(wait(plan, "x").detail()).isEqualTo("No worker that lives has device [8].");
  }

  private static Plan.Wait wait(Plan plan, String run) {
    return Objects.requireNonNull(plan.waits().get(run), () -> run + " doesn't wait");
  }
}
