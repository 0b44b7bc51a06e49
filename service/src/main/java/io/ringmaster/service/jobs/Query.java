package io.ringmaster.service.jobs;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;

/** A select with optional conditions, newest ids first, one page at a time. */
public final class Query {

  private final String select;
  private final List<String> conditions = new ArrayList<>();
  private final Map<String, Object> parameters = new LinkedHashMap<>();

  /**
   * Starts a query.
   *
   * @param select everything before {@code where}
   */
  public Query(String select) {
    this.select = select;
  }

  /** Adds a condition on a value, if there is one; the condition names it {@code :name}. */
  public Query where(String condition, String name, Optional<?> value) {
    value.ifPresent(
        present -> {
          conditions.add(condition);
          parameters.put(name, present);
        });
    return this;
  }

  /** Adds a condition for each label that the job of a row must have. */
  public Query labels(String jobId, Map<String, String> labels) {
    int number = 0;
    for (var label : labels.entrySet()) {
      number++;
      var key = "label_key" + number;
      var value = "label_value" + number;
      where(
              "exists (select 1 from job_label l where l.job_id = %s and l.label_key = :%s and l.label_value = :%s)"
                  .formatted(jobId, key, value),
              key,
              Optional.of(label.getKey()))
          .param(value, label.getValue());
    }
    return this;
  }

  /** Gives a value to a name that a condition uses beside its own. */
  Query param(String name, Object value) {
    parameters.put(name, value);
    return this;
  }

  /**
   * The statement for one page.
   *
   * @param after id of the last row of the page before
   */
  public StatementSpec page(JdbcClient jdbc, String id, Optional<String> after, int rows) {
    where(id + " < :after_id", "after_id", after);
    var where = conditions.isEmpty() ? "" : " where " + String.join(" and ", conditions);
    return jdbc.sql(select + where + " order by " + id + " desc limit :page_rows")
        .params(parameters)
        .param("page_rows", rows);
  }
}
