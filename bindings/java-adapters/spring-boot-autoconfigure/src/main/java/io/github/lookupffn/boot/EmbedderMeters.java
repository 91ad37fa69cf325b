// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.BatcherFigures;
import io.github.lookupffn.Embedder;
import io.github.lookupffn.ModelEmbedder;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * Meters of each embedder, with the bean's name as their tag "embedder" and that of its model as "model": lookupffn.calls,
 * .texts, .tokens, .texts.cut, .failures; .call.wait, .call.run; .queue.depth, .queue.bulk, .queue.refused, .queue.wait,
 * .batches, .batch.texts; .model.memory, .model.load. Those of a lazy model are 0 until it is loaded, and those of an embedder
 * without a model stay 0.
 */
final class EmbedderMeters implements MeterBinder {
  private final ListableBeanFactory beans;
  private final ModelLoader loader;
  private final CallTimes times;
  private final LookupFfnProperties properties;

  EmbedderMeters(ListableBeanFactory beans, ModelLoader loader, CallTimes times, LookupFfnProperties properties) {
    this.beans = beans;
    this.loader = loader;
    this.times = times;
    this.properties = properties;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Map<String, Bound> all = new HashMap<>();
    for (String name : beans.getBeanNamesForType(Embedder.class, true, false)) {
      Bound bound = new Bound(registry, name);
      bound.bind();
      all.put(name, bound);
    }
    times.addSink((embedder, waited, ran) -> {
      Bound bound = all.get(embedder);
      if (bound != null) {
        bound.waits.record(waited);
        bound.runs.record(ran);
      }
    });
  }

  /** The name of the model, without loading it; the bean's for one whose name no property tells. */
  private String modelOf(String embedder) {
    String named = null;
    if (embedder.equals("lookupFfnEmbedder")) {
      named = properties.nameOrPlace();
    } else if (embedder.endsWith(NamedModels.EMBEDDER)) {
      String name = embedder.substring(0, embedder.length() - NamedModels.EMBEDDER.length());
      ModelProperties own = properties.getModels().get(name);
      named = own == null ? null : own.nameOrPlace();
    }
    return named == null ? embedder : named;
  }

  /** The meters of one embedder. */
  private final class Bound {
    private final MeterRegistry registry;
    private final String name;
    private final Tags tags;
    private final Timer waits;
    private final Timer runs;

    Bound(MeterRegistry registry, String name) {
      this.registry = registry;
      this.name = name;
      tags = Tags.of("embedder", name, "model", modelOf(name));
      waits = Timer.builder("lookupffn.call.wait").tags(tags)
          .description("How long calls waited until their first text was run").register(registry);
      runs = Timer.builder("lookupffn.call.run").tags(tags)
          .description("How long calls took from then on").register(registry);
    }

    private double of(ToDoubleFunction<ModelEmbedder> number) {
      Embedder embedder = EmbedderHealth.loaded(beans, name, Embedder.class);
      return embedder instanceof ModelEmbedder ofModel ? number.applyAsDouble(ofModel) : 0;
    }

    private double figure(ToDoubleFunction<BatcherFigures> number) {
      return of(embedder -> embedder.batcher() == null ? 0 : number.applyAsDouble(embedder.batcher().figures()));
    }

    private void counter(String what, String unit, String description, ToDoubleFunction<Bound> number) {
      FunctionCounter.builder("lookupffn." + what, this, number)
          .tags(tags).baseUnit(unit).description(description).register(registry);
    }

    private void gauge(String what, String unit, String description, ToDoubleFunction<Bound> number) {
      Gauge.builder("lookupffn." + what, this, number)
          .tags(tags).baseUnit(unit).description(description).strongReference(true).register(registry);
    }

    void bind() {
      counter("calls", "calls", "Calls that were made", bound -> bound.of(ModelEmbedder::calls));
      counter("texts", "texts", "Texts that were embedded", bound -> bound.of(ModelEmbedder::texts));
      counter("tokens", "tokens", "Tokens that were run", bound -> bound.of(ModelEmbedder::tokens));
      counter("texts.cut", "texts", "Texts whose ends were not read", bound -> bound.of(ModelEmbedder::cut));
      counter("failures", "calls", "Calls that failed or were cancelled", bound -> bound.of(ModelEmbedder::failures));
      gauge("queue.depth", "texts", "Texts that wait", bound -> bound.figure(BatcherFigures::depth));
      gauge("queue.bulk", "calls", "Calls that wait and do not fit into a batch",
          bound -> bound.figure(BatcherFigures::bulkCalls));
      counter("queue.refused", "texts", "Texts that were refused", bound -> bound.figure(BatcherFigures::refused));
      counter("batches", "batches", "Batches that were run", bound -> bound.figure(BatcherFigures::batches));
      gauge("batch.texts", "texts", "Texts of a batch on average", bound -> bound.figure(BatcherFigures::meanBatch));
      FunctionTimer.builder(
              "lookupffn.queue.wait",
              this,
              bound -> (long) bound.figure(BatcherFigures::batched),
              bound -> bound.figure(figures -> figures.totalWait().toNanos()),
              TimeUnit.NANOSECONDS)
          .tags(tags).description("How long texts waited").register(registry);
      gauge("model.memory", "bytes", "Weights outside of the heap",
          bound -> bound.of(embedder -> embedder.model().isClosed() ? 0 : embedder.model().info().memoryBytes()));
      TimeGauge.builder(
              "lookupffn.model.load",
              () -> of(embedder -> loader.durationOf(embedder.model()).toNanos()),
              TimeUnit.NANOSECONDS)
          .tags(tags).description("How long the model took to load").register(registry);
    }
  }
}
