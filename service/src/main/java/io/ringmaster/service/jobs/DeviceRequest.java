package io.ringmaster.service.jobs;

import java.util.List;
import java.util.Optional;

/** The devices that a run asks for. */
public sealed interface DeviceRequest {

  /** What stands before a number of devices that placement is to choose. */
  String AUTO = "auto:";

  /** How many devices, and so how many ranks. */
  int ranks();

  /** As a submission writes it: {@code [4,5]} or {@code auto:4}. */
  String text();

  /**
   * Exactly these devices, rank r on the r-th.
   *
   * @param ids distinct
   */
  record Ids(List<Integer> ids) implements DeviceRequest {

    public Ids {
      ids = List.copyOf(ids);
    }

    @Override
    public int ranks() {
      return ids.size();
    }

    @Override
    public String text() {
      return Columns.json(ids);
    }
  }

  /** So many devices of one link group, whichever are free. */
  record Count(int ranks) implements DeviceRequest {

    @Override
    public String text() {
      return AUTO + ranks;
    }
  }

  /** Reads {@code auto:4}; empty when the text is something else, or no number in range. */
  static Optional<DeviceRequest> auto(String text, int most) {
    if (!text.matches("auto:[1-9][0-9]{0,6}")) {
      return Optional.empty();
    }
    int devices = Integer.parseInt(text.substring(AUTO.length()));
    return devices <= most ? Optional.of(new Count(devices)) : Optional.empty();
  }
}
