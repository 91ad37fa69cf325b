// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** Receives what the native library logs. */
@FunctionalInterface
public interface LogListener {
  /**
   * Takes a line, in the thread whose call it is about. What it throws is dropped. Several threads may call it at once.
   *
   * @param level how much it matters
   * @param message the line, without a line end
   */
  void log(LogLevel level, String message);
}
