// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** How a table's score follows from its hash values. */
public enum Activation {
  /** The sum of the absolute hash values times the softmax weight of the code. */
  GELU(Abi.ACTIVATION_GELU),
  /** The softmax weight of the code. */
  SIGMOID(Abi.ACTIVATION_SIGMOID);

  final int code;

  Activation(int code) {
    this.code = code;
  }

  static Activation ofCode(int code) {
    for (Activation activation : values()) {
      if (activation.code == code) {
        return activation;
      }
    }
    throw new IllegalArgumentException("no activation has the code " + code);
  }
}
