package io.ringmaster.service.fleet;

import io.ringmaster.api.model.DeviceState;
import io.ringmaster.api.model.DeviceStatus;
import io.ringmaster.api.model.Maintenance;
import io.ringmaster.api.model.Pool;
import io.ringmaster.service.placement.DeviceRanges;
import io.ringmaster.service.placement.DeviceStatuses;
import io.ringmaster.service.placement.FleetOverview;
import io.ringmaster.service.placement.FleetReader;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** Shows the fleet the way the contract has it. */
final class FleetViews {

  private FleetViews() {}

  static Pool pool(FleetOverview.PoolView pool) {
    return new Pool(
        pool.name(),
        List.copyOf(pool.platforms()),
        ranges(pool.devices().ranges()),
        ranges(pool.groups()),
        pool.isPrivate(),
        pool.workers(),
        pool.slots(),
        pool.held(),
        pool.draining(),
        pool.quarantined(),
        pool.maintenance());
  }

  private static List<List<Integer>> ranges(List<DeviceRanges.Range> ranges) {
    return ranges.stream().map(range -> List.of(range.first(), range.last())).toList();
  }

  static DeviceStatus device(FleetOverview.DeviceView device) {
    var states = new ArrayList<DeviceState>();
    if (device.heldUntil().isPresent()) {
      states.add(DeviceState.HELD);
    }
    device.status().ifPresent(status -> states.add(DeviceState.valueOf(status.state().name())));
    var view =
        new DeviceStatus(
            device.pool() + ":" + device.device(), device.pool(), device.device(), states);
    device.heldUntil().ifPresent(until -> view.setHeldUntil(until.atOffset(ZoneOffset.UTC)));
    device
        .status()
        .ifPresent(
            status -> {
              view.setReason(status.reason());
              view.setSince(status.since().atOffset(ZoneOffset.UTC));
              view.setChangedBy(status.changedBy());
            });
    return view;
  }

  static Maintenance maintenance(DeviceStatuses.Maintenance maintenance) {
    var view =
        new Maintenance(
            maintenance.reason(),
            maintenance.since().atOffset(ZoneOffset.UTC),
            maintenance.changedBy());
    if (!maintenance.pool().equals(FleetReader.ALL_POOLS)) {
      view.setPool(maintenance.pool());
    }
    return view;
  }
}
