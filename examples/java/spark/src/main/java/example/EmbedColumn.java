// SPDX-License-Identifier: Apache-2.0
package example;

import io.github.lookupffn.LoadOptions;
import io.github.lookupffn.Model;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Embeds the lines of text files: {@code EmbedColumn MODEL INPUT OUTPUT} writes Parquet with text and vector. */
public final class EmbedColumn {
  private EmbedColumn() {}

  /** One model for each virtual machine, however many tasks it runs; it ends with the virtual machine. */
  private static final class Held {
    private static Model model;

    private Held() {}

    static synchronized Model model(String path) {
      if (model == null) {
        // Spark runs a task for each core.
        model = Model.load(Paths.get(path), LoadOptions.defaults().withNumThreads(1));
      }
      return model;
    }
  }

  /** Takes a batch from the texts when one is asked for, so that a partition is never in memory as a whole. */
  static final class Batches implements Iterator<Row> {
    private static final int BATCH = 64;

    private final Iterator<String> texts;
    private final Model model;
    private Iterator<Row> ready = Collections.emptyIterator();

    Batches(Iterator<String> texts, Model model) {
      this.texts = texts;
      this.model = model;
    }

    @Override
    public boolean hasNext() {
      return ready.hasNext() || texts.hasNext();
    }

    @Override
    public Row next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      if (!ready.hasNext()) {
        List<String> batch = new ArrayList<>(BATCH);
        while (batch.size() < BATCH && texts.hasNext()) {
          batch.add(texts.next());
        }
        float[][] vectors = model.embed(batch);
        List<Row> rows = new ArrayList<>(BATCH);
        for (int i = 0; i < vectors.length; i++) {
          rows.add(RowFactory.create(batch.get(i), boxed(vectors[i])));
        }
        ready = rows.iterator();
      }
      return ready.next();
    }

    private static Float[] boxed(float[] vector) {
      Float[] boxed = new Float[vector.length];
      for (int i = 0; i < vector.length; i++) {
        boxed[i] = vector[i];
      }
      return boxed;
    }
  }

  public static void main(String[] arguments) {
    if (arguments.length != 3) {
      System.err.println("usage: EmbedColumn MODEL INPUT OUTPUT");
      System.exit(2);
    }
    String path = arguments[0];
    StructType schema = DataTypes.createStructType(new StructField[] {
      DataTypes.createStructField("text", DataTypes.StringType, false),
      DataTypes.createStructField("vector", DataTypes.createArrayType(DataTypes.FloatType, false), false),
    });
    try (SparkSession spark = SparkSession.builder().appName("EmbedColumn").getOrCreate()) {
      Dataset<String> lines = spark.read().textFile(arguments[1]).as(Encoders.STRING());
      MapPartitionsFunction<String, Row> embed = texts -> new Batches(texts, Held.model(path));
      lines.mapPartitions(embed, Encoders.row(schema)).write().parquet(arguments[2]);
    }
  }
}
