package io.ringmaster.service;

import io.ringmaster.service.config.DataFolder;
import io.ringmaster.service.config.RingmasterProperties;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;

/** The service process: HTTP interface, database, embedded workers. */
@SpringBootApplication(proxyBeanMethods = false)
@EnableConfigurationProperties(RingmasterProperties.class)
public class ServiceApplication {

  /** Starts the service and returns once it answers requests; it stops with the process. */
  public static void main(String[] args) {
    run(args);
  }

  /**
   * Starts the service.
   *
   * @param args Spring's options, e.g. {@code --server.port=0}
   * @return the running service; closing it stops the service in order
   */
  public static ConfigurableApplicationContext run(String... args) {
    return application().run(args);
  }

  /** The service before it is started, for those who add to it. */
  public static SpringApplication application(Class<?>... additions) {
    var application = new SpringApplication(ServiceApplication.class);
    // Else it would be the command line's class, after which nothing is named that the build
    // prepares.
    application.setMainApplicationClass(ServiceApplication.class);
    application.addPrimarySources(List.of(additions));
    application.addListeners(new DataFolder());
    return application;
  }
}
