// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** How much a line of the log matters. */
public enum LogLevel {
  /** Something failed. */
  ERROR(Abi.LOG_ERROR),
  /** Something is not as it should be. */
  WARNING(Abi.LOG_WARNING),
  /** Good to know. */
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
