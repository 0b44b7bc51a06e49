package io.ringmaster.service.placement;

/**
 * Decides which queued runs start, where, and on which devices. It knows no database and no clock:
 * the same queue and the same fleet always give the same plan.
 *
 * <p>The rules, in the order in which they bind:
 *
 * <ol>
 *   <li>A run gets all its devices at once or none, and no device that another run has.
 *   <li>Higher priority first, then the order of submission. A run that can't start is passed over.
 *       The queue raises what waits for long ({@link QueueAging}).
 *   <li>A run that would be too much for its owner's quota waits, and so do the later ones of that
 *       owner that the same quota holds up; nothing is kept for it. What is kept for an owner's run
 *       counts in the quota.
 *   <li>For a run that is passed over, devices are kept: those that it asks for, or those that come
 *       free first. Later runs get them only when their limits end before the kept ones are all
 *       free. So a wide run starts, at the latest, when the limits of the runs end that hold its
 *       devices when they are first kept for it; a stream of small ones can't delay it.
 *   <li>Runs that ask for a number of devices get them in one link group, in the one with the
 *       fewest free devices that suffices: large free groups stay whole.
 *   <li>Devices, workers and pools that are draining, in quarantine or in maintenance get nothing.
 * </ol>
 */
public final class Planner {

  private Planner() {}

  /**
   * One pass.
   *
   * @param queue in the order of the queue; read no further than needed
   */
  public static Plan plan(Iterable<QueuedRun> queue, Fleet fleet, Policy policy) {
    var pass = new PlanningPass(fleet, policy);
    for (var run : queue) {
      if (pass.isOver()) {
        break;
      }
      pass.consider(run);
    }
    return pass.plan();
  }
}
