// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Reads texts in batches, one after another, and gives what is computed of them in their order. */
final class CorpusStream extends Spliterators.AbstractSpliterator<float[]> {
  private final Iterator<String> texts;
  private final int batchSize;
  private final RunOptions options;
  private final BiFunction<List<String>, RunOptions, float[][]> call;
  private float[][] results = {};
  private int next;

  private CorpusStream(
      Iterator<String> texts, int batchSize, RunOptions options, BiFunction<List<String>, RunOptions, float[][]> call) {
    super(Long.MAX_VALUE, Spliterator.ORDERED | Spliterator.NONNULL);
    this.texts = texts;
    this.batchSize = batchSize;
    this.options = options;
    this.call = call;
  }

  static Stream<float[]> of(
      Stream<String> texts,
      int batchSize,
      RunOptions options,
      BiFunction<List<String>, RunOptions, float[][]> call) {
    Objects.requireNonNull(texts, "texts");
    Objects.requireNonNull(options, "options");
    if (batchSize < 1) {
      throw new IllegalArgumentException("batchSize is " + batchSize + ", expected 1 or more");
    }
    CorpusStream stream = new CorpusStream(texts.iterator(), batchSize, options, call);
    return StreamSupport.stream(stream, false).onClose(texts::close);
  }

  @Override
  public boolean tryAdvance(Consumer<? super float[]> action) {
    if (next == results.length) {
      List<String> batch = new ArrayList<>();
      while (batch.size() < batchSize && texts.hasNext()) {
        batch.add(texts.next());
      }
      next = 0;
      results = new float[0][];
      if (batch.isEmpty()) {
        return false;
      }
      results = LookupFfn.interruptibly(options, changed -> call.apply(batch, changed));
    }
    float[] result = results[next];
    results[next++] = null;
    action.accept(result);
    return true;
  }

  /** A split would read ahead a thousand batches of texts. */
  @Override
  public Spliterator<float[]> trySplit() {
    return null;
  }
}
