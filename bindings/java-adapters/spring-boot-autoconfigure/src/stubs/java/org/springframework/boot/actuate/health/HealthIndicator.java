// SPDX-License-Identifier: Apache-2.0
package org.springframework.boot.actuate.health;

/** What Spring Boot 3 has under this name, as far as it is used: to compile with alone, and in no jar. */
public interface HealthIndicator {
  Health health();
}
