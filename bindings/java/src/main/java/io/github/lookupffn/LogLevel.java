// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** How much a line of the log matters. */
public enum LogLevel {
  /** A failure that no status reports. */
  ERROR(Abi.LOG_ERROR),
  /** Something works differently than intended. */
  WARNING(Abi.LOG_WARNING),
  /** What the library chose. */
  INFO(Abi.LOG_INFO);

  private static final LogLevel[] VALUES = values();

  private final int code;

  LogLevel(int code) {
    this.code = code;
  }

  static LogLevel of(int code) {
    for (LogLevel level : VALUES) {
      if (level.code == code) {
        return level;
      }
    }
    return INFO;
  }
}
