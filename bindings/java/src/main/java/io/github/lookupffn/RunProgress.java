// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** Is told how far a call that runs a model, or a search, has come, in the thread of the call. */
@FunctionalInterface
public interface RunProgress {
  /**
   * Called after each part of the work, and at the end of a call that succeeds. What it throws ends the call and comes out
   * of it.
   *
   * @param done how many of the call's texts or sequences are done, or of a search's pairs of a query and a vector; never less
   *     than before
   * @param all how many there are
   */
  void tell(long done, long all);
}
