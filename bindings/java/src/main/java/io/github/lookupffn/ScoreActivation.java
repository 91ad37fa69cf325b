// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** What {@link ScoreKind#MODEL} makes of a class score x. */
public enum ScoreActivation {
  /** x */
  IDENTITY(Abi.SCORE_ACTIVATION_IDENTITY),
  /** tanh(x) */
  TANH(Abi.SCORE_ACTIVATION_TANH),
  /** x if it is above 0, else 0 */
  RELU(Abi.SCORE_ACTIVATION_RELU),
  /** 1 / (1 + exp(-x)) */
  SIGMOID(Abi.SCORE_ACTIVATION_SIGMOID),
  /** x Phi(x), Phi the normal distribution */
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
