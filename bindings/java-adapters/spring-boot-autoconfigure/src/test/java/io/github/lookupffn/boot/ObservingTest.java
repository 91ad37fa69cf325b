// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.lookupffn.Embedder;
import io.github.lookupffn.FakeEmbedder;
import io.github.lookupffn.Model;
import io.github.lookupffn.Purpose;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What is seen of the models from outside. */
class ObservingTest {
  private static final Path MODELS = Path.of(System.getProperty("lookupffn.made.models"));

  private final ApplicationContextRunner empty = new ApplicationContextRunner()
      .withConfiguration(AutoConfigurations.of(
          LookupFfnAutoConfiguration.class, LookupFfnSpringAiAutoConfiguration.class,
          LookupFfnObservingAutoConfiguration.class));
  private final ApplicationContextRunner runner =
      empty.withPropertyValues("lookupffn.model=" + MODELS.resolve("prompts"));

  @Test
  void metersAndHealth() {
    runner.run(context -> {
      SimpleMeterRegistry registry = new SimpleMeterRegistry();
      context.getBean(MeterBinder.class).bindTo(registry);
      context.getBean(EmbeddingModel.class).embed(List.of("one", "word ".repeat(500)));
      assertEquals(1, registry.get("lookupffn.calls").functionCounter().count());
      assertEquals(2, registry.get("lookupffn.texts").functionCounter().count());
      assertThrows(NullPointerException.class, () -> context.getBean(Embedder.class).embed(Arrays.asList("a", null), Purpose.QUERY));
      assertEquals(1, registry.get("lookupffn.failures").functionCounter().count());
      Timer waits = registry.get("lookupffn.call.wait").tag("model", "prompts").timer();
      Timer runs = registry.get("lookupffn.call.run").tag("embedder", "lookupFfnEmbedder").timer();
      assertEquals(2, waits.count());
      assertEquals(2, runs.count());
      assertTrue(runs.max(TimeUnit.NANOSECONDS) > 0);
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
  void theNameIsThatOfTheMeters() {
    runner.withPropertyValues("lookupffn.name=mine", "lookupffn.models.other.model=/nowhere", "lookupffn.lazy=true")
        .run(context -> {
          SimpleMeterRegistry registry = new SimpleMeterRegistry();
          context.getBean(MeterBinder.class).bindTo(registry);
          assertEquals(0, registry.get("lookupffn.calls").tag("model", "mine").functionCounter().count());
          assertEquals(0, registry.get("lookupffn.calls").tag("model", "nowhere").functionCounter().count());
        });
  }

  @Test
  void healthOfRerankersAndOfFakes() {
    empty.withPropertyValues("lookupffn.models.reranker.model=" + MODELS.resolve("reranker")).run(context -> {
      HealthIndicator health = context.getBean(HealthIndicator.class);
      assertEquals(Status.UP, health.health().getStatus());
      assertTrue(health.health().getDetails().containsKey("rerankerModel"));
      context.getBean(Model.class).close();
      assertEquals(Status.DOWN, health.health().getStatus());
    });
    empty.withBean("mine", Embedder.class, () -> new FakeEmbedder(3)).run(context -> assertEquals(
        "FakeEmbedder, which has no model", context.getBean(HealthIndicator.class).health().getDetails().get("mine")));
  }

  private void health(boolean expected, String... properties) {
    runner.withPropertyValues(properties).run(
        context -> assertEquals(expected ? 1 : 0, context.getBeanNamesForType(HealthIndicator.class).length));
  }

  @Test
  void healthIsSwitchedAsOthersAre() {
    health(true);
    health(false, "management.health.lookupffn.enabled=false");
    health(false, "management.health.defaults.enabled=false");
    health(true, "management.health.defaults.enabled=false", "management.health.lookupffn.enabled=true");
  }
}
