// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.lookupffn.BatchingOptions;
import io.github.lookupffn.ElementType;
import io.github.lookupffn.Embedder;
import io.github.lookupffn.LoadOptions;
import io.github.lookupffn.Model;
import io.github.lookupffn.Purpose;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;

/** Every property reaches what it is about, and Boot finds what the jar says of itself. */
class PropertiesTest {
  private static final Path MADE = Path.of(System.getProperty("lookupffn.made.models"));
  private static final String PROMPTS = MADE.resolve("prompts").toString();

  /** What this project's jar, of all that have such a file, says in it. */
  private static String told(String name) throws IOException {
    for (URL url : Collections.list(PropertiesTest.class.getClassLoader().getResources(name))) {
      try (InputStream stream = url.openStream()) {
        String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        if (text.contains("lookupffn")) {
          return text;
        }
      }
    }
    return "";
  }

  @Test
  void theJarSaysWhatItHas() throws IOException {
    List<String> named =
        told("META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports").lines().sorted().toList();
    assertEquals(
        List.of(
            LookupFfnAutoConfiguration.class.getName(), LookupFfnLangChain4jAutoConfiguration.class.getName(),
            LookupFfnObservingAutoConfiguration.class.getName(), LookupFfnSpringAiAutoConfiguration.class.getName()),
        named);
    assertTrue(told("META-INF/spring.factories").contains(PropertyFailureAnalyzer.class.getName()));
    assertTrue(told("META-INF/spring/aot.factories").contains(LookupFfnRuntimeHints.class.getName()));
    RuntimeHints hints = new RuntimeHints();
    new LookupFfnRuntimeHints().registerHints(hints, getClass().getClassLoader());
    assertTrue(RuntimeHintsPredicates.resource().forResource("META-INF/lookupffn/models/fast.safetensors").test(hints));
    String metadata = told("META-INF/spring-configuration-metadata.json").replaceAll("\\s+", " ");
    for (String property : List.of("model", "name", "query-prompt", "runtime.instruction-set")) {
      assertTrue(
          metadata.contains("\"name\": \"lookupffn." + property + "\", \"type\": \"java.lang.String\", \"description\": "),
          property + ": " + metadata);
    }
    assertTrue(metadata.contains("\"name\": \"lookupffn.batching.max-wait\", \"type\": \"java.time.Duration\""), metadata);
    assertTrue(metadata.contains("\"name\": \"lookupffn.models\""), metadata);
  }

  private static void withAdapter(String name, ContextConsumer<AssertableApplicationContext> then) {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(LookupFfnAutoConfiguration.class))
        .withPropertyValues("lookupffn.model=" + MADE.resolve("adapters"), "lookupffn.adapter=" + name)
        .run(then);
  }

  @Test
  void adaptersAreAdded() {
    try (Model base = Model.load(MADE.resolve("adapters")); Model summed = Model.load(MADE.resolve("adapters-separation"))) {
      withAdapter("separation", context ->
          assertArrayEquals(summed.embed("a text"), context.getBean(Model.class).embed("a text")));
      withAdapter("", context ->
          assertArrayEquals(base.embed("a text"), context.getBean(Model.class).embed("a text")));
      assertFalse(Arrays.equals(base.embed("a text"), summed.embed("a text")));
    }
    withAdapter("no-such", context -> {
      String told = new PropertyFailureAnalyzer().analyze(context.getStartupFailure()).getDescription();
      assertTrue(told.contains("'retrieval.query', 'separation', 'text-matching'"), told);
    });
  }

  @Test
  void theExecutorMakesAsynchronousCalls() {
    List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
    Executor executor = work -> new Thread(() -> {
      threads.add(Thread.currentThread());
      work.run();
    }).start();
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(LookupFfnAutoConfiguration.class))
        .withBean("own", Executor.class, () -> executor)
        .withPropertyValues("lookupffn.model=" + PROMPTS, "lookupffn.batching.enabled=false", "lookupffn.executor=own")
        .run(context -> {
          context.getBean(Embedder.class).embedAsync(List.of("a"), Purpose.QUERY, 0).get();
          assertEquals(1, threads.size());
          context.getBean(Embedder.class).embed("a", Purpose.QUERY); // the caller's thread
          assertEquals(1, threads.size());
        });
  }

  @Test
  void everyPropertyIsRead() {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(LookupFfnAutoConfiguration.class))
        .withPropertyValues(
            "lookupffn.model=" + PROMPTS, "lookupffn.threads=1", "lookupffn.table-type=int8", "lookupffn.hash-type=int8",
            "lookupffn.linear-type=int8", "lookupffn.embedding-type=int8", "lookupffn.word-type=int8",
            "lookupffn.attention-type=int8", "lookupffn.memory-mapping=true", "lookupffn.long-texts=refuse",
            "lookupffn.dimensions=3", "lookupffn.document-prompt=doc:", "lookupffn.batching.max-batch=7",
            "lookupffn.batching.max-wait=2ms", "lookupffn.batching.max-queue=11", "lookupffn.batching.max-batch-tokens=99",
            "lookupffn.batching.max-bulk-calls=5", "lookupffn.repair-texts=true", "lookupffn.runtime.threads=2")
        .run(context -> {
          LookupFfnProperties properties = context.getBean(LookupFfnProperties.class);
          assertEquals(
              LoadOptions.defaults().withNumThreads(1).withTableType(ElementType.INT8).withHashType(ElementType.INT8)
                  .withLinearType(ElementType.INT8).withEmbeddingType(ElementType.INT8).withWordType(ElementType.INT8)
                  .withAttentionType(ElementType.INT8).withMemoryMapping(true),
              properties.loadOptions("", null));
          assertEquals(
              BatchingOptions.defaults().withMaxBatchTokens(99).withMaxBatch(7).withMaxWait(Duration.ofMillis(2)).withMaxQueue(11)
                  .withMaxBulkCalls(5),
              properties.getBatching().options(""));
          assertEquals(2, properties.getRuntime().getThreads());
          assertEquals("doc:", properties.getDocumentPrompt());
          Embedder embedder = context.getBean(Embedder.class);
          assertEquals(3, embedder.embed(List.of("a"), Purpose.QUERY).vectors().get(0).length);
          assertArrayEquals(
              embedder.embed("half \ufffd a pair", Purpose.QUERY), embedder.embed("half \ud800 a pair", Purpose.QUERY));
          List<String> tooLong = List.of("word ".repeat(500));
          assertThrows(IllegalArgumentException.class, () -> embedder.embed(tooLong, Purpose.QUERY));
          assertEquals(ElementType.INT8, context.getBean(Model.class).layers().get(0).tableType());
        });
  }
}
