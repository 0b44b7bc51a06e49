package io.ringmaster.service.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.MapPropertySource;

/** Makes the data folder of the embedded database and gives it to the settings as a full path. */
public final class DataFolder implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

  private static final String PROPERTY = "ringmaster.data";

  @Override
  public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
    var environment = event.getEnvironment();
    var folder = Path.of(environment.getRequiredProperty(PROPERTY)).toAbsolutePath().normalize();
    environment
        .getPropertySources()
        .addFirst(new MapPropertySource("dataFolder", Map.of(PROPERTY, folder.toString())));
    if (environment.getRequiredProperty("spring.datasource.url").startsWith("jdbc:h2:file:")) {
      create(folder);
    }
  }

  private static void create(Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Cannot make the data folder " + folder + "; set RINGMASTER_DATA to a writable one.", e);
    }
  }
}
