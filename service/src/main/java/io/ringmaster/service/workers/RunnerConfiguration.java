package io.ringmaster.service.workers;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Says what runs and compiles kernels. */
@Configuration(proxyBeanMethods = false)
class RunnerConfiguration {

  @Bean
  @ConditionalOnMissingBean(JobExecutor.class)
  KernelRunner runner() {
    return new KernelRunner();
  }
}
