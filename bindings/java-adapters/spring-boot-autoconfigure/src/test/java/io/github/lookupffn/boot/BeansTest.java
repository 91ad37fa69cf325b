// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.langchain4j.model.scoring.ScoringModel;
import io.github.lookupffn.BatchingOptions;
import io.github.lookupffn.Embedder;
import io.github.lookupffn.EmbeddingBatcher;
import io.github.lookupffn.FakeEmbedder;
import io.github.lookupffn.LookupFfnRuntime;
import io.github.lookupffn.Model;
import io.github.lookupffn.ModelEmbedder;
import io.github.lookupffn.Purpose;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The rows of the table of beans in docs/java-frameworks.md. */
class BeansTest {
  private static final Path MODELS = Path.of(System.getProperty("lookupffn.made.models"));
  private static final String PROMPTS = MODELS.resolve("prompts").toString();
  private static final String UNNAMED = "lookupffn.model=" + PROMPTS;
  private static final String SEARCH = "lookupffn.models.search.model=" + PROMPTS;

  private final ApplicationContextRunner runner = new ApplicationContextRunner()
      .withConfiguration(AutoConfigurations.of(
          LookupFfnAutoConfiguration.class,
          LookupFfnSpringAiAutoConfiguration.class,
          LookupFfnLangChain4jAutoConfiguration.class,
          LookupFfnObservingAutoConfiguration.class));

  /** The beans of these types that the application has, but for those of its own that are named "mine". */
  private static Set<String> beans(AssertableApplicationContext context) {
    assertNull(context.getStartupFailure());
    Set<String> names = new TreeSet<>();
    for (Class<?> type : List.of(
        LookupFfnRuntime.class, Model.class, EmbeddingBatcher.class, Embedder.class, EmbeddingModel.class,
        dev.langchain4j.model.embedding.EmbeddingModel.class, ScoringModel.class)) {
      names.addAll(Arrays.asList(context.getBeanNamesForType(type)));
    }
    names.removeAll(Set.of("mine", "lookupFfnRuntime"));
    return names;
  }

  private static final Set<String> FRAMEWORKS = Set.of(
      "lookupFfnStoreEmbeddingModel", "lookupFfnDocumentEmbeddingModel", "lookupFfnQueryEmbeddingModel",
      "lookupFfnLangChain4jEmbeddingModel");

  private static Set<String> and(Set<String> some, String... more) {
    Set<String> all = new TreeSet<>(some);
    all.addAll(Arrays.asList(more));
    return all;
  }

  @Test
  void aModel() {
    runner.run(context -> assertEquals(Set.of(), beans(context)));
    runner.withPropertyValues(UNNAMED).run(context ->
        assertEquals(and(FRAMEWORKS, "lookupFfnModel", "lookupFfnBatcher", "lookupFfnEmbedder"), beans(context)));
    runner.withPropertyValues(UNNAMED, "lookupffn.batching.enabled=false").run(context ->
        assertEquals(and(FRAMEWORKS, "lookupFfnModel", "lookupFfnEmbedder"), beans(context)));
    runner.withPropertyValues(UNNAMED, "spring.ai.model.embedding=openai").run(context -> assertEquals(
        Set.of("lookupFfnModel", "lookupFfnBatcher", "lookupFfnEmbedder", "lookupFfnLangChain4jEmbeddingModel"),
        beans(context)));
  }

  @Test
  void aModelOfTheApplicationsOwn() {
    runner.withBean("mine", Model.class, () -> Model.load(MODELS.resolve("prompts"))).run(context -> {
      assertEquals(and(FRAMEWORKS, "lookupFfnBatcher", "lookupFfnEmbedder"), beans(context));
      assertSame(context.getBean("mine"), context.getBean(ModelEmbedder.class).model());
      assertNotNull(context.getBean(EmbeddingModel.class).embed("a"));
      assertNotNull(context.getBean(dev.langchain4j.model.embedding.EmbeddingModel.class).embed("a"));
    });
  }

  @Configuration(proxyBeanMethods = false)
  static class OwnBatcher {
    @Bean
    EmbeddingBatcher mine(Model model) {
      return new EmbeddingBatcher(model, BatchingOptions.defaults().withMaxQueue(3));
    }
  }

  @Test
  void aBatcherOfTheApplicationsOwn() {
    runner.withUserConfiguration(OwnBatcher.class).withPropertyValues(UNNAMED).run(context -> {
      assertEquals(and(FRAMEWORKS, "lookupFfnModel", "lookupFfnEmbedder"), beans(context));
      assertSame(context.getBean("mine"), context.getBean(ModelEmbedder.class).batcher());
    });
  }

  @Test
  void anEmbedderOfTheApplicationsOwn() {
    // The model, which nobody asks for, is not loaded: a service's own tests need none.
    runner.withBean("mine", Embedder.class, () -> new FakeEmbedder(5))
        .withPropertyValues("lookupffn.model=/nowhere/at/all")
        .run(context -> {
          assertEquals(and(FRAMEWORKS, "lookupFfnModel", "lookupFfnBatcher"), beans(context));
          float[] expected = context.getBean(Embedder.class).embed("a", Purpose.QUERY);
          assertEquals(5, expected.length);
          assertArrayEquals(expected, context.getBean(EmbeddingModel.class).embed("a"));
          assertArrayEquals(
              expected, context.getBean(dev.langchain4j.model.embedding.EmbeddingModel.class).embed("a").content().vector());
        });
    runner.withBean("mine", Embedder.class, () -> new FakeEmbedder(5)).run(context ->
        assertEquals(FRAMEWORKS, beans(context)));
  }

  /** The configuration of a service's tests in docs/java-frameworks.md. */
  @Configuration(proxyBeanMethods = false)
  static class WithoutAModel {
    @Bean
    Embedder embedder() {
      return new FakeEmbedder(384);
    }
  }

  @Test
  void aServicesOwnTests() {
    runner.withUserConfiguration(WithoutAModel.class).withPropertyValues("lookupffn.model=/models/of/production").run(context -> {
      assertNull(context.getStartupFailure());
      assertEquals(384, context.getBean(EmbeddingModel.class).dimensions());
      assertArrayEquals(
          context.getBean(Embedder.class).embed("a", Purpose.DOCUMENT), context.getBean(EmbeddingModel.class).embed("a"));
    });
  }

  @Test
  void aModelWithAName() {
    Set<String> search = Set.of("searchModel", "searchBatcher", "searchEmbedder", "searchSpringAi", "searchLangChain4j");
    runner.withPropertyValues(SEARCH).run(context -> {
      assertEquals(search, beans(context));
      // Being the only one, it is injected without its name as well.
      assertSame(context.getBean("searchEmbedder"), context.getBean(Embedder.class));
      assertSame(context.getBean("searchSpringAi"), context.getBean(EmbeddingModel.class));
      assertSame(
          context.getBean("searchLangChain4j"), context.getBean(dev.langchain4j.model.embedding.EmbeddingModel.class));
    });
    runner.withPropertyValues(SEARCH, "spring.ai.model.embedding=openai").run(context ->
        assertFalse(beans(context).contains("searchSpringAi")));
    runner.withPropertyValues(SEARCH, UNNAMED).run(context -> {
      assertTrue(beans(context).containsAll(search));
      assertSame(context.getBean("lookupFfnEmbedder"), context.getBeanProvider(Embedder.class).getIfUnique());
      assertSame(context.getBean("lookupFfnStoreEmbeddingModel"), context.getBeanProvider(EmbeddingModel.class).getIfUnique());
    });
    runner.withPropertyValues(SEARCH).withBean("mine", Embedder.class, () -> new FakeEmbedder(5)).run(context ->
        assertSame(context.getBean("mine"), context.getBeanProvider(Embedder.class).getIfUnique()));
  }

  @Test
  void namesMayEndAsOthersDo() {
    runner.withPropertyValues(
        SEARCH, "lookupffn.models.searchEmbedding.model=" + PROMPTS, "lookupffn.models.searchModel.model=" + PROMPTS)
        .run(context -> {
          assertEquals(15, beans(context).size());
          assertEquals(3, context.getBeansOfType(Model.class).size());
        });
    runner.withPropertyValues("lookupffn.models.lookupFfn.model=" + PROMPTS).run(context ->
        assertTrue(context.getStartupFailure().getMessage().contains("lookupffn.models.lookupFfn")));
  }

  @Test
  void aRerankerIsNoEmbedder() {
    String reranker = MODELS.resolve("reranker").toString();
    runner.withPropertyValues("lookupffn.models.reranker.model=" + reranker).run(context -> {
      assertEquals(Set.of("rerankerModel", "rerankerScoring"), beans(context));
      assertNotNull(context.getBean(ScoringModel.class).score("a", "b"));
    });
    runner.withPropertyValues(
        UNNAMED, "lookupffn.models.order.use=reranking", "lookupffn.models.order.model=" + reranker).run(context -> {
      assertTrue(beans(context).containsAll(Set.of("orderModel", "orderScoring", "lookupFfnEmbedder")));
      assertFalse(context.containsBean("orderEmbedder"));
      assertEquals(1, context.getBeansOfType(Embedder.class).size());
    });
  }

  /** A controller's constructor, in an application that has both frameworks and several models. */
  record Controller(
      EmbeddingModel store,
      dev.langchain4j.model.embedding.EmbeddingModel segments,
      EmbeddingModel otherStore,
      dev.langchain4j.model.embedding.EmbeddingModel otherSegments,
      Embedder embedder,
      ScoringModel scoring) {}

  @Configuration(proxyBeanMethods = false)
  static class Web {
    @Bean
    Controller controller(
        EmbeddingModel embeddingModel,
        dev.langchain4j.model.embedding.EmbeddingModel segments,
        @Qualifier("search") EmbeddingModel otherStore,
        @Qualifier("search") dev.langchain4j.model.embedding.EmbeddingModel otherSegments,
        Embedder embedder,
        ScoringModel scoring) {
      return new Controller(embeddingModel, segments, otherStore, otherSegments, embedder, scoring);
    }
  }

  @Test
  void twoFrameworksAtOnce() {
    runner.withUserConfiguration(Web.class).withPropertyValues(
        UNNAMED, SEARCH, "lookupffn.models.search.dimensions=3",
        "lookupffn.models.reranker.model=" + MODELS.resolve("reranker")).run(context -> {
      assertNull(context.getStartupFailure());
      Controller controller = context.getBean(Controller.class);
      assertArrayEquals(
          controller.embedder().embed("a", Purpose.QUERY), controller.store().embed("a"));
      assertArrayEquals(
          controller.embedder().embed("a", Purpose.DOCUMENT), controller.segments().embed("a").content().vector());
      assertEquals(3, controller.otherStore().embed("a").length);
      assertEquals(3, controller.otherSegments().embed("a").content().dimension());
      assertNotNull(controller.scoring().score("a", "b"));
    });
  }

  @Test
  void closingAViewClosesNothing() {
    runner.withPropertyValues(UNNAMED).run(context -> {
      context.getBean("lookupFfnQueryEmbeddingModel", io.github.lookupffn.springai.LookupFfnEmbeddingModel.class).close();
      context.getBean("lookupFfnStoreEmbeddingModel", io.github.lookupffn.springai.LookupFfnEmbeddingModel.class).close();
      assertNotNull(context.getBean(EmbeddingModel.class).embed("a"));
    });
  }
}
