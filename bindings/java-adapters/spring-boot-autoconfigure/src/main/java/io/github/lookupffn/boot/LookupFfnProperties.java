// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** The application's models: one without a name, and any number with names. */
@ConfigurationProperties("lookupffn")
public class LookupFfnProperties extends ModelProperties {
  /** Further models by their names, each with beans that have it as their qualifier. */
  private Map<String, ModelProperties> models = new LinkedHashMap<>();

  /** Whether models are loaded when they are first used, instead of when the application starts. */
  private boolean lazy;

  /** What all models share. */
  @NestedConfigurationProperty
  private Runtime runtime = new Runtime();

  /** Made when properties are bound. */
  public LookupFfnProperties() {}

  /** What all models share. */
  public static class Runtime {
    /** How many threads all models use together at most; 0 for as many as the process may use. */
    private int threads;

    /** The instruction set of the kernels, such as "avx2", instead of the best that there is. */
    private @Nullable String instructionSet;

    /** Made when properties are bound. */
    public Runtime() {}

    /** {@return how many threads all models use at most} */
    public int getThreads() {
      return threads;
    }

    /** @param threads how many threads all models use at most */
    public void setThreads(int threads) {
      this.threads = threads;
    }

    /** {@return the instruction set} */
    public @Nullable String getInstructionSet() {
      return instructionSet;
    }

    /** @param instructionSet the instruction set */
    public void setInstructionSet(@Nullable String instructionSet) {
      this.instructionSet = instructionSet;
    }
  }

  /** {@return further models by their names} */
  public Map<String, ModelProperties> getModels() {
    return models;
  }

  /** @param models further models by their names */
  public void setModels(Map<String, ModelProperties> models) {
    this.models = models;
  }

  /** {@return whether models are loaded when they are first used} */
  public boolean isLazy() {
    return lazy;
  }

  /** @param lazy whether models are loaded when they are first used */
  public void setLazy(boolean lazy) {
    this.lazy = lazy;
  }

  /** {@return what all models share} */
  public Runtime getRuntime() {
    return runtime;
  }

  /** @param runtime what all models share */
  public void setRuntime(Runtime runtime) {
    this.runtime = runtime;
  }
}
