// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** What the scores of a classifier or a reranker become. */
public enum ScoreKind {
  /** The model's logits. */
  RAW(Abi.SCORES_RAW),
  /** Softmax; sigmoid for one class and for models with several labels at once. */
  PROBABILITIES(Abi.SCORES_PROBABILITIES),
  /** {@link ModelInfo#scoreActivation}, which a reranker's files name; otherwise sigmoid for one class. */
  MODEL(Abi.SCORES_MODEL);

  final int code;

  ScoreKind(int code) {
    this.code = code;
  }
}
