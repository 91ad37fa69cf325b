// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.LookupFfnException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A property's value cannot be used, or the model that it names cannot be loaded. */
public final class LookupFfnPropertyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The property. */
  private final String property;

  /** Its value; null if it is not set. */
  private final @Nullable String value;

  LookupFfnPropertyException(String property, @Nullable Object value, Exception cause) {
    super(
        (property.endsWith(".model") ? "cannot load the model of " : "cannot use ") + property
            + (value == null ? "" : "=" + value) + ": " + cause.getMessage(),
        cause);
    this.property = property;
    this.value = value == null ? null : value.toString();
  }

  /** What is made of a property's value; where that is refused, it is told whose fault that is. */
  static <V, T> T checked(String property, V value, Function<? super V, ? extends T> use) {
    try {
      return use.apply(value);
    } catch (IllegalArgumentException | ArithmeticException | LookupFfnException refused) {
      throw new LookupFfnPropertyException(property, value, refused);
    }
  }

  /** {@return the property, such as "lookupffn.model"} */
  public String property() {
    return property;
  }

  /** {@return its value; null if it is not set} */
  public @Nullable String value() {
    return value;
  }
}
