// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.BadModelException;
import io.github.lookupffn.NativeMemoryException;
import io.github.lookupffn.UnsupportedModelException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do when an application does not start because of a model. */
final class ModelFailureAnalyzer extends AbstractFailureAnalyzer<ModelLoadingException> {
  /** Made by Spring Boot. */
  ModelFailureAnalyzer() {}

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, ModelLoadingException cause) {
    return new FailureAnalysis(cause.getMessage(), action(cause), cause);
  }

  private static String action(ModelLoadingException cause) {
    String property = cause.property();
    Throwable why = cause.getCause();
    if (cause.place() == null || cause.place().startsWith("${")) {
      return "Set " + property + " to the model's folder or file, such as " + property + "=/models/mine or " + property
          + "=classpath:models/mine.";
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
    return "Check " + property + ". Without \"classpath:\" or \"file:\" before it, it is a path of the file system, relative"
        + " to where the application was started (" + System.getProperty("user.dir") + ").";
  }
}
