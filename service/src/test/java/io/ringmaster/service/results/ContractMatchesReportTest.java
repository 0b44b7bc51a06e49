package io.ringmaster.service.results;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.ringmaster.service.testing.ContractCheck;
import io.ringmaster.worker.job.JobReport;
import io.ringmaster.worker.job.PlatformComparison;
import io.ringmaster.worker.job.Verdict;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The report that a worker writes has the properties that the contract promises, and no others. */
class ContractMatchesReportTest {

  private static final ContractCheck CONTRACT = new ContractCheck();

  static Stream<Arguments> parts() {
    return Map.<String, Class<? extends Record>>ofEntries(
            Map.entry("JobReport", JobReport.class),
            Map.entry("DiagnosticLine", JobReport.DiagnosticLine.class),
            Map.entry("RunReport", JobReport.Run.class),
            Map.entry("Evidence", JobReport.Evidence.class),
            Map.entry("Operations", JobReport.Operations.class),
            Map.entry("Check", JobReport.Check.class),
            Map.entry("Finding", JobReport.FindingLine.class),
            Map.entry("Place", JobReport.Place.class),
            Map.entry("Collective", JobReport.Collective.class),
            Map.entry("Barrier", JobReport.Barrier.class),
            Map.entry("Traffic", JobReport.Traffic.class),
            Map.entry("TestCase", JobReport.TestCase.class),
            Map.entry("Timings", JobReport.Timings.class),
            Map.entry("PlatformComparison", PlatformComparison.class),
            Map.entry("ComparisonDifference", PlatformComparison.Difference.class),
            Map.entry("ComparisonTimes", PlatformComparison.Times.class))
        .entrySet()
        .stream()
        .map(part -> Arguments.of(part.getKey(), part.getValue()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("parts")
  void aPartHasTheContractsProperties(String schema, Class<? extends Record> type) {
    var names = new TreeSet<String>();
    Arrays.stream(type.getRecordComponents()).map(this::jsonName).forEach(names::add);
    assertThat(names).containsExactlyInAnyOrderElementsOf(CONTRACT.properties(schema));
  }

  private String jsonName(RecordComponent component) {
    return Optional.ofNullable(component.getAccessor().getAnnotation(JsonProperty.class))
        .map(JsonProperty::value)
        .orElse(component.getName());
  }

  @Test
  void theVerdictsAreTheSame() {
    assertThat(CONTRACT.values("Verdict"))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Verdict.values()).map(Enum::name).toList());
  }

  @Test
  void theOutcomesAndKindsOfComparisonsAreTheSame() {
    assertThat(CONTRACT.values("ComparisonOutcome"))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(PlatformComparison.Outcome.values()).map(Enum::name).toList());
    assertThat(CONTRACT.values("DifferenceKind"))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(PlatformComparison.Kind.values()).map(Enum::name).toList());
  }
}
