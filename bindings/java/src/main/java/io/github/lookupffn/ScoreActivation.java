// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** What {@link ScoreKind#MODEL} makes of a class score x. */
public enum ScoreActivation {
  /** The score itself. */
  IDENTITY(Abi.SCORE_ACTIVATION_IDENTITY),
  /** Its hyperbolic tangent. */
  TANH(Abi.SCORE_ACTIVATION_TANH),
  /** x where it is above 0, else 0. */
  RELU(Abi.SCORE_ACTIVATION_RELU),
  /** 1 / (1 + exp(-x)). */
  SIGMOID(Abi.SCORE_ACTIVATION_SIGMOID),
  /** x times the normal distribution of x. */
  GELU(Abi.SCORE_ACTIVATION_GELU);

  private final int code;

  ScoreActivation(int code) {
    this.code = code;
  }

  static ScoreActivation ofCode(int code) {
    for (ScoreActivation activation : values()) {
      if (activation.code == code) {
        return activation;
      }
    }
    throw new IllegalArgumentException("no activation of scores has the code " + code);
  }
}
