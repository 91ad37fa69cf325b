// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.lookupffn.EmbeddedTexts;
import io.github.lookupffn.Embedder;
import io.github.lookupffn.EmbeddingBatcher;
import io.github.lookupffn.Model;
import io.github.lookupffn.ModelEmbedder;
import io.github.lookupffn.Purpose;
import io.github.lookupffn.RunOptions;
import io.github.lookupffn.springai.LookupFfnEmbeddingModel;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
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

  /** The starter brings what makes models of frameworks; these need not be there. */
  @Test
  void theStartersJarsWithoutTheFrameworks() {
    runner.withPropertyValues("lookupffn.models.search.model=" + PROMPTS)
        .withClassLoader(new FilteredClassLoader("org.springframework.ai", "dev.langchain4j", "io.micrometer"))
        .run(context -> {
          assertNotNull(context.getBean("lookupFfnEmbedder", Embedder.class).embed("a", Purpose.QUERY));
          assertNotNull(context.getBean("searchEmbedder", Embedder.class).embed("a", Purpose.QUERY));
          assertFalse(context.containsBean("searchSpringAi") || context.containsBean("searchLangChain4j"));
        });
  }

  /** The service of docs/java-frameworks.md. */
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
      assertNotNull(((ModelEmbedder) service.search()).batcher());
      assertFalse(context.containsBean("otherBatcher"));
      assertNotNull(context.getBean("searchSpringAi", LookupFfnEmbeddingModel.class).embed("a"));
    });
    // Beside a model without a name they do not compete.
    several.withPropertyValues("lookupffn.model=" + PROMPTS).run(context -> {
      assertEquals(context.getBean("lookupFfnModel"), context.getBeanProvider(Model.class).getIfUnique());
      assertEquals(context.getBean("lookupFfnEmbedder"), context.getBeanProvider(Embedder.class).getIfUnique());
    });
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
        .run(context -> assertEquals(mine, context.getBean(ModelEmbedder.class).model()));
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
      zipped(scratch.resolve("folder.jar"), MODELS.resolve("prompts"));
      for (String place : List.of(
          "classpath:models/mine.safetensors", saved.toUri().toString(), "jar:" + jar.toUri() + "!/models/mine.safetensors",
          "jar:" + scratch.resolve("folder.jar").toUri() + "!/models/mine",
          "jar:" + scratch.resolve("folder.jar").toUri() + "!/models/mine/")) {
        empty.withClassLoader(loader).withPropertyValues("lookupffn.model=" + place).run(
            context -> assertNotNull(context.getBean(Embedder.class).embed(List.of("a"), Purpose.QUERY)));
      }
    }
  }

  /** Puts a folder into a jar, as models/mine. */
  private static void zipped(Path jar, Path folder) throws IOException {
    try (OutputStream out = Files.newOutputStream(jar); ZipOutputStream zip = new ZipOutputStream(out);
        Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        zip.putNextEntry(new ZipEntry("models/mine/" + folder.relativize(file)));
        zip.write(Files.readAllBytes(file));
      }
    }
  }

  @Test
  void shippedModels() {
    Path shipped = Path.of(System.getProperty("lookupffn.shipped.models"), "all-minilm-l6-v2-fast", "model.safetensors");
    assumeTrue(Files.exists(shipped));
    // As the jar lookupffn-model-fast has it.
    ClassLoader loader = new ClassLoader(getClass().getClassLoader()) {
      @Override
      public InputStream getResourceAsStream(String name) {
        try {
          return name.equals("META-INF/lookupffn/models/fast.safetensors")
              ? Files.newInputStream(shipped)
              : super.getResourceAsStream(name);
        } catch (IOException impossible) {
          throw new UncheckedIOException(impossible);
        }
      }
    };
    empty.withClassLoader(loader).withPropertyValues("lookupffn.model=shipped:fast").run(context ->
        assertEquals("fast", context.getBean(ModelEmbedder.class).name()));
    fails("lookupffn.model=shipped:fast", "io.github.lookupffn:lookupffn-model-fast", "add the dependency");
  }

  private void fails(String property, String description, String action) {
    fails(empty.withPropertyValues(property), description, action);
  }

  private static void fails(ApplicationContextRunner application, String description, String action) {
    application.run(context -> {
      Throwable failure = context.getStartupFailure();
      assertNotNull(failure);
      FailureAnalysis analysis = new PropertyFailureAnalyzer().analyze(failure);
      assertNotNull(analysis, failure.toString());
      assertTrue(analysis.getDescription().contains(description), analysis.getDescription());
      assertTrue(analysis.getAction().contains(action), analysis.getDescription() + ": " + analysis.getAction());
    });
  }

  @Test
  void failuresSayWhatToDo() throws IOException {
    fails("lookupffn.models.search.threads=1", "it is not set", "Set lookupffn.models.search.model to the model's folder");
    fails("lookupffn.model=/nowhere/at/all", "lookupffn.model=/nowhere/at/all", "Check lookupffn.model");
    fails("lookupffn.model=classpath:nowhere", "neither a resource nowhere", "Put the model on the class path");
    fails("lookupffn.model=shipped:nowhere", "no model of this name", "Set lookupffn.model to shipped:quality");
    fails("lookupffn.model=jar:file:/nowhere.jar!/mine", "/nowhere.jar", "Check lookupffn.model");
    for (String[] bad : new String[][] {
        {"lookupffn.threads=-1", "threads is -1"},
        {"lookupffn.dimensions=100000", "100000 dimensions"},
        {"lookupffn.dimensions=-1", "dimensions is -1"},
        {"lookupffn.batching.max-batch=0", "maxBatch is 0"},
        {"lookupffn.batching.max-batch-tokens=-5", "maxBatchTokens is -5"},
        {"lookupffn.batching.max-queue=0", "maxQueue is 0"},
        {"lookupffn.batching.max-bulk-calls=0", "maxBulkCalls is 0"},
        {"lookupffn.batching.max-wait=-1s", "maxWait is"},
        {"lookupffn.query-prompt=half \ud800", "half of a surrogate pair"},
        {"lookupffn.runtime.threads=-1", "threads is -1"},
        {"lookupffn.runtime.instruction-set=abacus", "abacus"}}) {
      String property = bad[0].substring(0, bad[0].indexOf('='));
      fails(runner.withPropertyValues(bad[0]), bad[1], "Change " + property);
    }
    fails(
        empty.withPropertyValues("lookupffn.models.search.model=" + PROMPTS, "lookupffn.models.search.threads=-1"),
        "lookupffn.models.search.threads=-1", "Change lookupffn.models.search.threads");
    Path file = Files.createTempFile("empty", ".safetensors");
    fails("lookupffn.model=" + file, "cannot load the model of lookupffn.model", "Put a whole model there");
    Files.delete(file);
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

  @Test
  void nothingThatWasLetInIsLostWhenTheContextCloses() throws Exception {
    for (String batching : List.of("true", "false")) {
      List<CompletableFuture<EmbeddedTexts>> asked = new ArrayList<>();
      runner.withPropertyValues("lookupffn.batching.enabled=" + batching).run(context -> {
        Embedder embedder = context.getBean(Embedder.class);
        for (int i = 1; i <= 400; i *= 20) {
          asked.add(embedder.embedAsync(Collections.nCopies(i, "text " + i), Purpose.DOCUMENT, 0));
        }
      });
      for (CompletableFuture<EmbeddedTexts> one : asked) {
        assertTrue(one.isDone());
        assertFalse(one.get().vectors().isEmpty());
      }
    }
  }
}
