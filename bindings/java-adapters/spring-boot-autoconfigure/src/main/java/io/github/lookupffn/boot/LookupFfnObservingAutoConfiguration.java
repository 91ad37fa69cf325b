// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

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
    MeterBinder lookupFfnMeters(
        ListableBeanFactory beans, ModelLoader loader, CallTimes times, LookupFfnProperties properties) {
      return new EmbedderMeters(beans, loader, times, properties);
    }
  }

  /** What management.health.lookupffn.enabled says, or else management.health.defaults.enabled, as for other indicators. */
  static final class HealthEnabled implements Condition {
    /** Made by Spring. */
    HealthEnabled() {}

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      Environment environment = context.getEnvironment();
      boolean others = environment.getProperty("management.health.defaults.enabled", Boolean.class, true);
      return environment.getProperty("management.health.lookupffn.enabled", Boolean.class, others);
    }
  }

  /** With Spring Boot 4. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
  @Conditional(HealthEnabled.class)
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
  @Conditional(HealthEnabled.class)
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
