// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.List;
import java.util.Objects;

/** Scores of documents for a query: by a classifier of pairs, or by late interaction. */
final class Reranking {
  private Reranking() {}

  static float[] scores(NativeModel model, String query, List<String> documents, RunOptions options) {
    Objects.requireNonNull(options, "options");
    byte[] utf8 = Utf8.of(Objects.requireNonNull(query, "query"), "the query");
    Objects.requireNonNull(documents, "documents");
    if (model.info().isLate()) {
      return late(model, utf8, documents, options);
    }
    if (model.info().numClasses() != 1) {
      throw new IllegalArgumentException("this model has " + model.info().numClasses() + " classes, a reranker has one");
    }
    float[][] scores =
        FloatCalls.rows(model, CallMemory.pairs(utf8, documents, options), Abi.OUT_CLASS_SCORES, options);
    float[] flat = new float[scores.length];
    for (int i = 0; i < flat.length; i++) {
      flat[i] = scores[i][0];
    }
    return flat;
  }

  private static float[] late(NativeModel model, byte[] query, List<String> documents, RunOptions options) {
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> late(model, query, documents, options));
    }
    CallMemory memory = CallMemory.pairs(query, documents, options.withStatuses(null));
    try {
      float[] scores = new float[memory.size];
      long address = model.enter();
      Events.Call event = Recorder.call("late interaction", memory.size);
      try {
        Raw.modelRerankArrays(
            address,
            query,
            memory.utf8,
            memory.ends,
            memory.size,
            options.maxTokens,
            Abi.SCORES_RAW,
            options.numbers[Abi.RUN_OPTION_NUM_THREADS],
            options.numbers[Abi.RUN_OPTION_FLAGS],
            scores,
            Cancellation.flagOf(options.cancellation));
        Recorder.end(event, 0);
      } finally {
        model.leave();
      }
      return scores;
    } finally {
      memory.release();
    }
  }
}
