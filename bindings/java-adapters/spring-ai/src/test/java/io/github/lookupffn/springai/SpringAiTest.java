// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.springai;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.lookupffn.BatchingOptions;
import io.github.lookupffn.Embedder;
import io.github.lookupffn.FakeEmbedder;
import io.github.lookupffn.Model;
import io.github.lookupffn.Purpose;
import io.github.lookupffn.RunOptions;
import io.micrometer.observation.ObservationRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.ai.content.Media;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingOptions;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;
import org.springframework.ai.embedding.TokenCountBatchingStrategy;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.MapPropertySource;
import org.springframework.util.MimeTypeUtils;

/** What the framework gets is what the model gives. */
class SpringAiTest {
  private static final Path MODELS = Paths.get(System.getProperty("lookupffn.made.models"));
  private static final RunOptions PLAIN = RunOptions.defaults().withoutPrompt();
  private static final String LONG = ("word ".repeat(500)).trim();

  private Model model;

  @BeforeEach
  void load() {
    model = Model.load(MODELS.resolve("prompts"));
  }

  @AfterEach
  void close() {
    model.close();
  }

  /** Its builders are others in Spring AI 1 and 2. */
  private record Options(String model, Integer dimensions) implements EmbeddingOptions {
    @Override
    public String getModel() {
      return model;
    }

    @Override
    public Integer getDimensions() {
      return dimensions;
    }
  }

  @Test
  void batchesWithUsage() {
    LookupFfnEmbeddingModel embedder = new LookupFfnEmbeddingModel(model, LookupFfnEmbeddingSettings.of("mine"));
    List<String> texts = new ArrayList<>();
    int tokens = 0;
    for (int i = 0; i < 100; i++) {
      texts.add("text number " + i);
      tokens += model.tokenize("passage: text number " + i).length;
    }
    EmbeddingResponse response = embedder.embedForResponse(texts);
    for (int i = 0; i < 100; i++) {
      assertArrayEquals(model.embed("passage: " + texts.get(i), PLAIN), response.getResults().get(i).getOutput());
      assertEquals(i, response.getResults().get(i).getIndex());
    }
    assertEquals(tokens, response.getMetadata().getUsage().getPromptTokens());
    assertEquals(tokens, response.getMetadata().getUsage().getTotalTokens());
    assertEquals("mine", response.getMetadata().getModel());
    assertEquals(model.info().embeddingSize(), embedder.dimensions());
    assertArrayEquals(response.getResults().get(3).getOutput(), embedder.embed("text number 3"));
    assertArrayEquals(model.embed("query: how?", PLAIN), embedder.forQueries().embed("how?"));
  }

  @Test
  void documents() {
    LookupFfnEmbeddingModel embedder = new LookupFfnEmbeddingModel(model, LookupFfnEmbeddingSettings.of("mine"));
    Document document = new Document("some text", Map.of("author", "me"));
    float[] expected = model.embed("passage: author: me\n\nsome text", PLAIN);
    assertArrayEquals(expected, embedder.embed(document));
    List<float[]> all = embedder.embed(
        List.of(document), new Options(null, null), new TokenCountBatchingStrategy());
    assertArrayEquals(expected, all.get(0));
    assertArrayEquals(expected, embedder.forStores().embed(document));
    assertArrayEquals(expected, embedder.forStores()
        .embed(List.of(document), new Options(null, null), new TokenCountBatchingStrategy())
        .get(0));
    assertEquals("author: me\n\nsome text", embedder.getEmbeddingContent(document));
  }

  @Test
  void whatCannotBeGivenIsRefused() {
    LookupFfnEmbeddingModel embedder = new LookupFfnEmbeddingModel(model, LookupFfnEmbeddingSettings.of("mine"));
    int size = model.info().embeddingSize();
    embedder.call(new EmbeddingRequest(
        List.of("a"), new Options("mine", size)));
    EmbeddingRequest fewer =
        new EmbeddingRequest(List.of("a"), new Options(null, size / 2));
    assertArrayEquals(
        model.embed("passage: a", PLAIN.withDimensions(size / 2)), embedder.call(fewer).getResult().getOutput());
    EmbeddingRequest more =
        new EmbeddingRequest(List.of("a"), new Options(null, size + 1));
    assertThrows(IllegalArgumentException.class, () -> embedder.call(more));
    EmbeddingRequest other =
        new EmbeddingRequest(List.of("a"), new Options("other", null));
    assertThrows(IllegalArgumentException.class, () -> embedder.call(other));
    assertEquals(List.of(1), embedder.embedForResponse(List.of("short", LONG)).getMetadata().get("truncated"));
    for (boolean batching : new boolean[] {false, true}) {
      try (LookupFfnEmbeddingModel strict = new LookupFfnEmbeddingModel(
          model, new LookupFfnEmbeddingSettings("mine", null, null, true, batching))) {
        assertThrows(IllegalArgumentException.class, () -> strict.embed(LONG));
        assertThrows(IllegalArgumentException.class, () -> strict.embedForResponse(List.of("short", LONG)));
        // Longer than the model means to read, and yet not longer than it can: too long means what it means to the model.
        String between = "a ".repeat(model.info().ownMaxTokens());
        assertArrayEquals(
            model.embed("passage: " + between, PLAIN.withoutCutting()), strict.embedForResponse(List.of(between)).getResult().getOutput());
      }
    }
  }

  /** The configuration of docs/java-frameworks.md. */
  @Configuration(proxyBeanMethods = false)
  static class Application {
    @Bean
    Model model(@Value("${my.model}") Path folder) {
      return Model.load(folder);
    }

    @Bean
    Embedder embedder(Model model) {
      return Embedder.builder(model).name("mine").batching(BatchingOptions.defaults()).build();
    }

    @Bean
    LookupFfnEmbeddingModel documents(Embedder embedder) {
      return new LookupFfnEmbeddingModel(embedder, "mine", ObservationRegistry.NOOP);
    }

    @Bean
    @Primary
    EmbeddingModel store(@Qualifier("documents") LookupFfnEmbeddingModel documents) {
      return documents.forStores();
    }

    @Bean
    EmbeddingModel queries(@Qualifier("documents") LookupFfnEmbeddingModel documents) {
      return documents.forQueries();
    }

    @Bean
    Search search(
        EmbeddingModel store, @Qualifier("documents") EmbeddingModel documents, @Qualifier("queries") EmbeddingModel queries) {
      return new Search(store, documents, queries);
    }
  }

  record Search(EmbeddingModel store, EmbeddingModel documents, EmbeddingModel queries) {}

  @Test
  void withoutBoot() {
    Model inside;
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.getEnvironment().getPropertySources().addFirst(
          new MapPropertySource("test", Map.of("my.model", MODELS.resolve("prompts").toString())));
      context.register(Application.class);
      context.refresh();
      Search search = context.getBean(Search.class);
      assertArrayEquals(model.embed("passage: a", PLAIN), search.documents().embed("a"));
      assertArrayEquals(model.embed("query: a", PLAIN), search.queries().embed("a"));
      assertArrayEquals(model.embed("query: a", PLAIN), search.store().embed("a"));
      assertArrayEquals(model.embed("passage: a", PLAIN), search.store().embed(List.of("a")).get(0));
      inside = context.getBean(Model.class);
      List<CompletableFuture<float[]>> futures = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        String text = "text " + i;
        futures.add(CompletableFuture.supplyAsync(() -> search.documents().embed(text)));
      }
      for (int i = 0; i < 50; i++) {
        assertArrayEquals(model.embed("passage: text " + i, PLAIN), futures.get(i).join());
      }
    }
    assertTrue(inside.isClosed());
  }

  @Test
  void aDocumentWithoutTextIsRefused() {
    LookupFfnEmbeddingModel embedder = new LookupFfnEmbeddingModel(model, LookupFfnEmbeddingSettings.of("mine"));
    Document image = new Document(new Media(MimeTypeUtils.IMAGE_PNG, URI.create("file:///a.png")), Map.of("author", "me"));
    for (LookupFfnEmbeddingModel view : List.of(embedder, embedder.forQueries(), embedder.forStores())) {
      String message = assertThrows(IllegalArgumentException.class, () -> view.embed(image)).getMessage();
      assertTrue(message.contains(image.getId()), message);
      assertThrows(
          IllegalArgumentException.class,
          () -> view.embed(List.of(new Document("a"), image), new Options(null, null), new TokenCountBatchingStrategy()));
      assertThrows(IllegalArgumentException.class, () -> view.getEmbeddingContent(image));
    }
  }

  @Test
  void closingAViewClosesNothing() {
    LookupFfnEmbeddingModel documents = new LookupFfnEmbeddingModel(
        model, new LookupFfnEmbeddingSettings("mine", null, null, false, true));
    documents.forQueries().close();
    documents.forStores().close();
    assertArrayEquals(model.embed("passage: a", PLAIN), documents.embed("a"));
    documents.close();
    assertThrows(IllegalStateException.class, () -> documents.embed("a"));
    assertThrows(IllegalStateException.class, () -> documents.forQueries().embed("a"));
  }

  @Test
  void withoutAModel() {
    Embedder fake = new FakeEmbedder(7);
    LookupFfnEmbeddingModel model = new LookupFfnEmbeddingModel(fake, "fake", ObservationRegistry.NOOP);
    assertEquals(7, model.dimensions());
    assertArrayEquals(fake.embed("a", Purpose.DOCUMENT), model.embed(new Document("a")));
  }
}
