// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.Embedder;
import io.github.lookupffn.EmbeddingBatcher;
import io.github.lookupffn.Model;
import io.github.lookupffn.ModelEmbedder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The beans of the models that have names: for {@code lookupffn.models.search} the beans {@code searchModel}, {@code
 * searchBatcher}, {@code searchEmbedder}, with Spring AI {@code searchSpringAi} and with LangChain4j {@code
 * searchLangChain4j}; for a reranker the model and {@code searchScoring}. All have the qualifier "search". Beside others of
 * their type they are injected by their qualifier or name alone.
 */
final class NamedModels implements BeanDefinitionRegistryPostProcessor {
  static final String PREFIX = "lookupffn.models";
  // No ending is the end of another, so that no two names make one bean.
  static final String MODEL = "Model";
  static final String BATCHER = "Batcher";
  static final String EMBEDDER = "Embedder";
  // The beans that make those of a framework, where it is there.
  static final String SPRING_AI = "lookupFfnNamedSpringAi";
  static final String LANG_CHAIN_4J = "lookupFfnNamedLangChain4j";
  private static final String RERANKER = "reranker";
  private static final String UNNAMED = "lookupFfn";

  private final Environment environment;

  NamedModels(Environment environment) {
    this.environment = environment;
  }

  /** Whether a bean is one of the model without a name, or what all models share. */
  static boolean isOfModel(String bean) {
    return bean.startsWith(UNNAMED)
        && List.of(MODEL, BATCHER, EMBEDDER, "Runtime").stream().anyMatch(bean::endsWith);
  }

  @Override
  public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
    Map<String, ModelProperties> models = Binder.get(environment)
        .bind(PREFIX, Bindable.mapOf(String.class, ModelProperties.class))
        .orElse(Map.of());
    Registration made = new Registration(registry, environment.getProperty("lookupffn.lazy", Boolean.class, false));
    models.forEach((name, properties) -> {
      if (name.equals(UNNAMED)) {
        throw new LookupFfnPropertyException(
            PREFIX + "." + name, null, new IllegalArgumentException("the beans of the model without a name begin so"));
      }
      made.add(name, MODEL, "lookupFfnNamedBeans", "model", Model.class, Model.class);
      ModelProperties.Use use = properties.getUse();
      if (use == null ? name.equals(RERANKER) : use == ModelProperties.Use.RERANKING) {
        if (registry.containsBeanDefinition(LANG_CHAIN_4J)) {
          LangChain4j.addReranker(made, name);
        }
        return;
      }
      if (properties.getBatching().isEnabled()) {
        made.add(
            name, BATCHER, "lookupFfnNamedBeans", "batcher", EmbeddingBatcher.class, EmbeddingBatcher.class, name + MODEL);
      }
      made.add(
          name, EMBEDDER, "lookupFfnNamedBeans", "embedder", ModelEmbedder.class, Embedder.class,
          properties.getBatching().isEnabled() ? name + BATCHER : name + MODEL);
      if (registry.containsBeanDefinition(SPRING_AI)) {
        SpringAi.add(made, name);
      }
      if (registry.containsBeanDefinition(LANG_CHAIN_4J)) {
        LangChain4j.add(made, name);
      }
    });
  }

  @Override
  public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
    // What had to be done was done to the registry.
  }

  /** Loaded where Spring AI is there. */
  private static final class SpringAi {
    static void add(Registration made, String name) {
      made.add(
          name, "SpringAi", SPRING_AI, "springAi", io.github.lookupffn.springai.LookupFfnEmbeddingModel.class,
          org.springframework.ai.embedding.EmbeddingModel.class, name + EMBEDDER);
    }
  }

  /** Loaded where LangChain4j is there. */
  private static final class LangChain4j {
    static void add(Registration made, String name) {
      made.add(
          name, "LangChain4j", LANG_CHAIN_4J, "langChain4j",
          io.github.lookupffn.langchain4j.LookupFfnEmbeddingModel.class,
          dev.langchain4j.model.embedding.EmbeddingModel.class, name + EMBEDDER);
    }

    static void addReranker(Registration made, String name) {
      made.add(
          name, "Scoring", LANG_CHAIN_4J, "scoring", io.github.lookupffn.langchain4j.LookupFfnScoringModel.class,
          dev.langchain4j.model.scoring.ScoringModel.class, name + MODEL);
    }
  }

  /** Adds beans. */
  private static final class Registration {
    private final BeanDefinitionRegistry registry;
    private final boolean lazy;
    // Whether there were no others of a type before those with names.
    private final Map<Class<?>, Boolean> alone = new HashMap<>();

    Registration(BeanDefinitionRegistry registry, boolean lazy) {
      this.registry = registry;
      this.lazy = lazy;
    }

    private boolean isAlone(Class<?> type) {
      return registry instanceof ListableBeanFactory beans && beans.getBeanNamesForType(type, true, false).length == 0;
    }

    void add(String name, String ending, String maker, String method, Class<?> type, Class<?> askedFor, String... needs) {
      if (registry.containsBeanDefinition(name + ending)) {
        return; // the application's own, or made ahead of time
      }
      RootBeanDefinition definition = new RootBeanDefinition();
      definition.setTargetType(type);
      definition.setFactoryBeanName(maker);
      definition.setFactoryMethodName(method);
      definition.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
      definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, name));
      definition.setDefaultCandidate(alone.computeIfAbsent(askedFor, this::isAlone));
      definition.setLazyInit(lazy);
      definition.setDependsOn(needs);
      boolean closes = type == Model.class || type == EmbeddingBatcher.class || type == ModelEmbedder.class;
      definition.setDestroyMethodName(closes ? "close" : "");
      registry.registerBeanDefinition(name + ending, definition);
    }
  }
}
