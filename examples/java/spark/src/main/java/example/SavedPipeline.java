// SPDX-License-Identifier: Apache-2.0
package example;

import io.github.lookupffn.spark.LookupFfnEmbedder;
import java.io.IOException;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Saves a pipeline with a stage that embeds, loads it again, and runs it: {@code SavedPipeline MODEL PLACE INPUT OUTPUT}. */
public final class SavedPipeline {
  private SavedPipeline() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 4) {
      System.err.println("usage: SavedPipeline MODEL PLACE INPUT OUTPUT");
      System.exit(2);
    }
    try (SparkSession spark = SparkSession.builder().appName("SavedPipeline").getOrCreate()) {
      Dataset<Row> lines = spark.read().text(arguments[2]).toDF("text");
      PipelineStage stage = new LookupFfnEmbedder().setModel(arguments[0]).setOutputType("vector").setNullPolicy("skip");
      new Pipeline().setStages(new PipelineStage[] {stage}).fit(lines).write().overwrite().save(arguments[1]);
      PipelineModel.load(arguments[1]).transform(lines).write().parquet(arguments[3]);
    }
  }
}
