package io.ringmaster.service.platforms;

import io.ringmaster.api.model.PlatformList;
import io.ringmaster.api.server.PlatformsApi;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RestController;

/** Lists the platforms. */
@RestController
class PlatformsController implements PlatformsApi {

  private final PlatformCatalog catalog;

  PlatformsController(PlatformCatalog catalog) {
    this.catalog = catalog;
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
