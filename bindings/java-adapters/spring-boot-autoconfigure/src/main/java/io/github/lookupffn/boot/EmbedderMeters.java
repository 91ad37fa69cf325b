// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.BatcherFigures;
import io.github.lookupffn.Embedder;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * Meters of each embedder, with the bean's name as their tag "embedder": lookupffn.calls, .texts, .tokens, .texts.cut,
 * .failures; .queue.depth, .queue.refused, .queue.wait, .batches, .batch.texts; .model.memory, .model.load. Those of a lazy
 * model are 0 until it is loaded.
 */
final class EmbedderMeters implements MeterBinder {
  private final ListableBeanFactory beans;
  private final ModelLoader loader;

  EmbedderMeters(ListableBeanFactory beans, ModelLoader loader) {
    this.beans = beans;
    this.loader = loader;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (String name : beans.getBeanNamesForType(Embedder.class, true, false)) {
      new Bound(registry, name).bind();
    }
  }

  /** The meters of one embedder. */
  private final class Bound {
    private final MeterRegistry registry;
    private final String name;

    Bound(MeterRegistry registry, String name) {
      this.registry = registry;
      this.name = name;
    }

    private double of(ToDoubleFunction<Embedder> number) {
      Embedder embedder = EmbedderHealth.loaded(beans, name);
      return embedder == null ? 0 : number.applyAsDouble(embedder);
    }

    private double figure(ToDoubleFunction<BatcherFigures> number) {
      return of(embedder -> embedder.batcher() == null ? 0 : number.applyAsDouble(embedder.batcher().figures()));
    }

    private void counter(String what, String unit, String description, ToDoubleFunction<Bound> number) {
      FunctionCounter.builder("lookupffn." + what, this, number)
          .tag("embedder", name).baseUnit(unit).description(description).register(registry);
    }

    private void gauge(String what, String unit, String description, ToDoubleFunction<Bound> number) {
      Gauge.builder("lookupffn." + what, this, number)
          .tag("embedder", name).baseUnit(unit).description(description).strongReference(true).register(registry);
    }

    void bind() {
      counter("calls", "calls", "Calls that were made", bound -> bound.of(Embedder::calls));
      counter("texts", "texts", "Texts that were embedded", bound -> bound.of(Embedder::texts));
      counter("tokens", "tokens", "Tokens that were run", bound -> bound.of(Embedder::tokens));
      counter("texts.cut", "texts", "Texts whose ends were not read", bound -> bound.of(Embedder::cut));
      counter("failures", "calls", "Calls that failed or were cancelled", bound -> bound.of(Embedder::failures));
      gauge("queue.depth", "texts", "Texts that wait", bound -> bound.figure(BatcherFigures::depth));
      counter("queue.refused", "texts", "Texts that were refused", bound -> bound.figure(BatcherFigures::refused));
      counter("batches", "batches", "Batches that were run", bound -> bound.figure(BatcherFigures::batches));
      gauge("batch.texts", "texts", "Texts of a batch on average", bound -> bound.figure(BatcherFigures::meanBatch));
      FunctionTimer.builder(
              "lookupffn.queue.wait",
              this,
              bound -> (long) bound.figure(BatcherFigures::batched),
              bound -> bound.figure(figures -> figures.totalWait().toNanos()),
              TimeUnit.NANOSECONDS)
          .tag("embedder", name).description("How long texts waited").register(registry);
      gauge("model.memory", "bytes", "Weights outside of the heap",
          bound -> bound.of(embedder -> embedder.model().isClosed() ? 0 : embedder.model().info().memoryBytes()));
      TimeGauge.builder(
              "lookupffn.model.load",
              () -> of(embedder -> loader.durationOf(embedder.model()).toNanos()),
              TimeUnit.NANOSECONDS)
          .tag("embedder", name).description("How long the model took to load").register(registry);
    }
  }
}
