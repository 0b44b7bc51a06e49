package io.ringmaster.service.testing;

import io.ringmaster.service.ServiceApplication;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A running service, mostly with a scripted runner, on a port of its own. */
public final class TestService implements AutoCloseable {

  private final ConfigurableApplicationContext context;

  private TestService(ConfigurableApplicationContext context) {
    this.context = context;
  }

  /** On an H2 database in a folder. */
  public static TestService inFolder(Path folder, String... options) {
    var all = new ArrayList<>(List.of(options));
    all.add("--ringmaster.data=" + folder);
    return start(all, ScriptedRunner.class);
  }

  /** On a database that lives as long as the service. */
  public static TestService inMemory(String... options) {
    return start(withMemory(options), ScriptedRunner.class, MovableClock.class);
  }

  /** The same, but kernels really run. */
  public static TestService withKernels(String... options) {
    return start(withMemory(options));
  }

  /** The same, with beans of the test's own in place of the service's. */
  public static TestService withKernelsAnd(Class<?> beans, String... options) {
    return start(withMemory(options), beans);
  }

  private static List<String> withMemory(String... options) {
    var all = new ArrayList<>(List.of(options));
    all.add(
        "--spring.datasource.url=jdbc:h2:mem:"
            + UUID.randomUUID()
            + ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH;LOCK_TIMEOUT=10000");
    return all;
  }

  public static TestService on(RealPostgres postgres, String... options) {
    return start(onPostgres(postgres, options), ScriptedRunner.class, MovableClock.class);
  }

  /** The same, with beans of the test's own in place of the service's. */
  public static TestService inMemoryWith(Class<?> beans, String... options) {
    return start(withMemory(options), ScriptedRunner.class, beans);
  }

  public static TestService onWith(RealPostgres postgres, Class<?> beans, String... options) {
    return start(onPostgres(postgres, options), ScriptedRunner.class, beans);
  }

  private static List<String> onPostgres(RealPostgres postgres, String... options) {
    var all = new ArrayList<>(List.of(options));
    all.add("--spring.datasource.url=" + postgres.url());
    all.add("--spring.datasource.username=postgres");
    return all;
  }

  private static TestService start(List<String> options, Class<?>... additions) {
    options.add("--server.port=0");
    options.add("--ringmaster.workers.poll-interval=200ms");
    var application = ServiceApplication.application(additions);
    return new TestService(application.run(options.toArray(String[]::new)));
  }

  public int port() {
    return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
  }

  /** A client that holds every reply against the contract. */
  public Api api() {
    return new Api("http://127.0.0.1:" + port());
  }

  public ScriptedRunner runner() {
    return context.getBean(ScriptedRunner.class);
  }

  public JdbcClient jdbc() {
    return context.getBean(JdbcClient.class);
  }

  /** A part of the service. */
  public <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  /** Rows of all tables that a submission could leave something in. */
  public long rows() {
    return List.of("job", "run", "job_source", "job_label", "idempotency_key").stream()
        .mapToLong(table -> jdbc().sql("select count(*) from " + table).query(Long.class).single())
        .sum();
  }

  @Override
  public void close() {
    context.close();
  }
}
