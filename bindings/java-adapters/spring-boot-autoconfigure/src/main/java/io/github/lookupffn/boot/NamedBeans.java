// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.EmbeddingBatcher;
import io.github.lookupffn.LookupFfnRuntime;
import io.github.lookupffn.Model;
import io.github.lookupffn.ModelEmbedder;
import org.springframework.beans.factory.BeanFactory;

/** Makes the beans of the models that have names. Spring's ahead-of-time processing knows methods, and no suppliers. */
final class NamedBeans {
  private final LookupFfnProperties properties;
  private final ModelLoader loader;
  private final CallTimes times;
  private final BeanFactory beans;

  NamedBeans(LookupFfnProperties properties, ModelLoader loader, CallTimes times, BeanFactory beans) {
    this.properties = properties;
    this.loader = loader;
    this.times = times;
    this.beans = beans;
  }

  private static String prefix(String name) {
    return NamedModels.PREFIX + "." + name + ".";
  }

  private ModelProperties of(String name) {
    ModelProperties own = properties.getModels().get(name);
    return own == null ? new ModelProperties() : own; // loading says that it is not set
  }

  Model model(String name) {
    return loader.load(prefix(name), of(name), beans.getBean(LookupFfnRuntime.class));
  }

  EmbeddingBatcher batcher(String name) {
    return new EmbeddingBatcher(
        beans.getBean(name + NamedModels.MODEL, Model.class), of(name).getBatching().options(prefix(name) + "batching."));
  }

  ModelEmbedder embedder(String name) {
    String batcher = name + NamedModels.BATCHER;
    return of(name).embedder(
        prefix(name),
        beans.getBean(name + NamedModels.MODEL, Model.class),
        beans.containsBean(batcher) ? beans.getBean(batcher, EmbeddingBatcher.class) : null,
        times.listenerOf(name + NamedModels.EMBEDDER),
        beans);
  }
}
