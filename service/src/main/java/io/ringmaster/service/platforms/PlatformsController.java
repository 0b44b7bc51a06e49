package io.ringmaster.service.platforms;

import io.ringmaster.api.model.CollectiveCapability;
import io.ringmaster.api.model.PlatformCapabilities;
import io.ringmaster.api.model.PlatformCosts;
import io.ringmaster.api.model.PlatformList;
import io.ringmaster.api.server.PlatformsApi;
import io.ringmaster.service.problems.ProblemException;
import io.ringmaster.service.problems.Quoting;
import io.ringmaster.worker.job.Capabilities;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;

/** Lists the platforms, and says what they can do. */
@RestController
class PlatformsController implements PlatformsApi {

  private final PlatformCatalog catalog;
  private final CapabilityBook capabilities;

  PlatformsController(PlatformCatalog catalog, CapabilityBook capabilities) {
    this.catalog = catalog;
    this.capabilities = capabilities;
  }

  @Override
  public ResponseEntity<PlatformCapabilities> getPlatformCapabilities(String platform) {
    var found =
        capabilities
            .of(platform)
            .orElseThrow(
                () ->
                    ProblemException.notFound(
                        "Capabilities are known of simulated platforms, %s, and %s is none of them."
                            .formatted(
                                String.join(
                                    ", ",
                                    catalog.names().stream().filter(catalog::isSimulated).toList()),
                                Quoting.quote(platform))));
    var costs = found.costModel();
    var view =
        new PlatformCapabilities(
            platform,
            found.collectives().stream().map(PlatformsController::view).toList(),
            found.onChipBytes(),
            new PlatformCosts(costs.name(), costs.parameters(), costs.sources()));
    found.vectorCores().ifPresent(view::setVectorCores);
    return ResponseEntity.ok(view);
  }

  private static CollectiveCapability view(Capabilities.Collective one) {
    var view = new CollectiveCapability(one.name(), one.rail(), one.reductions(), one.dtypes());
    if (!one.mode().isEmpty()) {
      view.setMode(one.mode());
    }
    one.maxRanks().ifPresent(view::setMaxRanks);
    return view;
  }

  @Override
  public ResponseEntity<PlatformList> listPlatforms() {
    var platforms =
        catalog.all().stream()
            .map(
                platform ->
                    new io.ringmaster.api.model.Platform(
                        platform.name(),
                        platform.backend(),
                        platform.available(),
                        platform.maxDevices(),
                        platform.description()))
            .toList();
    return ResponseEntity.ok(new PlatformList(platforms));
  }
}
