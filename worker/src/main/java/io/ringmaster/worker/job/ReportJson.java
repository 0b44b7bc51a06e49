package io.ringmaster.worker.job;

import com.fasterxml.jackson.annotation.JsonInclude;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The report as JSON, exactly as the HTTP interface shows it: what does not apply is absent. */
public final class ReportJson {

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .changeDefaultPropertyInclusion(
              all -> all.withValueInclusion(JsonInclude.Include.NON_NULL))
          .build();

  private ReportJson() {}

  public static String write(JobReport report) {
    return MAPPER.writeValueAsString(report);
  }

  /** Any other record in the same style. */
  public static String print(Record report) {
    return MAPPER.writeValueAsString(report);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws IllegalArgumentException when the text is no report
   */
  public static JobReport read(String json) {
    try {
      return MAPPER.readValue(json, JobReport.class);
    } catch (JacksonException e) {
      throw new IllegalArgumentException("not a job report: " + e.getOriginalMessage(), e);
    }
  }
}
