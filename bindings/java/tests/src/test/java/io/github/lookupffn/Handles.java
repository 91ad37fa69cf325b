// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** How many of the library's objects are alive. */
final class Handles {
  private Handles() {
  }

  /** Without those that earlier tests left to the collector. */
  static long settled() throws InterruptedException {
    long now = Raw.liveHandles();
    for (int same = 0; same < 3;) {
      long before = now;
      System.gc();
      Thread.sleep(20); // the cleaner is a thread of its own
      now = Raw.liveHandles();
      same = now == before ? same + 1 : 0;
    }
    return now;
  }
}
