// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.spark;

import org.apache.spark.sql.api.java.UDF2;
import org.jspecify.annotations.Nullable;

/**
 * A function of a text and a model's path, for Python: {@code spark.udf.registerJavaFunction("embed",
 * "io.github.lookupffn.spark.EmbedUdf", ArrayType(FloatType()))}, then {@code SELECT embed(text, '/models/mine') FROM t}.
 */
public final class EmbedUdf implements UDF2<String, String, Float[]> {
  private static final long serialVersionUID = 1L;

  /** Made by Spark. */
  public EmbedUdf() {}

  @Override
  public Float @Nullable [] call(@Nullable String text, String model) {
    return LookupFfnFunctions.embed(new ModelRef(model), text, "document");
  }
}
