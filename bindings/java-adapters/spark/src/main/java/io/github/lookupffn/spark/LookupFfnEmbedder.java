// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.spark;

import java.util.Arrays;
import java.util.UUID;
import org.apache.spark.ml.Transformer;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsWritable;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Adds a column with the vectors of a column of texts: a stage of a pipeline, which is saved and loaded with it. The model
 * itself is not saved: each machine has it at the same path, or Spark brings it, see {@link ModelRef}.
 */
public final class LookupFfnEmbedder extends Transformer implements DefaultParamsWritable {
  private static final long serialVersionUID = 1L;

  static final String NULLS_KEEP = "keep";
  static final String NULLS_ERROR = "error";
  static final String NULLS_SKIP = "skip";
  static final String AS_ARRAY = "array";
  static final String AS_VECTOR = "vector";

  // First: parameters ask for it.
  private final String uid;
  private final Param<String> inputCol = new Param<>(this, "inputCol", "the column of texts");
  private final Param<String> outputCol = new Param<>(this, "outputCol", "the column of vectors that is added");
  private final Param<String> model = new Param<>(this, "model", "the model's folder or file");
  private final BooleanParam memoryMapping = new BooleanParam(this, "memoryMapping", "whether the model is mapped");
  private final IntParam batchSize = new IntParam(this, "batchSize", "how many texts are run at once");
  private final Param<String> prompt =
      new Param<>(this, "prompt", "a prompt of the model, or what texts are: query or document");
  private final Param<String> outputType =
      new Param<>(this, "outputType", "array for array<float>, vector for a vector of MLlib");
  private final Param<String> truncatedCol =
      new Param<>(this, "truncatedCol", "a column that tells whether a text was too long; none if it is empty");
  private final Param<String> nullPolicy =
      new Param<>(this, "nullPolicy", "what becomes of texts that are null: keep, skip or error");

  /** Makes one that has yet to be told its columns and its model. */
  public LookupFfnEmbedder() {
    this("lookupFfnEmbedder_" + UUID.randomUUID().toString().replace("-", "").substring(0, 12));
  }

  /**
   * Makes one with a name, as Spark does when it loads a pipeline.
   *
   * @param uid its name in the pipeline
   */
  public LookupFfnEmbedder(String uid) {
    this.uid = uid;
    setDefault(inputCol, "text");
    setDefault(outputCol, "vector");
    setDefault(memoryMapping, false);
    setDefault(batchSize, 64);
    setDefault(prompt, "document");
    setDefault(outputType, AS_ARRAY);
    setDefault(truncatedCol, "");
    setDefault(nullPolicy, NULLS_KEEP);
  }

  @Override
  public String uid() {
    return uid;
  }

  /**
   * Reads one that was saved.
   *
   * @return a reader
   */
  public static MLReader<LookupFfnEmbedder> read() {
    return new DefaultParamsReader<>();
  }

  /**
   * Loads one that was saved.
   *
   * @param path where
   * @return it
   */
  public static LookupFfnEmbedder load(String path) {
    return read().load(path);
  }

  @Override
  public Dataset<Row> transform(Dataset<?> dataset) {
    StructType schema = transformSchema(dataset.schema());
    if (!isDefined(model)) {
      throw new IllegalArgumentException("no model was set: call setModel with the model's folder or file");
    }
    EmbeddingPlan plan = new EmbeddingPlan(
        new ModelRef(text(model), getOrDefault(memoryMapping).equals(true)),
        dataset.schema().fieldIndex(text(inputCol)),
        positive((Integer) getOrDefault(batchSize)),
        text(prompt),
        text(outputType).equals(AS_VECTOR),
        !text(truncatedCol).isEmpty(),
        text(nullPolicy));
    return dataset.toDF().mapPartitions(plan, Encoders.row(schema));
  }

  @Override
  public StructType transformSchema(StructType schema) {
    DataType texts = schema.apply(text(inputCol)).dataType();
    if (!texts.equals(DataTypes.StringType)) {
      throw new IllegalArgumentException("the column " + text(inputCol) + " is of " + texts.simpleString() + ", not of texts");
    }
    oneOf(outputType, AS_ARRAY, AS_VECTOR);
    oneOf(nullPolicy, NULLS_KEEP, NULLS_SKIP, NULLS_ERROR);
    for (Param<String> added : Arrays.asList(outputCol, truncatedCol)) {
      if (Arrays.asList(schema.fieldNames()).contains(text(added))) {
        throw new IllegalArgumentException("there is a column " + text(added) + " already; set another " + added.name());
      }
    }
    DataType type = text(outputType).equals(AS_VECTOR)
        ? SQLDataTypes.VectorType()
        : DataTypes.createArrayType(DataTypes.FloatType, false);
    StructType with = schema.add(text(outputCol), type, true);
    return text(truncatedCol).isEmpty() ? with : with.add(text(truncatedCol), DataTypes.BooleanType, true);
  }

  private void oneOf(Param<String> param, String... values) {
    if (!Arrays.asList(values).contains(text(param))) {
      throw new IllegalArgumentException(param.name() + " is " + text(param) + ", expected one of " + Arrays.asList(values));
    }
  }

  private static int positive(int size) {
    if (size < 1) {
      throw new IllegalArgumentException("batchSize is " + size + ", expected 1 or more");
    }
    return size;
  }

  private String text(Param<String> param) {
    return getOrDefault(param);
  }

  @Override
  public LookupFfnEmbedder copy(ParamMap extra) {
    return defaultCopy(extra);
  }

  /** {@return the parameter: the column of texts; "text" unless set} */
  public Param<String> inputCol() {
    return inputCol;
  }

  /**
   * Sets inputCol.
   *
   * @param value the column of texts; "text" unless set
   * @return this
   */
  public LookupFfnEmbedder setInputCol(String value) {
    set(inputCol, value);
    return this;
  }

  /** {@return the parameter: the column of vectors that is added; "vector" unless set} */
  public Param<String> outputCol() {
    return outputCol;
  }

  /**
   * Sets outputCol.
   *
   * @param value the column of vectors that is added; "vector" unless set
   * @return this
   */
  public LookupFfnEmbedder setOutputCol(String value) {
    set(outputCol, value);
    return this;
  }

  /** {@return the parameter: the model's folder or file, see {@link ModelRef}} */
  public Param<String> model() {
    return model;
  }

  /**
   * Sets model.
   *
   * @param value the model's folder or file, see {@link ModelRef}
   * @return this
   */
  public LookupFfnEmbedder setModel(String value) {
    set(model, value);
    return this;
  }

  /** {@return the parameter: whether the model is mapped} */
  public BooleanParam memoryMapping() {
    return memoryMapping;
  }

  /**
   * Sets memoryMapping.
   *
   * @param value whether the model is mapped
   * @return this
   */
  public LookupFfnEmbedder setMemoryMapping(boolean value) {
    set(memoryMapping, value);
    return this;
  }

  /** {@return the parameter: how many texts are run at once; 64 unless set} */
  public IntParam batchSize() {
    return batchSize;
  }

  /**
   * Sets batchSize.
   *
   * @param value how many texts are run at once; 64 unless set
   * @return this
   */
  public LookupFfnEmbedder setBatchSize(int value) {
    set(batchSize, value);
    return this;
  }

  /** {@return the parameter: a prompt of the model, or "query" or "document", the default} */
  public Param<String> prompt() {
    return prompt;
  }

  /**
   * Sets prompt.
   *
   * @param value a prompt of the model, or "query" or "document", the default
   * @return this
   */
  public LookupFfnEmbedder setPrompt(String value) {
    set(prompt, value);
    return this;
  }

  /** {@return the parameter: "array", the default, or "vector" for MLlib} */
  public Param<String> outputType() {
    return outputType;
  }

  /**
   * Sets outputType.
   *
   * @param value "array", the default, or "vector" for MLlib
   * @return this
   */
  public LookupFfnEmbedder setOutputType(String value) {
    set(outputType, value);
    return this;
  }

  /** {@return the parameter: a column that tells whether a text was too long; empty, the default, for none} */
  public Param<String> truncatedCol() {
    return truncatedCol;
  }

  /**
   * Sets truncatedCol.
   *
   * @param value a column that tells whether a text was too long; empty, the default, for none
   * @return this
   */
  public LookupFfnEmbedder setTruncatedCol(String value) {
    set(truncatedCol, value);
    return this;
  }

  /** {@return the parameter: what becomes of texts that are null: "keep", the default, "skip" or "error"} */
  public Param<String> nullPolicy() {
    return nullPolicy;
  }

  /**
   * Sets nullPolicy.
   *
   * @param value what becomes of texts that are null: "keep", the default, "skip" or "error"
   * @return this
   */
  public LookupFfnEmbedder setNullPolicy(String value) {
    set(nullPolicy, value);
    return this;
  }
}
