package io.ringmaster.worker.job;

import io.ringmaster.worker.device.CostModels;
import io.ringmaster.worker.device.HardwareProfile;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.TreeMap;

/**
 * What a simulated platform can do. The collectives are found by compiling each of them, so that
 * this says what the compiler takes and not what somebody believes that it does.
 *
 * @param onChipBytes capacities by memory; empty where there are no limits
 * @param vectorCores what {@code core_num} may ask for at most
 */
public record Capabilities(
    List<Collective> collectives,
    Map<String, Long> onChipBytes,
    OptionalInt vectorCores,
    CostModel costModel) {

  public Capabilities {
    collectives = List.copyOf(collectives);
    onChipBytes = Map.copyOf(onChipBytes);
  }

  /**
   * A built-in collective in one of its forms.
   *
   * @param rail IN_CORE, called in a kernel, or HOST
   * @param mode of an allreduce; empty for the others, which have one
   * @param reductions how it may combine elements; empty when it combines none
   * @param dtypes of its elements; empty for a barrier, which has none
   * @param maxRanks none without a limit
   */
  public record Collective(
      String name,
      String rail,
      String mode,
      List<String> reductions,
      List<String> dtypes,
      OptionalInt maxRanks) {

    public Collective {
      reductions = List.copyOf(reductions);
      dtypes = List.copyOf(dtypes);
    }
  }

  /**
   * The costs behind virtual times.
   *
   * @param parameters nanoseconds, and bytes a nanosecond, by name
   * @param sources for each group of parameters where they come from
   */
  public record CostModel(
      String name, Map<String, Double> parameters, Map<String, String> sources) {

    public CostModel {
      parameters = Map.copyOf(parameters);
      sources = Map.copyOf(sources);
    }
  }

  /** Those of a simulated platform; empty for any other. It takes about a second. */
  public static Optional<Capabilities> of(String platform) {
    return HardwareProfile.named(platform)
        .filter(HardwareProfile::isSimulated)
        .map(Capabilities::of);
  }

  private static Capabilities of(HardwareProfile profile) {
    var capacities = new TreeMap<String, Long>();
    limit(profile.vecBytes()).ifPresent(bytes -> capacities.put("vec", bytes));
    limit(profile.matBytes()).ifPresent(bytes -> capacities.put("mat", bytes));
    limit(profile.leftBytes()).ifPresent(bytes -> capacities.put("left", bytes));
    limit(profile.rightBytes()).ifPresent(bytes -> capacities.put("right", bytes));
    limit(profile.accBytes()).ifPresent(bytes -> capacities.put("acc", bytes));
    limit(profile.biasBytes()).ifPresent(bytes -> capacities.put("bias", bytes));
    return new Capabilities(
        new CapabilityTrials(profile).collectives(),
        capacities,
        limit(profile.vectorCores()),
        costs(profile));
  }

  static OptionalInt limit(int number) {
    return number == Integer.MAX_VALUE ? OptionalInt.empty() : OptionalInt.of(number);
  }

  private static OptionalLong limit(long bytes) {
    return bytes == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(bytes);
  }

  private static CostModel costs(HardwareProfile profile) {
    var lines = new Properties();
    try {
      lines.load(new StringReader(CostModels.print(profile.cost())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var parameters = new TreeMap<String, Double>();
    var sources = new TreeMap<String, String>();
    for (var key : lines.stringPropertyNames()) {
      if (key.endsWith(".source")) {
        sources.put(key.substring(0, key.lastIndexOf('.')), lines.getProperty(key));
      } else if (!key.equals("name")) {
        parameters.put(key, Double.valueOf(lines.getProperty(key)));
      }
    }
    return new CostModel(profile.cost().name(), parameters, sources);
  }
}
