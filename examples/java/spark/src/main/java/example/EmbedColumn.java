// SPDX-License-Identifier: Apache-2.0
package example;

import io.github.lookupffn.spark.LookupFfnEmbedder;
import io.github.lookupffn.spark.LookupFfnFunctions;
import io.github.lookupffn.spark.ModelRef;
import java.io.IOException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Embeds the lines of text files: {@code EmbedColumn MODEL INPUT OUTPUT [QUERY]} writes Parquet with text, vector and whether
 * the text was too long; with a query it also shows the vector of that, as SQL gives it.
 */
public final class EmbedColumn {
  private EmbedColumn() {}

  static Dataset<Row> embedded(Dataset<Row> lines, String model) {
    return new LookupFfnEmbedder()
        .setModel(model)
        .setInputCol("text")
        .setOutputCol("vector")
        .setTruncatedCol("cut")
        .transform(lines);
  }

  public static void main(String[] arguments) throws IOException {
    if (arguments.length < 3 || arguments.length > 4) {
      System.err.println("usage: EmbedColumn MODEL INPUT OUTPUT [QUERY]");
      System.exit(2);
    }
    try (SparkSession spark = SparkSession.builder().appName("EmbedColumn").getOrCreate()) {
      Dataset<Row> lines = spark.read().text(arguments[1]).toDF("text");
      embedded(lines, arguments[0]).write().parquet(arguments[2]);
      if (arguments.length == 4) {
        LookupFfnFunctions.register(spark, "embed_query", new ModelRef(arguments[0]), "query");
        spark.sql("SELECT embed_query('" + arguments[3].replace("\\", "\\\\").replace("'", "\\'") + "')").show();
      }
    }
  }
}
