package io.ringmaster.service.config;

import jakarta.servlet.MultipartConfigElement;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.util.unit.DataSize;

/** The beans that stand for the world outside. */
@Configuration(proxyBeanMethods = false)
class WorldConfiguration {

  /** What a form holds beside its script. */
  private static final DataSize FORM_FIELDS = DataSize.ofMegabytes(2);

  private static final int IN_MEMORY_BYTES = 1 << 20;

  @Bean
  InstantSource clock() {
    return InstantSource.system();
  }

  @Bean
  @ConditionalOnMissingBean
  DatabaseTime databaseTime(JdbcClient jdbc, EmbeddedDatabase database) {
    if (database.isEmbedded()) {
      return OffsetDateTime::now; // its clock is the one of this process
    }
    return () ->
        jdbc.sql("select current_timestamp")
            .query((row, _) -> row.getObject(1, OffsetDateTime.class))
            .single();
  }

  @Bean
  Ids ids(InstantSource clock) {
    return new Ids(clock);
  }

  /** The size of the script itself is checked later, where its exact size is known. */
  @Bean
  MultipartConfigElement multipartConfig(RingmasterProperties properties) {
    long request = properties.submit().maxScript().toBytes() + FORM_FIELDS.toBytes();
    return new MultipartConfigElement("", -1, request, IN_MEMORY_BYTES);
  }
}
