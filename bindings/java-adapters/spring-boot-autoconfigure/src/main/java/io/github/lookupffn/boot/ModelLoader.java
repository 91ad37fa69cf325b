// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.LoadOptions;
import io.github.lookupffn.LookupFfnException;
import io.github.lookupffn.LookupFfnRuntime;
import io.github.lookupffn.Model;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/** Loads models from where the properties say, and remembers how long that took. */
final class ModelLoader {
  private final ResourceLoader resources;
  private final Map<Model, Duration> durations = Collections.synchronizedMap(new WeakHashMap<>());

  ModelLoader(ResourceLoader resources) {
    this.resources = resources;
  }

  /** @param property what names the model, such as "lookupffn.model" */
  Model load(String property, ModelProperties properties, LookupFfnRuntime runtime) {
    String place = properties.getModel();
    long began = System.nanoTime();
    try {
      if (place == null || place.isBlank()) {
        throw new IllegalArgumentException("it is not set");
      }
      if (place.startsWith("${")) {
        throw new IllegalArgumentException("the placeholder has no value");
      }
      Model model = load(place, properties.loadOptions(runtime));
      durations.put(model, Duration.ofNanos(System.nanoTime() - began));
      return model;
    } catch (LookupFfnException | IllegalArgumentException | IOException failure) {
      throw new ModelLoadingException(property, place, failure);
    }
  }

  private Model load(String place, LoadOptions options) throws IOException {
    if (!place.matches("[A-Za-z][A-Za-z0-9+.-]+:.*")) {
      return Model.load(Path.of(place), options);
    }
    Resource resource = resources.getResource(place);
    if (resource.isFile()) {
      return Model.load(resource.getFile().toPath(), options);
    }
    if (resource instanceof ClassPathResource onClassPath) {
      ClassLoader loader = onClassPath.getClassLoader();
      return Model.loadResource(
          loader == null ? ModelLoader.class.getClassLoader() : loader, onClassPath.getPath(), options);
    }
    if (!resource.exists()) {
      throw new IOException(resource + " does not exist");
    }
    try (InputStream stream = resource.getInputStream()) {
      return Model.load(stream, options);
    }
  }

  /** How long a model took to load; none for one that was loaded elsewhere. */
  Duration durationOf(Model model) {
    return durations.getOrDefault(model, Duration.ZERO);
  }
}
