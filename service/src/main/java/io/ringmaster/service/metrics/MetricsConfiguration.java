package io.ringmaster.service.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.config.MeterFilter;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.info.BuildProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The hard stop for series, and what is running. */
@Configuration(proxyBeanMethods = false)
class MetricsConfiguration {

  /** Far above what the catalogue can make; a fault that makes series without end stops here. */
  private static final int MOST_METERS = 5_000;

  private static final String UNKNOWN = "unknown";

  @Bean
  MeterFilter hardStop() {
    return MeterFilter.maximumAllowableMetrics(MOST_METERS);
  }

  @Bean
  MeterBinder buildInfo(ObjectProvider<BuildProperties> build) {
    return registry -> register(registry, Optional.ofNullable(build.getIfAvailable()));
  }

  private static void register(MeterRegistry registry, Optional<BuildProperties> build) {
    new Meters(registry, MetricCatalogue.load())
        .gauge(
            "ringmaster_build_info",
            () -> 1,
            "version",
            build.map(BuildProperties::getVersion).orElse("development"),
            "revision",
            build.map(MetricsConfiguration::revision).orElse(UNKNOWN),
            "java",
            Integer.toString(Runtime.version().feature()));
  }

  /** A build without a repository has nothing to put into its template. */
  private static String revision(BuildProperties build) {
    var revision = build.get("revision");
    return revision != null && revision.matches("[0-9a-f]+") ? revision : UNKNOWN;
  }
}
