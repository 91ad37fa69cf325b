// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.Embedder;
import io.github.lookupffn.EmbeddingBatcher;
import io.github.lookupffn.LookupFfnRuntime;
import io.github.lookupffn.Model;
import io.github.lookupffn.RuntimeOptions;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;

/**
 * The model of {@code lookupffn.model}, its batcher and its embedder; and those of {@code lookupffn.models.NAME.model}, with
 * NAME as their qualifier.
 *
 * <p>Spring closes them after the web server has ended its requests: first the embedder, then the batcher, which runs what
 * waits, then the model.
 */
@AutoConfiguration
@EnableConfigurationProperties(LookupFfnProperties.class)
public class LookupFfnAutoConfiguration {
  /** Made by Spring. */
  public LookupFfnAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  ModelLoader lookupFfnModelLoader(ResourceLoader resources) {
    return new ModelLoader(resources);
  }

  @Bean
  static NamedModels lookupFfnNamedModels(Environment environment) {
    return new NamedModels(environment);
  }

  /** Makes the beans lazy where the application wants models to be loaded when they are first used. */
  @Bean
  static BeanFactoryPostProcessor lookupFfnLazyModels(Environment environment) {
    boolean lazy = environment.getProperty("lookupffn.lazy", Boolean.class, false);
    return factory -> {
      if (lazy) {
        for (String name : factory.getBeanDefinitionNames()) {
          if (NamedModels.isOfModel(name)) {
            factory.getBeanDefinition(name).setLazyInit(true);
          }
        }
      }
    };
  }

  /**
   * What all models share.
   *
   * @param properties of which the runtime's
   * @return the runtime
   */
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  public LookupFfnRuntime lookupFfnRuntime(LookupFfnProperties properties) {
    RuntimeOptions options = RuntimeOptions.defaults().withNumThreads(properties.getRuntime().getThreads());
    String isa = properties.getRuntime().getInstructionSet();
    return LookupFfnRuntime.create(isa == null ? options : options.withIsa(isa));
  }

  /**
   * The model.
   *
   * @param loader loads it
   * @param properties where it lies
   * @param runtime what it shares with others
   * @return the model
   */
  @Bean(destroyMethod = "close")
  @ConditionalOnProperty("lookupffn.model")
  @ConditionalOnMissingBean
  public Model lookupFfnModel(ModelLoader loader, LookupFfnProperties properties, LookupFfnRuntime runtime) {
    return loader.load("lookupffn.model", properties, runtime);
  }

  /**
   * Puts the texts of concurrent calls together.
   *
   * @param model the model
   * @param properties how
   * @return the batcher
   */
  @Bean(destroyMethod = "close")
  @ConditionalOnBean(name = "lookupFfnModel")
  @ConditionalOnProperty(name = "lookupffn.batching.enabled", matchIfMissing = true)
  @ConditionalOnMissingBean
  public EmbeddingBatcher lookupFfnBatcher(Model model, LookupFfnProperties properties) {
    return new EmbeddingBatcher(model, properties.batchingOptions());
  }

  /**
   * Embeds queries and documents.
   *
   * @param model the model
   * @param batcher puts texts together, if there is one
   * @param properties how
   * @return the embedder
   */
  @Bean(destroyMethod = "close")
  @ConditionalOnBean(name = "lookupFfnModel")
  @ConditionalOnMissingBean
  public Embedder lookupFfnEmbedder(
      Model model, ObjectProvider<EmbeddingBatcher> batcher, LookupFfnProperties properties) {
    return properties.embedder(model, batcher.getIfAvailable());
  }
}
