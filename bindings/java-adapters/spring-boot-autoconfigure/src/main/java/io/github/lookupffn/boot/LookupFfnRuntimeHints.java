// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** What a native image needs beside what the core jar says itself: the shipped models that are on the class path. */
final class LookupFfnRuntimeHints implements RuntimeHintsRegistrar {
  /** Made by Spring. */
  LookupFfnRuntimeHints() {}

  @Override
  public void registerHints(RuntimeHints hints, ClassLoader loader) {
    hints.resources().registerPattern("META-INF/lookupffn/models/*");
  }
}
