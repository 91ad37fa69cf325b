// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.Embedder;
import io.github.lookupffn.EmbeddingBatcher;
import io.github.lookupffn.LookupFfnRuntime;
import io.github.lookupffn.Model;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * The beans of the models that have names: for {@code lookupffn.models.search} the beans {@code searchModel}, {@code
 * searchBatcher}, {@code searchEmbedder} and, with Spring AI, {@code searchEmbeddingModel}, all with the qualifier "search".
 * Beside a model without a name they are injected by their qualifier or name alone.
 */
final class NamedModels implements BeanDefinitionRegistryPostProcessor, BeanFactoryAware {
  private static final List<String> ENDINGS = List.of("Model", "Batcher", "Embedder", "EmbeddingModel");
  private static final String PREFIX = "lookupffn.models";

  private final Environment environment;
  private BeanFactory factory;

  NamedModels(Environment environment) {
    this.environment = environment;
  }

  @Override
  public void setBeanFactory(BeanFactory beans) {
    factory = beans;
  }

  static boolean isOfModel(String bean) {
    return bean.startsWith("lookupFfn") && ENDINGS.stream().anyMatch(bean::endsWith)
        || bean.equals("lookupFfnRuntime");
  }

  @Override
  public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
    Map<String, ModelProperties> models = Binder.get(environment)
        .bind(PREFIX, Bindable.mapOf(String.class, ModelProperties.class))
        .orElse(Map.of());
    boolean alone = !environment.containsProperty("lookupffn.model");
    boolean lazy = environment.getProperty("lookupffn.lazy", Boolean.class, false);
    models.forEach((name, properties) -> {
      Registration made = new Registration(registry, name, alone, lazy);
      made.add("Model", Model.class, () -> factory.getBean(ModelLoader.class)
          .load(PREFIX + "." + name + ".model", properties, factory.getBean(LookupFfnRuntime.class)));
      if (properties.getBatching().isEnabled()) {
        made.add("Batcher", EmbeddingBatcher.class, () ->
            new EmbeddingBatcher(factory.getBean(name + "Model", Model.class), properties.batchingOptions()),
            name + "Model");
      }
      made.add("Embedder", Embedder.class, () -> properties.embedder(
          factory.getBean(name + "Model", Model.class),
          properties.getBatching().isEnabled() ? factory.getBean(name + "Batcher", EmbeddingBatcher.class) : null),
          properties.getBatching().isEnabled() ? name + "Batcher" : name + "Model");
      if (ClassUtils.isPresent("io.github.lookupffn.springai.LookupFfnEmbeddingModel", null)) {
        SpringAi.add(made, factory, name, properties);
      }
    });
  }

  @Override
  public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
    // What had to be done was done to the registry.
  }

  /** Loaded where Spring AI is there. */
  private static final class SpringAi {
    static void add(Registration made, BeanFactory factory, String name, ModelProperties properties) {
      made.add(
          "EmbeddingModel",
          io.github.lookupffn.springai.LookupFfnEmbeddingModel.class,
          () -> LookupFfnSpringAiAutoConfiguration.over(
              factory.getBean(name + "Embedder", Embedder.class),
              properties.getModel() == null ? name : properties.nameOrPlace(),
              factory).forStores(),
          name + "Embedder");
    }
  }

  /** Adds the beans of a name. */
  private static final class Registration {
    private final BeanDefinitionRegistry registry;
    private final String name;
    private final boolean candidate;
    private final boolean lazy;

    Registration(BeanDefinitionRegistry registry, String name, boolean candidate, boolean lazy) {
      this.registry = registry;
      this.name = name;
      this.candidate = candidate;
      this.lazy = lazy;
    }

    <T> void add(String ending, Class<T> type, Supplier<T> supplier, String... needs) {
      if (registry.containsBeanDefinition(name + ending)) {
        return; // the application's own
      }
      RootBeanDefinition definition = new RootBeanDefinition(type, supplier);
      definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, name));
      definition.setDefaultCandidate(candidate);
      definition.setLazyInit(lazy);
      definition.setDependsOn(needs);
      definition.setDestroyMethodName(ending.equals("EmbeddingModel") ? null : "close");
      registry.registerBeanDefinition(name + ending, definition);
    }
  }
}
