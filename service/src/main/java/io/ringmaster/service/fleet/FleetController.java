package io.ringmaster.service.fleet;

import io.ringmaster.api.model.DeviceChange;
import io.ringmaster.api.model.DeviceState;
import io.ringmaster.api.model.DeviceStatus;
import io.ringmaster.api.model.DeviceStatusList;
import io.ringmaster.api.model.MaintenanceChange;
import io.ringmaster.api.model.MaintenanceList;
import io.ringmaster.api.model.PoolList;
import io.ringmaster.api.server.FleetApi;
import io.ringmaster.service.placement.FleetOverview;
import io.ringmaster.service.problems.RequestErrors;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;

/** Shows pools and devices, and takes them out of use. */
@RestController
class FleetController implements FleetApi {

  private static final String NO_REASON = "An operator said so.";

  private final FleetOverview fleet;

  FleetController(FleetOverview fleet) {
    this.fleet = fleet;
  }

  @Override
  public ResponseEntity<PoolList> listPools() {
    return ResponseEntity.ok(new PoolList(fleet.pools().stream().map(FleetViews::pool).toList()));
  }

  @Override
  public ResponseEntity<DeviceStatusList> listDevices(
      @Nullable String pool, @Nullable DeviceState state) {
    var devices =
        fleet.devices().stream()
            .filter(device -> pool == null || device.pool().equals(pool))
            .map(FleetViews::device)
            .filter(device -> state == null || device.getStates().contains(state))
            .toList();
    return ResponseEntity.ok(new DeviceStatusList(devices));
  }

  @Override
  public ResponseEntity<DeviceStatus> changeDevice(String deviceId, DeviceChange change) {
    int colon = deviceId.lastIndexOf(':');
    var pool = deviceId.substring(0, colon);
    int device = Integer.parseInt(deviceId.substring(colon + 1));
    var reason = Optional.ofNullable(change.getReason()).orElse(NO_REASON);
    var changed =
        switch (change.getAction()) {
          case DRAIN -> fleet.drain(pool, device, reason);
          case QUARANTINE -> fleet.quarantine(pool, device, reason);
          case RELEASE -> fleet.release(pool, device);
        };
    return ResponseEntity.ok(FleetViews.device(changed));
  }

  @Override
  public ResponseEntity<MaintenanceList> getMaintenance() {
    return ResponseEntity.ok(
        new MaintenanceList(fleet.maintenance().stream().map(FleetViews::maintenance).toList()));
  }

  @Override
  public ResponseEntity<MaintenanceList> setMaintenance(MaintenanceChange change) {
    var pool = Optional.ofNullable(change.getPool());
    var errors = new RequestErrors();
    pool.ifPresent(name -> PoolNames.check(name, errors));
    errors.throwIfAny();
    fleet.maintain(
        pool, change.getEnabled(), Optional.ofNullable(change.getReason()).orElse(NO_REASON));
    return getMaintenance();
  }
}
