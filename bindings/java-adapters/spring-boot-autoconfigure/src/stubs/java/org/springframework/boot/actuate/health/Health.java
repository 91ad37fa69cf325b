// SPDX-License-Identifier: Apache-2.0
package org.springframework.boot.actuate.health;

import java.util.Map;

/** What Spring Boot 3 has under this name, as far as it is used: to compile with alone, and in no jar. */
public final class Health {
  private Health() {}

  public static Builder up() {
    return new Builder();
  }

  public static Builder down() {
    return new Builder();
  }

  /** Builds one. */
  public static class Builder {
    public Builder withDetails(Map<String, ?> details) {
      return this;
    }

    public Health build() {
      return new Health();
    }
  }
}
