// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.lookupffn.Embedder;
import io.github.lookupffn.EmbeddingBatcher;
import io.github.lookupffn.Model;
import io.github.lookupffn.Purpose;
import io.github.lookupffn.RunOptions;
import io.github.lookupffn.springai.LookupFfnEmbeddingModel;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.AbstractEmbeddingModel;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** What an application gets for its properties. */
class AutoConfigurationTest {
  private static final Path MODELS = Path.of(System.getProperty("lookupffn.made.models"));
  private static final String PROMPTS = MODELS.resolve("prompts").toString();
  private static final RunOptions PLAIN = RunOptions.defaults().withoutPrompt();

  private final ApplicationContextRunner empty = new ApplicationContextRunner()
      .withConfiguration(AutoConfigurations.of(
          LookupFfnAutoConfiguration.class,
          LookupFfnSpringAiAutoConfiguration.class,
          LookupFfnLangChain4jAutoConfiguration.class,
          LookupFfnObservingAutoConfiguration.class));
  private final ApplicationContextRunner runner = empty.withPropertyValues("lookupffn.model=" + PROMPTS);

  @Test
  void oneModel() {
    AtomicReference<Model> after = new AtomicReference<>();
    runner.withPropertyValues("lookupffn.threads=1", "lookupffn.query-prompt=ask:").run(context -> {
      Model model = context.getBean(Model.class);
      after.set(model);
      assertEquals(1, model.info().numThreads());
      EmbeddingModel store = context.getBean(EmbeddingModel.class);
      assertArrayEquals(model.embed("ask:a", PLAIN), store.embed("a"));
      assertArrayEquals(model.embed("passage: a", PLAIN), store.embed(List.of("a")).get(0));
      assertArrayEquals(model.embed("passage: a", PLAIN), store.embed(new Document("a")));
      EmbeddingModel queries = context.getBean("lookupFfnQueryEmbeddingModel", EmbeddingModel.class);
      assertArrayEquals(model.embed("ask:a", PLAIN), queries.embed(List.of("a")).get(0));
      assertEquals(1, context.getBeanNamesForType(dev.langchain4j.model.embedding.EmbeddingModel.class).length);
      assertEquals("prompts", context.getBean(dev.langchain4j.model.embedding.EmbeddingModel.class).modelName());
      assertTrue(context.getBean(EmbeddingBatcher.class).figures().accepted() >= 3);
    });
    assertTrue(after.get().isClosed());
  }

  @Test
  void nothingWithoutAModelAndWithoutFrameworks() {
    empty.run(context -> {
      assertFalse(context.containsBean("lookupFfnEmbedder"));
      assertEquals(0, context.getBeanNamesForType(EmbeddingModel.class).length);
    });
    runner.withClassLoader(new FilteredClassLoader(
        "org.springframework.ai", "io.github.lookupffn.springai", "dev.langchain4j", "io.github.lookupffn.langchain4j",
        "io.micrometer", "org.springframework.boot.health"))
        .run(context -> assertNotNull(context.getBean(Embedder.class).embed(List.of("a"), Purpose.QUERY)));
  }

  /** The service of docs/java.md. */
  @Configuration(proxyBeanMethods = false)
  static class Several {
    @Bean
    Service service(@Qualifier("search") Embedder search, @Qualifier("other") Model other) {
      return new Service(search, other);
    }
  }

  record Service(Embedder search, Model other) {}

  @Test
  void severalModelsByName() {
    ApplicationContextRunner several = empty.withUserConfiguration(Several.class).withPropertyValues(
        "lookupffn.models.search.model=" + PROMPTS,
        "lookupffn.models.search.dimensions=4",
        "lookupffn.models.other.model=" + MODELS.resolve("reranker"),
        "lookupffn.models.other.batching.enabled=false");
    several.run(context -> {
      SimpleMeterRegistry registry = new SimpleMeterRegistry();
      context.getBean(MeterBinder.class).bindTo(registry);
      assertEquals(0, registry.get("lookupffn.calls").tag("embedder", "searchEmbedder").functionCounter().count());
      Service service = context.getBean(Service.class);
      assertEquals(4, service.search().embed(List.of("a"), Purpose.QUERY).vectors().get(0).length);
      assertEquals(1, service.other().info().numClasses());
      assertNotNull(service.search().batcher());
      assertFalse(context.containsBean("otherBatcher"));
      assertNotNull(context.getBean("searchEmbeddingModel", LookupFfnEmbeddingModel.class).embed("a"));
    });
    // Beside a model without a name they do not compete.
    several.withPropertyValues("lookupffn.model=" + PROMPTS).run(context -> {
      assertEquals(context.getBean("lookupFfnModel"), context.getBeanProvider(Model.class).getIfUnique());
      assertEquals(context.getBean("lookupFfnEmbedder"), context.getBeanProvider(Embedder.class).getIfUnique());
    });
  }

  @Test
  void aRerankerIsAScoringModel() {
    empty.withPropertyValues("lookupffn.models.reranker.model=" + MODELS.resolve("reranker")).run(
        context -> assertNotNull(context.getBean(dev.langchain4j.model.scoring.ScoringModel.class).score("a", "b")));
  }

  @Configuration(proxyBeanMethods = false)
  static class AnotherVendor {
    @Bean
    @Primary
    EmbeddingModel theirs() {
      return new AbstractEmbeddingModel() {
        @Override
        public EmbeddingResponse call(EmbeddingRequest request) {
          return new EmbeddingResponse(List.of());
        }

        @Override
        public float[] embed(Document document) {
          return new float[1];
        }
      };
    }
  }

  @Test
  void theApplicationsOwnBeansStay() {
    runner.withUserConfiguration(AnotherVendor.class).run(context -> {
      assertEquals(context.getBean("theirs"), context.getBean(EmbeddingModel.class));
      assertFalse(context.containsBean("lookupFfnStoreEmbeddingModel"));
      assertNotNull(context.getBean("lookupFfnQueryEmbeddingModel", EmbeddingModel.class).embed("a"));
    });
    runner.withPropertyValues("spring.ai.model.embedding=openai").run(
        context -> assertEquals(0, context.getBeanNamesForType(EmbeddingModel.class).length));
    Model mine = Model.load(MODELS.resolve("prompts"));
    runner.withBean("lookupFfnModel", Model.class, () -> mine)
        .run(context -> assertEquals(mine, context.getBean(Embedder.class).model()));
  }

  @Test
  void modelsOnTheClassPath(@TempDir Path scratch) throws IOException {
    Path saved = scratch.resolve("saved");
    try (Model model = Model.load(MODELS.resolve("prompts"))) {
      model.save(saved);
    }
    Path jar = scratch.resolve("models.jar");
    try (OutputStream out = Files.newOutputStream(jar); ZipOutputStream zip = new ZipOutputStream(out)) {
      zip.putNextEntry(new ZipEntry("models/mine.safetensors"));
      zip.write(Files.readAllBytes(saved));
    }
    try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()}, getClass().getClassLoader())) {
      for (String place : List.of("classpath:models/mine.safetensors", saved.toUri().toString())) {
        empty.withClassLoader(loader).withPropertyValues("lookupffn.model=" + place).run(
            context -> assertNotNull(context.getBean(Embedder.class).embed(List.of("a"), Purpose.QUERY)));
      }
    }
  }

  private void fails(String property, String description, String action) {
    empty.withPropertyValues(property).run(context -> {
      Throwable failure = context.getStartupFailure();
      assertNotNull(failure);
      FailureAnalysis analysis = new ModelFailureAnalyzer().analyze(failure);
      assertNotNull(analysis, failure.toString());
      assertTrue(analysis.getDescription().contains(description), analysis.getDescription());
      assertTrue(analysis.getAction().contains(action), analysis.getAction());
    });
  }

  @Test
  void failuresSayWhatToDo() throws IOException {
    fails("lookupffn.models.search.threads=1", "it is not set", "Set lookupffn.models.search.model to the model's folder");
    fails("lookupffn.model=/nowhere/at/all", "lookupffn.model=/nowhere/at/all", "Check lookupffn.model");
    fails("lookupffn.model=classpath:nowhere", "neither a resource nowhere", "Check lookupffn.model");
    Path file = Files.createTempFile("empty", ".safetensors");
    fails("lookupffn.model=" + file, "cannot load the model of lookupffn.model", "Put a whole model there");
    Files.delete(file);
  }

  @Test
  void metersAndHealth() {
    runner.run(context -> {
      SimpleMeterRegistry registry = new SimpleMeterRegistry();
      context.getBean(MeterBinder.class).bindTo(registry);
      context.getBean(EmbeddingModel.class).embed(List.of("one", "word ".repeat(500)));
      assertEquals(1, registry.get("lookupffn.calls").functionCounter().count());
      assertEquals(2, registry.get("lookupffn.texts").functionCounter().count());
      assertEquals(1, registry.get("lookupffn.texts.cut").functionCounter().count());
      assertTrue(registry.get("lookupffn.tokens").functionCounter().count() > 2);
      assertEquals(0, registry.get("lookupffn.queue.depth").gauge().value());
      assertEquals(0, registry.get("lookupffn.queue.refused").functionCounter().count());
      assertEquals(2, registry.get("lookupffn.queue.wait").functionTimer().count());
      assertTrue(registry.get("lookupffn.batches").functionCounter().count() >= 1);
      assertTrue(registry.get("lookupffn.batch.texts").gauge().value() >= 1);
      assertTrue(registry.get("lookupffn.model.load").timeGauge().value(TimeUnit.NANOSECONDS) > 0);
      assertEquals(
          context.getBean(Model.class).info().memoryBytes(), registry.get("lookupffn.model.memory").gauge().value());
      HealthIndicator health = context.getBean(HealthIndicator.class);
      assertEquals(Status.UP, health.health().getStatus());
      context.getBean(Model.class).close();
      assertEquals(Status.DOWN, health.health().getStatus());
    });
  }

  @Test
  void lazyModelsAreLoadedWhenTheyAreUsed() {
    empty.withPropertyValues(
        "lookupffn.lazy=true", "lookupffn.model=/nowhere", "lookupffn.models.other.model=/nowhere").run(context -> {
      assertEquals(null, context.getStartupFailure());
      SimpleMeterRegistry registry = new SimpleMeterRegistry();
      context.getBean(MeterBinder.class).bindTo(registry);
      assertEquals(0, registry.get("lookupffn.calls").tag("embedder", "lookupFfnEmbedder").functionCounter().count());
      assertEquals(Status.UP, context.getBean(HealthIndicator.class).health().getStatus());
    });
  }

  /** What answers the last requests while the web server stops gracefully. */
  static final class LastRequest implements SmartLifecycle {
    private final AtomicBoolean running = new AtomicBoolean();
    private final AtomicBoolean answered = new AtomicBoolean();
    @Autowired private Embedder embedder;

    @Override
    public void start() {
      running.set(true);
    }

    @Override
    public void stop() {
      answered.set(!embedder.embed(List.of("the last one"), Purpose.QUERY).vectors().isEmpty());
      running.set(false);
    }

    @Override
    public boolean isRunning() {
      return running.get();
    }
  }

  @Test
  void batchersEndAfterTheLastRequest() {
    LastRequest last = new LastRequest();
    AtomicReference<EmbeddingBatcher> batcher = new AtomicReference<>();
    runner.withBean(LastRequest.class, () -> last).run(context -> batcher.set(context.getBean(EmbeddingBatcher.class)));
    assertTrue(last.answered.get());
    assertEquals(0, batcher.get().figures().depth());
  }
}
