package io.ringmaster.service.platforms;

import io.ringmaster.worker.job.Accelerators;
import java.util.List;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/** The platforms this service knows. The embedded workers offer the simulated ones. */
@Component
public final class PlatformCatalog {

  private static final String SIMULATOR = "simulator";
  private static final String OPENCL = "opencl";
  private static final int CHIP_LIMIT = 1024;
  private static final int STUDY_LIMIT = 65_536;

  private final List<Platform> platforms =
      List.of(
          new Platform(
              "a2a3sim",
              SIMULATOR,
              true,
              true,
              CHIP_LIMIT,
              "Simulated 910B family, with the limits of the real chips."),
          new Platform(
              "a5sim",
              SIMULATOR,
              true,
              true,
              CHIP_LIMIT,
              "Simulated 950 family, with the limits of the real chips."),
          new Platform(
              "sim",
              SIMULATOR,
              true,
              true,
              STUDY_LIMIT,
              "Simulated, without hardware limits, for scale studies."),
          new Platform(OPENCL, "opencl", false, false, CHIP_LIMIT, "An accelerator through OpenCL"),
          new Platform(
              "a2a3",
              "ascend",
              false,
              false,
              CHIP_LIMIT,
              "910B cards, through the vendor's tools."),
          new Platform(
              "a5", "ascend", false, false, CHIP_LIMIT, "950 cards, through the vendor's tools."));

  private final PlatformOffers offers;
  private final Accelerators accelerators;

  @Autowired
  PlatformCatalog(PlatformOffers offers, HostAccelerators accelerators) {
    this(offers, accelerators.now());
  }

  /**
   * The catalogue for offers from elsewhere.
   *
   * @param accelerators what the workers inside this process may use
   */
  public PlatformCatalog(PlatformOffers offers, Accelerators accelerators) {
    this.offers = offers;
    this.accelerators = accelerators;
  }

  /** Every platform, offered or not, in the order in which to list them. */
  public List<Platform> all() {
    return platforms.stream().map(this::asOfferedNow).toList();
  }

  /** The platform of exactly this name. */
  public Optional<Platform> find(String name) {
    return known(name).map(this::asOfferedNow);
  }

  private Optional<Platform> known(String name) {
    return platforms.stream().filter(platform -> platform.name().equals(name)).findFirst();
  }

  private Platform asOfferedNow(Platform platform) {
    boolean own = platform.available() || isHere(platform);
    boolean offered = own || offers.offers(platform.name());
    return new Platform(
        platform.name(),
        platform.backend(),
        platform.simulated(),
        offered,
        platform.maxDevices(),
        platform.name().equals(OPENCL) ? openCl(platform, offered) : platform.description());
  }

  private boolean isHere(Platform platform) {
    return platform.name().equals(OPENCL) && accelerators.available();
  }

  private String openCl(Platform platform, boolean offered) {
    if (accelerators.available()) {
      return platform.description() + ": " + String.join("; ", accelerators.devices()) + ".";
    }
    return offered
        ? platform.description() + ", of a worker elsewhere."
        : platform.description() + ". " + accelerators.reason() + ": " + accelerators.fix() + ".";
  }

  /** Whether a platform's devices exist only in a worker's memory. */
  public boolean isSimulated(String name) {
    return known(name).map(Platform::simulated).orElse(false);
  }

  /** Those that the workers inside this process offer. */
  public List<String> embedded() {
    return platforms.stream()
        .filter(platform -> platform.simulated() || isHere(platform))
        .map(Platform::name)
        .toList();
  }

  /** The names of all, in their order. */
  public List<String> names() {
    return platforms.stream().map(Platform::name).toList();
  }

  /** What executes a platform; a job of an older version may name one that is gone. */
  public String backend(String name) {
    return known(name).map(Platform::backend).orElse("other");
  }
}
