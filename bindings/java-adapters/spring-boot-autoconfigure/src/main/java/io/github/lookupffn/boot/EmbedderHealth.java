// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.Embedder;
import io.github.lookupffn.Model;
import io.github.lookupffn.ModelEmbedder;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Whether the models that were loaded are open, and how much waits for each. It loads none. */
final class EmbedderHealth {
  private final Map<String, Object> details = new LinkedHashMap<>();
  private boolean up = true;

  EmbedderHealth(ListableBeanFactory beans) {
    Set<Model> told = Collections.newSetFromMap(new IdentityHashMap<>());
    for (String name : beans.getBeanNamesForType(Embedder.class, true, false)) {
      Embedder embedder = loaded(beans, name, Embedder.class);
      if (embedder == null) {
        details.put(name, "not loaded yet");
      } else if (embedder instanceof ModelEmbedder ofModel) {
        told.add(ofModel.model());
        int waiting = ofModel.batcher() == null ? 0 : ofModel.batcher().figures().depth();
        tell(name, ofModel.model(), ", " + waiting + " texts waiting");
      } else {
        details.put(name, embedder.getClass().getSimpleName() + ", which has no model");
      }
    }
    // Rerankers.
    for (String name : beans.getBeanNamesForType(Model.class, true, false)) {
      Model model = loaded(beans, name, Model.class);
      if (model != null && !told.contains(model)) {
        tell(name, model, "");
      }
    }
  }

  private void tell(String name, Model model, String more) {
    boolean closed = model.isClosed();
    up &= !closed;
    details.put(name, closed ? "closed" : model.family() + more);
  }

  /** The bean, if it was made. */
  static <T> @Nullable T loaded(ListableBeanFactory beans, String name, Class<T> type) {
    boolean made = beans instanceof ConfigurableListableBeanFactory factory && factory.getSingleton(name) != null;
    return made ? beans.getBean(name, type) : null;
  }

  boolean isUp() {
    return up;
  }

  Map<String, Object> details() {
    return details;
  }
}
