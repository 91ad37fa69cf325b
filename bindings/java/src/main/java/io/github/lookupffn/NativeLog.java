// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** Hands on what the native library logs. */
final class NativeLog {
  private static volatile LogListener listener;

  private NativeLog() {}

  static synchronized void listen(LogListener who) {
    NativeLibrary.ensureLoaded();
    listener = who;
    Raw.setLog(who != null);
  }

  /** Called by the native library. The runtime's number is 0 for what was loaded without a log of its own. */
  static void tell(long runtime, int level, byte[] utf8) {
    try {
      LogListener who = runtime == 0 ? listener : RuntimeHooks.logOf(runtime);
      if (who != null) {
        who.log(LogLevel.of(level), Utf8.text(utf8));
      }
    } catch (Throwable dropped) {
      // A log has no failures.
    }
  }
}
