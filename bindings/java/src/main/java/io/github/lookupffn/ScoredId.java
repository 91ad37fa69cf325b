// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import org.jspecify.annotations.Nullable;

/** A vector that a search found, and how near it is. */
public final class ScoredId {
  private final long id;
  private final float score;

  ScoredId(long id, float score) {
    this.id = id;
    this.score = score;
  }

  /** {@return the vector's id: its number, from 0 on, unless the search was given other ids} */
  public long id() {
    return id;
  }

  /** {@return its dot product or cosine with the query; for bits, how many differ} */
  public float score() {
    return score;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ScoredId && id == ((ScoredId) other).id && Float.compare(score, ((ScoredId) other).score) == 0;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(id) + Float.hashCode(score);
  }

  @Override
  public String toString() {
    return "ScoredId[" + id + ", " + score + "]";
  }
}
