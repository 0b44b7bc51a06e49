package io.ringmaster.service.placement;

import static io.ringmaster.service.placement.Fleets.NOW;
import static io.ringmaster.service.placement.Fleets.auto;
import static io.ringmaster.service.placement.Fleets.held;
import static io.ringmaster.service.placement.Fleets.ids;
import static io.ringmaster.service.placement.Fleets.run;
import static io.ringmaster.service.placement.Fleets.seat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringmaster.service.config.Quotas;
import io.ringmaster.service.config.Quotas.Own;
import io.ringmaster.service.config.Quotas.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** What owners may have at once, and who waits for whom because of it. */
class QuotaPlanningTest {

  private static final int NONE = Quota.UNLIMITED;

  private static Quotas devices(int limit) {
    return new Quotas(NONE, NONE, limit, NONE, Map.of());
  }

  private static Plan plan(Quotas quotas, Fleet fleet, QueuedRun... queue) {
    return Planner.plan(List.of(queue), fleet, new Policy(16, Duration.ZERO, quotas));
  }

  private static Fleet fleet(Map<String, Fleet.OwnerUse> owners, Fleet.Pool pool, int wanted) {
    return new Fleet(
        List.of(seat("w", "a", "0-15", "", wanted)), Map.of("a", pool), Set.of(), owners, NOW);
  }

  private static Fleet idle() {
    return fleet(Map.of(), Fleet.Pool.QUIET, 8);
  }

  private static QueuedRun bobs(QueuedRun run) {
    return Fleets.of("bob", run.jobId(), run);
  }

  private static List<String> started(Plan plan) {
    return plan.starts().stream().map(start -> start.run().id()).toList();
  }

  private static Plan.Wait wait(Plan plan, String run) {
    return Objects.requireNonNull(plan.waits().get(run), () -> run + " doesn't wait");
  }

  @Test
  void oneOwnerGetsAsManyDevicesAsTheQuotaAllowsAndOthersTheRest() {
    var plan =
        plan(
            devices(4),
            idle(),
            run("x", auto(3), 60),
            run("y", auto(2), 60),
            bobs(run("z", auto(2), 60)));
    assertThat(started(plan)).containsExactly("x", "z");
    assertThat(wait(plan, "y"))
        .isEqualTo(
            new Plan.Wait(
                WaitReason.QUOTA,
                "ann has 3 devices in use or kept, this run asks for 2, and the quota is 4."));
    assertThat(plan.reservations()).isEmpty();
  }

  @Test
  void whatAnOwnerHasAlreadyCounts() {
    var used = Map.of("ann", new Fleet.OwnerUse(Set.of("old"), 3, 3));
    var plan = plan(devices(4), fleet(used, held(60, 0, 1, 2), 8), run("x", auto(2), 60));
    assertThat(wait(plan, "x").reason()).isEqualTo(WaitReason.QUOTA);
    assertThat(started(plan(devices(5), fleet(used, held(60, 0, 1, 2), 8), run("x", auto(2), 60))))
        .containsExactly("x");
  }

  @Test
  void anOwnerMayHaveOtherNumbers() {
    var quotas = new Quotas(NONE, NONE, 1, NONE, Map.of("bob", new Own(null, null, 8, null)));
    var plan = plan(quotas, idle(), run("x", auto(2), 60), bobs(run("y", auto(8), 60)));
    assertThat(started(plan)).containsExactly("y");
    assertThat(quotas.of("bob")).isEqualTo(new Quota(NONE, NONE, 8, NONE));
  }

  /** Else a stream of one's own small runs would starve one's own wide one. */
  @Test
  void runsOfOneOwnerDoNotOvertakeEachOtherInTheQuota() {
    var used = Map.of("ann", new Fleet.OwnerUse(Set.of("old"), 2, 2));
    var plan =
        plan(
            devices(4),
            fleet(used, held(60, 0, 1), 8),
            run("wide", auto(4), 60),
            run("small", ids(5), 1));
    assertThat(started(plan)).isEmpty();
    assertThat(wait(plan, "small").detail())
        .isEqualTo("ann's quota is used up, and wide of the same owner comes before this one.");
  }

  @Test
  void whatIsKeptForARunCountsInItsOwnersQuota() {
    var plan =
        plan(
            devices(4),
            fleet(Map.of(), held(60, 0, 1), 8),
            run("wide", ids(0, 1, 2), 60),
            run("small", ids(5), 1),
            run("next", ids(6), 1));
    assertThat(wait(plan, "wide").reason()).isEqualTo(WaitReason.NO_FREE_DEVICE);
    assertThat(plan.reservations()).hasSize(1);
    assertThat(started(plan)).containsExactly("small");
    assertThat(wait(plan, "next").reason()).isEqualTo(WaitReason.QUOTA);
  }

  @Test
  void runsOfAJobThatRunsGoOnWhenTheOwnerMayHaveNoFurtherJob() {
    var quotas = new Quotas(NONE, 1, NONE, NONE, Map.of());
    var used = Map.of("ann", new Fleet.OwnerUse(Set.of("j1"), 1, 1));
    var plan =
        plan(
            quotas,
            fleet(used, held(60, 0), 8),
            Fleets.of("ann", "j2", run("other", ids(1), 60)),
            Fleets.of("ann", "j1", run("same", ids(2), 60)));
    assertThat(started(plan)).containsExactly("same");
    assertThat(wait(plan, "other").detail())
        .isEqualTo("ann has 1 running job, and the quota is 1.");
  }

  @Test
  void devicesThatNobodyWaitsForAreNotShared() {
    var quotas = new Quotas(NONE, NONE, NONE, 1, Map.of());
    var fleet =
        new Fleet(List.of(seat("w", "a", "0-15", "", 8)), Map.of(), Set.of(Fleets.CARDS), NOW);
    assertThat(started(plan(quotas, fleet, run("x", auto(8), 60)))).containsExactly("x");
    assertThat(started(plan(quotas, idle(), run("x", auto(8), 60)))).isEmpty();
  }

  @Test
  void aQuotaIsAtLeastOne() {
    assertThatThrownBy(() -> devices(0)).hasMessageContaining("ringmaster.quotas.devices is 0");
    assertThatThrownBy(() -> new Quotas(1, 1, 1, 1, Map.of("ann", new Own(null, -1, null, null))))
        .hasMessageContaining("ringmaster.quotas.owners[ann].running-jobs is -1");
  }

  /** Whatever the queue, nobody gets more than the quota, and who waits for it would exceed it. */
  @Property(tries = 2_000)
  void nobodyEverHasMoreThanTheQuota(@ForAll long seed) {
    var random = new Random(seed);
    var quotas =
        new Quotas(
            NONE,
            1 + random.nextInt(4),
            1 + random.nextInt(12),
            1 + random.nextInt(12),
            Map.of("bob", new Own(null, 1 + random.nextInt(3), null, null)));
    var queue = new ArrayList<QueuedRun>();
    for (int i = 0; i < 40; i++) {
      var one = run("r%02d".formatted(i), auto(1 + random.nextInt(6)), 1 + random.nextInt(90));
      queue.add(Fleets.of(List.of("ann", "bob", "eve").get(random.nextInt(3)), "j" + i / 3, one));
    }
    var used = Map.of("ann", new Fleet.OwnerUse(Set.of("j0"), 1, 1));
    var plan =
        Planner.plan(
            queue,
            fleet(used, held(50, 0), 1 + random.nextInt(9)),
            new Policy(16, Duration.ZERO, quotas));
    var devices = new HashMap<String, Integer>(Map.of("ann", 1));
    var jobs = new HashMap<String, Set<String>>(Map.of("ann", new HashSet<>(Set.of("j0"))));
    for (var start : plan.starts()) {
      devices.merge(start.run().owner(), start.devices().size(), Integer::sum);
      jobs.computeIfAbsent(start.run().owner(), _ -> new HashSet<>()).add(start.run().jobId());
    }
    devices.forEach(
        (owner, count) ->
            assertThat(count)
                .as(owner)
                .isLessThanOrEqualTo(
                    Math.min(quotas.of(owner).devices(), quotas.of(owner).sharedDevices())));
    jobs.forEach(
        (owner, some) ->
            assertThat(some).as(owner).hasSizeLessThanOrEqualTo(quotas.of(owner).runningJobs()));
    // A quota that nobody reaches changes nothing.
    var wide = new Quotas(NONE, 1000, 1000, 1000, Map.of());
    assertThat(
            Planner.plan(queue, fleet(used, held(50, 0), 3), new Policy(16, Duration.ZERO, wide))
                .starts())
        .isEqualTo(Planner.plan(queue, fleet(used, held(50, 0), 3), Fleets.POLICY).starts());
  }
}
