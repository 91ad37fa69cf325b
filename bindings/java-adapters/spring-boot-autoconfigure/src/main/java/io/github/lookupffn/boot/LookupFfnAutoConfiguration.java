// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.Embedder;
import io.github.lookupffn.EmbeddingBatcher;
import io.github.lookupffn.LookupFfnRuntime;
import io.github.lookupffn.Model;
import io.github.lookupffn.ModelEmbedder;
import io.github.lookupffn.RuntimeOptions;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
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
  @ConditionalOnMissingBean
  CallTimes lookupFfnCallTimes() {
    return new CallTimes();
  }

  @Bean
  static NamedModels lookupFfnNamedModels(Environment environment) {
    return new NamedModels(environment);
  }

  @Bean
  NamedBeans lookupFfnNamedBeans(
      LookupFfnProperties properties, ModelLoader loader, CallTimes times, ConfigurableListableBeanFactory beans) {
    return new NamedBeans(properties, loader, times, beans);
  }

  /**
   * Makes the beans lazy where the application wants models to be loaded when they are first used, and those that nobody may
   * want where it has an embedder of its own.
   */
  @Bean
  static BeanFactoryPostProcessor lookupFfnLazyModels(Environment environment) {
    boolean lazy = environment.getProperty("lookupffn.lazy", Boolean.class, false);
    return factory -> {
      boolean ownEmbedder = !factory.containsBeanDefinition("lookupFfnEmbedder");
      for (String name : factory.getBeanDefinitionNames()) {
        boolean unwanted = ownEmbedder && (name.equals("lookupFfnModel") || name.equals("lookupFfnBatcher"));
        if (unwanted || lazy && NamedModels.isOfModel(name)) {
          factory.getBeanDefinition(name).setLazyInit(true);
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
    LookupFfnProperties.Runtime told = properties.getRuntime();
    RuntimeOptions options = LookupFfnPropertyException.checked(
        "lookupffn.runtime.threads", told.getThreads(), RuntimeOptions.defaults()::withNumThreads);
    return LookupFfnPropertyException.checked(
        "lookupffn.runtime.instruction-set",
        told.getInstructionSet(),
        isa -> LookupFfnRuntime.create(isa == null ? options : options.withIsa(isa)));
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
    return loader.load("lookupffn.", properties, runtime);
  }

  /**
   * Puts the texts of concurrent calls together.
   *
   * @param model the model, whoever made it
   * @param properties how
   * @return the batcher
   */
  @Bean(destroyMethod = "close")
  @ConditionalOnSingleCandidate(Model.class)
  @ConditionalOnProperty(name = "lookupffn.batching.enabled", matchIfMissing = true)
  @ConditionalOnMissingBean
  public EmbeddingBatcher lookupFfnBatcher(Model model, LookupFfnProperties properties) {
    return new EmbeddingBatcher(model, properties.getBatching().options("lookupffn.batching."));
  }

  /**
   * Embeds queries and documents.
   *
   * @param model the model, whoever made it
   * @param batcher puts texts together, if there is one
   * @param properties how
   * @param times who is told of its calls
   * @param beans where the executor is
   * @return the embedder
   */
  @Bean(destroyMethod = "close")
  @ConditionalOnSingleCandidate(Model.class)
  @ConditionalOnMissingBean(Embedder.class)
  public ModelEmbedder lookupFfnEmbedder(
      Model model,
      ObjectProvider<EmbeddingBatcher> batcher,
      LookupFfnProperties properties,
      CallTimes times,
      BeanFactory beans) {
    return properties.embedder(
        "lookupffn.", model, batcher.getIfUnique(), times.listenerOf("lookupFfnEmbedder"), beans);
  }
}
