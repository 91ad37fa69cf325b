// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** What the scores of a classifier or a reranker become. */
public enum ScoreKind {
  /** Logits, as the model gives them. */
  RAW(Abi.SCORES_RAW),
  /** Probabilities: the softmax, or the sigmoid for one class and for models of several labels at once. */
  PROBABILITIES(Abi.SCORES_PROBABILITIES),
  /** What a reranker's files ask for; the sigmoid for others of one class. */
  MODEL(Abi.SCORES_MODEL);

  final int code;

  ScoreKind(int code) {
    this.code = code;
  }
}
