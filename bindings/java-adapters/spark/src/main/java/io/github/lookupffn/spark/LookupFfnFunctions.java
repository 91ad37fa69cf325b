// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.spark;

import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.jspecify.annotations.Nullable;

/** Functions for SQL. They take one text at a time; for many, {@link LookupFfnEmbedder} is faster. */
public final class LookupFfnFunctions {
  /** What they give. */
  static final DataType VECTOR = DataTypes.createArrayType(DataTypes.FloatType, false);

  private LookupFfnFunctions() {}

  /**
   * Makes a function that embeds documents: {@code SELECT NAME(text) FROM t}.
   *
   * @param spark the session
   * @param name the function's name
   * @param model the model
   */
  public static void register(SparkSession spark, String name, ModelRef model) {
    register(spark, name, model, "document");
  }

  /**
   * Makes a function that embeds texts.
   *
   * @param spark the session
   * @param name the function's name
   * @param model the model
   * @param prompt a prompt of the model, or what texts are: "query" or "document"
   */
  public static void register(SparkSession spark, String name, ModelRef model, String prompt) {
    UDF1<String, Float[]> embed = text -> embed(model, text, prompt);
    spark.udf().register(name, embed, VECTOR);
  }

  static Float @Nullable [] embed(ModelRef ref, @Nullable String text, String prompt) {
    if (text == null) {
      return null;
    }
    Model model = ref.get();
    ModelRef.begin();
    try {
      return EmbeddedRows.boxed(model.embed(text, ModelRef.sharing(model.withPrompt(prompt, RunOptions.defaults()))));
    } finally {
      ModelRef.end();
    }
  }
}
