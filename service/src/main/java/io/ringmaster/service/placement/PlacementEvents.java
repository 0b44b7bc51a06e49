package io.ringmaster.service.placement;

import java.time.Duration;
import java.util.Collection;

/** What placement does that other features count or act on. */
public final class PlacementEvents {

  private PlacementEvents() {}

  /**
   * A pass is over.
   *
   * @param granted runs that got devices
   * @param waiting why those kinds of runs that were looked at wait
   */
  public record PassEnded(Duration time, int granted, Collection<WaitReason> waiting) {}

  /** A submission was refused, since nobody could ever execute it. */
  public record Refused() {}

  /** Devices came free, or back into use; published before the commit. */
  public record Freed() {}
}
