package io.ringmaster.service.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ChangingGaugeTest {

  private static final String NAME = "ringmaster_worker_heartbeat_timestamp_seconds";
  private static final Tags ONE = Tags.of("worker", "one");
  private static final Tags TWO = Tags.of("worker", "two");

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final ChangingGauge gauge = new ChangingGauge(NAME, MetricCatalogue.load(), registry);

  @Test
  void seriesComeChangeAndGo() {
    gauge.show(Map.of(ONE, 1.0));
    assertThat(registry.scrape()).contains(NAME + "{worker=\"one\"} 1.0").doesNotContain("two");
    gauge.show(Map.of(ONE, 2.0, TWO, 3.0));
    assertThat(registry.scrape())
        .contains(NAME + "{worker=\"one\"} 2.0", NAME + "{worker=\"two\"} 3.0");
    gauge.show(Map.of(TWO, 4.0));
    assertThat(registry.scrape()).contains(NAME + "{worker=\"two\"} 4.0").doesNotContain("one");
    gauge.show(Map.of());
    assertThat(registry.scrape()).doesNotContain(NAME + "{");
  }

  @Test
  void noScrapeMissesASeriesWhileItsValueChanges() throws InterruptedException {
    gauge.show(Map.of(ONE, 0.0));
    var over = new AtomicBoolean();
    var changes =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (double value = 1; !over.get(); value++) {
                    gauge.show(Map.of(ONE, value));
                  }
                });
    try {
      for (int i = 0; i < 2000; i++) {
        assertThat(registry.scrape()).contains(NAME + "{worker=\"one\"}");
      }
    } finally {
      over.set(true);
      changes.join();
    }
  }
}
