// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/** What {@link Vectors#topK} found for each query, the nearest first. */
public final class Nearest {
  private final int k;
  private final long[][] ids;
  private final float[][] scores;

  Nearest(int k, long[][] ids, float[][] scores) {
    this.k = k;
    this.ids = ids;
    this.scores = scores;
  }

  /** {@return how many were asked for; where fewer took part, fewer were found} */
  public int k() {
    return k;
  }

  /** {@return how many queries there were} */
  public int queries() {
    return ids.length;
  }

  /** {@return the ids that each query found, not a copy} */
  public long[][] ids() {
    return ids;
  }

  /** {@return the scores of these, not a copy; NaN comes last} */
  public float[][] scores() {
    return scores;
  }

  /**
   * What one query found.
   *
   * @param query its number, from 0 on
   * @return ids and scores, the nearest first
   */
  public List<ScoredId> of(int query) {
    return new Found(ids[Objects.checkIndex(query, ids.length)], scores[query]);
  }

  /** A view. */
  private static final class Found extends AbstractList<ScoredId> implements RandomAccess {
    private final long[] ids;
    private final float[] scores;

    Found(long[] ids, float[] scores) {
      this.ids = ids;
      this.scores = scores;
    }

    @Override
    public ScoredId get(int place) {
      return new ScoredId(ids[place], scores[place]);
    }

    @Override
    public int size() {
      return ids.length;
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof Nearest)) {
      return false;
    }
    Nearest nearest = (Nearest) other;
    return k == nearest.k && Arrays.deepEquals(ids, nearest.ids) && Arrays.deepEquals(scores, nearest.scores);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.deepHashCode(ids) + Arrays.deepHashCode(scores);
  }

  @Override
  public String toString() {
    return "Nearest[" + ids.length + " queries, " + k + " of each]";
  }
}
