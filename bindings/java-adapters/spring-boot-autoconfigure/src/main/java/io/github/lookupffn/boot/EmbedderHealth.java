// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.Embedder;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Whether the models that were loaded are open, and how much waits for each. It loads none. */
final class EmbedderHealth {
  private final Map<String, Object> details = new LinkedHashMap<>();
  private boolean up = true;

  EmbedderHealth(ListableBeanFactory beans) {
    for (String name : beans.getBeanNamesForType(Embedder.class, true, false)) {
      Embedder embedder = loaded(beans, name);
      if (embedder == null) {
        details.put(name, "not loaded yet");
      } else if (embedder.model().isClosed()) {
        up = false;
        details.put(name, "closed");
      } else {
        int waiting = embedder.batcher() == null ? 0 : embedder.batcher().figures().depth();
        details.put(name, embedder.model().family() + ", " + waiting + " texts waiting");
      }
    }
  }

  /** The bean, if it was made. */
  static @Nullable Embedder loaded(ListableBeanFactory beans, String name) {
    boolean made = beans instanceof ConfigurableListableBeanFactory factory && factory.getSingleton(name) != null;
    return made ? beans.getBean(name, Embedder.class) : null;
  }

  boolean isUp() {
    return up;
  }

  Map<String, Object> details() {
    return details;
  }
}
