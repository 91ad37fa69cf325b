// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.BadModelException;
import io.github.lookupffn.NativeMemoryException;
import io.github.lookupffn.UnsupportedModelException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do when an application does not start because of a property, or of the model that it names. */
final class PropertyFailureAnalyzer extends AbstractFailureAnalyzer<LookupFfnPropertyException> {
  /** Made by Spring Boot. */
  PropertyFailureAnalyzer() {}

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, LookupFfnPropertyException cause) {
    return new FailureAnalysis(cause.getMessage(), action(cause), cause);
  }

  private static String action(LookupFfnPropertyException cause) {
    String property = cause.property();
    String place = cause.value();
    Throwable why = cause.getCause();
    if (!property.endsWith(".model")) {
      return "Change " + property + ", or leave it out.";
    }
    if (place == null || place.startsWith("${")) {
      return "Set " + property + " to the model's folder or file, such as " + property + "=/models/mine, " + property
          + "=classpath:models/mine or " + property + "=shipped:fast.";
    }
    if (why instanceof BadModelException) {
      return "Put a whole model there: a folder of Hugging Face or sentence-transformers, or a file of lookupffn convert.";
    }
    if (why instanceof UnsupportedModelException) {
      return "Choose another model, or run this one where it can run; docs/models.md lists what loads.";
    }
    if (why instanceof NativeMemoryException) {
      return "Leave more memory outside of the Java heap: lower -Xmx, or raise the container's limit.";
    }
    if (place.startsWith(ModelLoader.SHIPPED)) {
      return "Set " + property + " to shipped:quality, shipped:fast or shipped:lookup, and add the dependency"
          + " io.github.lookupffn:lookupffn-model-quality, -fast or -lookup.";
    }
    if (place.startsWith("classpath:")) {
      return "Put the model on the class path under that name, such as into src/main/resources, and check that the packaged"
          + " application has it; or set " + property + " to a path of the file system.";
    }
    return "Check " + property + ". Without \"classpath:\", \"file:\", \"jar:\" or \"shipped:\" before it, it is a path of the"
        + " file system, relative to where the application was started (" + System.getProperty("user.dir") + ").";
  }
}
