// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.spark;

import io.github.lookupffn.LoadOptions;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkFiles;

/**
 * Where a model lies: what tasks capture instead of a {@link Model}, which is native memory. Each virtual machine loads it
 * once, however many tasks it runs, and keeps it until it ends. References to different paths are different models.
 */
public final class ModelRef implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final ConcurrentHashMap<ModelRef, Model> LOADED = new ConcurrentHashMap<>();
  private static final AtomicInteger BUSY = new AtomicInteger();

  private final String path;
  private final boolean mapped;

  /**
   * Refers to a model that is read.
   *
   * @param path its folder or file on each machine; or its name, where {@code spark-submit --archives} or {@code
   *     SparkContext.addFile(folder, true)} brings it
   */
  public ModelRef(String path) {
    this(path, false);
  }

  /**
   * Refers to a model.
   *
   * @param path its folder or file on each machine, or its name among those that Spark brings
   * @param memoryMapping whether it is mapped, so that several virtual machines of a machine share its memory
   */
  public ModelRef(String path, boolean memoryMapping) {
    this.path = Objects.requireNonNull(path, "path");
    mapped = memoryMapping;
  }

  /**
   * The model, loaded when it is first asked for in this virtual machine.
   *
   * @return the model, which is not to be closed
   */
  public Model get() {
    return LOADED.computeIfAbsent(
        this, ref -> Model.load(place(ref.path), LoadOptions.defaults().withMemoryMapping(ref.mapped)));
  }

  private static Path place(String path) {
    Path here = Paths.get(path);
    if (Files.exists(here) || here.isAbsolute()) {
      return here;
    }
    try {
      Path brought = Paths.get(SparkFiles.get(path));
      return Files.exists(brought) ? brought : here;
    } catch (RuntimeException outsideOfSpark) {
      return here;
    }
  }

  /** Tasks that run share the processors: one alone uses all of them, as many as there are use one each. */
  static RunOptions sharing(RunOptions options) {
    return options.withNumThreads(Math.max(1, Runtime.getRuntime().availableProcessors() / Math.max(1, BUSY.get())));
  }

  static void begin() {
    BUSY.incrementAndGet();
  }

  static void end() {
    BUSY.decrementAndGet();
  }

  /**
   * Where the model lies.
   *
   * @return as it was given
   */
  public String path() {
    return path;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ModelRef && path.equals(((ModelRef) other).path) && mapped == ((ModelRef) other).mapped;
  }

  @Override
  public int hashCode() {
    return path.hashCode();
  }

  @Override
  public String toString() {
    return "ModelRef[" + path + (mapped ? ", mapped]" : "]");
  }
}
