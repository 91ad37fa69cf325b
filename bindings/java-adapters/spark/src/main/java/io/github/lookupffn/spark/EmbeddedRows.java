// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.spark;

import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import io.github.lookupffn.TextCounts;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;

/** A partition's rows with their vectors. It takes a batch of rows when one is asked for, so that no partition is held whole. */
final class EmbeddedRows implements Iterator<Row> {
  private final Iterator<Row> rows;
  private final EmbeddingPlan plan;
  private final Model model;
  private final RunOptions options;
  private Iterator<Row> ready = Collections.emptyIterator();

  EmbeddedRows(Iterator<Row> rows, EmbeddingPlan plan) {
    this.rows = rows;
    this.plan = plan;
    model = plan.model.get();
    options = model.withPrompt(plan.prompt, RunOptions.defaults());
  }

  @Override
  public boolean hasNext() {
    while (!ready.hasNext() && rows.hasNext()) {
      ready = batch();
    }
    return ready.hasNext();
  }

  @Override
  public Row next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return ready.next();
  }

  private Iterator<Row> batch() {
    List<Row> taken = new ArrayList<>(plan.batchSize);
    List<String> texts = new ArrayList<>(plan.batchSize);
    while (taken.size() < plan.batchSize && rows.hasNext()) {
      Row row = rows.next();
      if (!row.isNullAt(plan.input)) {
        texts.add(row.getString(plan.input));
      } else if (plan.nulls.equals(LookupFfnEmbedder.NULLS_ERROR)) {
        throw new IllegalArgumentException(
            "a text is null; set nullPolicy to \"keep\" for a vector that is null, or to \"skip\" to leave out its row");
      } else if (plan.nulls.equals(LookupFfnEmbedder.NULLS_SKIP)) {
        continue;
      }
      taken.add(row);
    }
    TextCounts counts = new TextCounts();
    float[][] vectors;
    ModelRef.begin();
    try {
      vectors = model.embed(texts, ModelRef.sharing(options).withCounts(counts));
    } finally {
      ModelRef.end();
    }
    List<Row> made = new ArrayList<>(taken.size());
    int text = 0;
    for (Row row : taken) {
      boolean missing = row.isNullAt(plan.input);
      made.add(with(row, missing ? null : vectors[text], missing ? null : counts.isCut(text)));
      text += missing ? 0 : 1;
    }
    return made.iterator();
  }

  private Row with(Row row, float @Nullable [] vector, @Nullable Boolean cut) {
    int added = plan.truncated ? 2 : 1;
    Object[] values = new Object[row.length() + added];
    for (int i = 0; i < row.length(); i++) {
      values[i] = row.get(i);
    }
    values[row.length()] = vector == null ? null : plan.asVector ? vectorOf(vector) : boxed(vector);
    if (plan.truncated) {
      values[row.length() + 1] = cut;
    }
    return RowFactory.create(values);
  }

  private static Object vectorOf(float[] vector) {
    double[] wide = new double[vector.length];
    for (int i = 0; i < wide.length; i++) {
      wide[i] = vector[i];
    }
    return Vectors.dense(wide);
  }

  /** What Spark's encoder of rows takes for an array. */
  static Float[] boxed(float[] vector) {
    Float[] boxed = new Float[vector.length];
    for (int i = 0; i < boxed.length; i++) {
      boxed[i] = vector[i];
    }
    return boxed;
  }
}
