// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.LoadOptions;
import io.github.lookupffn.LookupFfnException;
import io.github.lookupffn.LookupFfnRuntime;
import io.github.lookupffn.Model;
import io.github.lookupffn.Models;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
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
  /** What stands before the name of a model that this project ships. */
  static final String SHIPPED = "shipped:";

  private final ResourceLoader resources;
  private final Map<Model, Duration> durations = Collections.synchronizedMap(new WeakHashMap<>());

  ModelLoader(ResourceLoader resources) {
    this.resources = resources;
  }

  /** @param prefix of the properties, such as "lookupffn." */
  Model load(String prefix, ModelProperties properties, LookupFfnRuntime runtime) {
    String place = properties.getModel();
    LoadOptions options = properties.loadOptions(prefix, runtime);
    long began = System.nanoTime();
    try {
      if (place == null || place.isBlank()) {
        throw new IllegalArgumentException("it is not set");
      }
      if (place.startsWith("${")) {
        throw new IllegalArgumentException("the placeholder has no value");
      }
      Model model = load(place, options);
      durations.put(model, Duration.ofNanos(System.nanoTime() - began));
      return model;
    } catch (LookupFfnException | IllegalArgumentException | IOException | FileSystemNotFoundException failure) {
      throw new LookupFfnPropertyException(prefix + "model", place, failure);
    }
  }

  private Model load(String place, LoadOptions options) throws IOException {
    if (!place.matches("[A-Za-z][A-Za-z0-9+.-]+:.*")) {
      return Model.load(Path.of(place), options);
    }
    if (place.startsWith(SHIPPED)) {
      return Model.load(shipped(place.substring(SHIPPED.length())), options);
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
    if (place.matches("jar:file:[^!]+!/[^!]*")) {
      // An entry, or a folder, which is no resource.
      Path archive = Path.of(URI.create(place.substring("jar:".length(), place.indexOf('!'))));
      try (FileSystem files = FileSystems.newFileSystem(archive)) {
        return Model.load(files.getPath(place.substring(place.indexOf('!') + 1).replaceFirst("(?<=.)/+$", "")), options);
      }
    }
    if (!resource.exists()) {
      throw new IOException(resource + " does not exist");
    }
    try (InputStream stream = resource.getInputStream()) {
      return Model.load(stream, options);
    }
  }

  private static Models shipped(String name) {
    for (Models model : Models.values()) {
      if (model.name().equalsIgnoreCase(name)) {
        return model;
      }
    }
    throw new IllegalArgumentException("no model of this name is shipped");
  }

  /** How long a model took to load; none for one that was loaded elsewhere. */
  Duration durationOf(Model model) {
    return durations.getOrDefault(model, Duration.ZERO);
  }
}
