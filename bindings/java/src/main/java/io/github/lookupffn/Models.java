// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/**
 * The models that this project ships, each in a jar of its own: {@code lookupffn-model-quality} and so on. They are sentence
 * encoders for English.
 */
public enum Models {
  /** The one whose vectors are closest to those of the model that it was made of. */
  QUALITY("quality"),
  /** The one that is fast and nearly as good. */
  FAST("fast"),
  /** The smallest one. */
  LOOKUP("lookup");

  private final String key;

  Models(String key) {
    this.key = key;
  }

  /** {@return the jar that has it, to be put on the class path, such as "io.github.lookupffn:lookupffn-model-quality"} */
  public String artifact() {
    return "io.github.lookupffn:lookupffn-model-" + key;
  }

  /**
   * Its file on the class path.
   *
   * @return the name of a resource
   */
  public String resource() {
    return "META-INF/lookupffn/models/" + key + ".safetensors";
  }
}
