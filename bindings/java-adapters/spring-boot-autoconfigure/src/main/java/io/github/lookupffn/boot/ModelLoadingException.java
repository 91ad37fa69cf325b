// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import org.jspecify.annotations.Nullable;

/** A model that a property names cannot be loaded. */
public final class ModelLoadingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String property;
  private final @Nullable String place;

  ModelLoadingException(String property, @Nullable String place, Exception cause) {
    super("cannot load the model of " + property + (place == null ? "" : "=" + place) + ": " + cause.getMessage(), cause);
    this.property = property;
    this.place = place;
  }

  /** {@return the property that names the model} */
  public String property() {
    return property;
  }

  /** {@return where the property says that the model lies; null if it is not set} */
  public @Nullable String place() {
    return place;
  }
}
