// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.spark;

import java.io.Serializable;
import java.util.Iterator;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;

/** What the tasks of an embedding stage are told. */
final class EmbeddingPlan implements MapPartitionsFunction<Row, Row>, Serializable {
  private static final long serialVersionUID = 1L;

  final ModelRef model;
  final int input;
  final int batchSize;
  final String prompt;
  final boolean asVector;
  final boolean truncated;
  final String nulls;

  EmbeddingPlan(
      ModelRef model, int input, int batchSize, String prompt, boolean asVector, boolean truncated, String nulls) {
    this.model = model;
    this.input = input;
    this.batchSize = batchSize;
    this.prompt = prompt;
    this.asVector = asVector;
    this.truncated = truncated;
    this.nulls = nulls;
  }

  @Override
  public Iterator<Row> call(Iterator<Row> rows) {
    return new EmbeddedRows(rows, this);
  }
}
