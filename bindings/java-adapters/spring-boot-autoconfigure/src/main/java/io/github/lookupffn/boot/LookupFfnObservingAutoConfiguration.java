// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What is seen of the models from outside: meters where Micrometer is there, and whether they are healthy. */
@AutoConfiguration(after = LookupFfnAutoConfiguration.class)
public class LookupFfnObservingAutoConfiguration {
  /** Made by Spring. */
  public LookupFfnObservingAutoConfiguration() {}

  /** With Micrometer. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterBinder.class)
  static class Meters {
    @Bean
    @ConditionalOnMissingBean(name = "lookupFfnMeters")
    MeterBinder lookupFfnMeters(ListableBeanFactory beans, ModelLoader loader) {
      return new EmbedderMeters(beans, loader);
    }
  }

  /** With Spring Boot 4. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
  @ConditionalOnProperty(name = "management.health.lookupffn.enabled", matchIfMissing = true)
  static class Health4 {
    @Bean
    @ConditionalOnMissingBean(name = "lookupFfnHealthIndicator")
    org.springframework.boot.health.contributor.HealthIndicator lookupFfnHealthIndicator(ListableBeanFactory beans) {
      return () -> {
        EmbedderHealth health = new EmbedderHealth(beans);
        return (health.isUp()
            ? org.springframework.boot.health.contributor.Health.up()
            : org.springframework.boot.health.contributor.Health.down()).withDetails(health.details()).build();
      };
    }
  }

  /** With Spring Boot 3. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
  @ConditionalOnProperty(name = "management.health.lookupffn.enabled", matchIfMissing = true)
  static class Health3 {
    @Bean
    @ConditionalOnMissingBean(name = "lookupFfnHealthIndicator")
    org.springframework.boot.actuate.health.HealthIndicator lookupFfnHealthIndicator(ListableBeanFactory beans) {
      return () -> {
        EmbedderHealth health = new EmbedderHealth(beans);
        return (health.isUp()
            ? org.springframework.boot.actuate.health.Health.up()
            : org.springframework.boot.actuate.health.Health.down()).withDetails(health.details()).build();
      };
    }
  }
}
