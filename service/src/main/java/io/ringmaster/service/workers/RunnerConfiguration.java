package io.ringmaster.service.workers;

import io.ringmaster.service.config.RingmasterProperties;
import io.ringmaster.worker.isolated.ChildRunner;
import io.ringmaster.worker.job.JobRunner;
import java.util.Optional;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Says what runs and compiles kernels. */
@Configuration(proxyBeanMethods = false)
class RunnerConfiguration {

  /** No driver is ever loaded into this process. */
  @Bean
  ChildRunner accelerators(RingmasterProperties properties) {
    return new ChildRunner(Math.max(1, properties.workers().embedded()));
  }

  @Bean
  @ConditionalOnMissingBean(JobExecutor.class)
  KernelRunner runner(ChildRunner accelerators) {
    return new KernelRunner(new JobRunner(Optional.empty(), accelerators));
  }
}
