package io.ringmaster.service.retention;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.FixedDelay;
import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.service.problems.ProblemException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Lets one of the processes on a database clean up, again and again. */
@Configuration(proxyBeanMethods = false)
class RetentionConfiguration {

  private static final Logger LOG = LoggerFactory.getLogger(RetentionConfiguration.class);
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration LOOK = Duration.ofSeconds(30);

  @Bean(initMethod = "start", destroyMethod = "stop")
  Scheduler scheduler(DataSource database, CleanUp cleanUp, RingmasterProperties properties) {
    var interval = properties.retention().interval();
    var task =
        Tasks.recurring("clean-up", FixedDelay.of(interval))
            .execute(
                (_, _) -> {
                  try {
                    var _ = cleanUp.run();
                  } catch (ProblemException e) {
                    LOG.warn("Nothing is removed now: {}", e.detail());
                  }
                });
    return Scheduler.create(database)
        .startTasks(List.of(task))
        .threads(1)
        .executorService(Executors.newVirtualThreadPerTaskExecutor())
        .pollingInterval(interval.compareTo(LOOK) < 0 ? interval : LOOK)
        .shutdownMaxWait(PATIENCE)
        .build();
  }
}
