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
