// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.BatchingOptions;
import io.github.lookupffn.ElementType;
import io.github.lookupffn.Embedder;
import io.github.lookupffn.EmbeddingBatcher;
import io.github.lookupffn.LoadOptions;
import io.github.lookupffn.LookupFfnRuntime;
import io.github.lookupffn.Model;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** How one model is loaded and used. */
public class ModelProperties {
  /** What becomes of texts that are longer than the model reads. */
  public enum LongTexts {
    /** Their ends are not read. */
    CUT,
    /** They fail the call, before anything is run. */
    REFUSE
  }

  /**
   * Where the model lies: a path, or a resource such as "classpath:models/mine", "file:/models/mine" or
   * "classpath:META-INF/lookupffn/models/fast.safetensors".
   */
  private @Nullable String model;

  /** The name that responses, meters and traces tell; by default the last part of where the model lies. */
  private @Nullable String name;

  /** How many threads a call uses; 0 for as many as the process may use. */
  private int threads;

  /** How tables of lookup layers are held in memory; as stored unless set. */
  private @Nullable ElementType tableType;

  /** How hash weights are held in memory; as stored unless set. */
  private @Nullable ElementType hashType;

  /** How linear layers are held in memory; as stored unless set. */
  private @Nullable ElementType linearType;

  /** How the embedding table is held in memory; as stored unless set. */
  private @Nullable ElementType embeddingType;

  /** How rows by word are held in memory; as stored unless set. */
  private @Nullable ElementType wordType;

  /** How attention computes; as the linear layers unless set. */
  private @Nullable ElementType attentionType;

  /** The name of the model's adapter that is added to its weights; none unless set. */
  private @Nullable String adapter;

  /** Whether the file is mapped instead of read, which needs a path of the file system. */
  private boolean memoryMapping;

  /** What is put before queries, instead of what the model's files say. */
  private @Nullable String queryPrompt;

  /** What is put before documents, instead of what the model's files say. */
  private @Nullable String documentPrompt;

  /** What becomes of texts that are longer than the model reads. */
  private LongTexts longTexts = LongTexts.CUT;

  /** How many numbers a vector has: the first so many of the model's; 0 for all. */
  private int dimensions;

  /** How texts of concurrent calls are put together. */
  @NestedConfigurationProperty
  private Batching batching = new Batching();

  /** Made when properties are bound. */
  public ModelProperties() {}

  /** How texts of concurrent calls are put together. */
  public static class Batching {
    /** Whether they are. */
    private boolean enabled = true;

    /** How many texts go together at most. */
    private int maxBatch = 32;

    /** How long the first text of a batch waits for others at most. */
    private Duration maxWait = Duration.ZERO;

    /** How many texts wait at most. A single text more is refused; lists wait. */
    private int maxQueue = 4096;

    /** Made when properties are bound. */
    public Batching() {}

    /** {@return whether texts are put together} */
    public boolean isEnabled() {
      return enabled;
    }

    /** @param enabled whether texts are put together */
    public void setEnabled(boolean enabled) {
      this.enabled = enabled;
    }

    /** {@return how many texts go together at most} */
    public int getMaxBatch() {
      return maxBatch;
    }

    /** @param maxBatch how many texts go together at most */
    public void setMaxBatch(int maxBatch) {
      this.maxBatch = maxBatch;
    }

    /** {@return how long the first text of a batch waits at most} */
    public Duration getMaxWait() {
      return maxWait;
    }

    /** @param maxWait how long the first text of a batch waits at most */
    public void setMaxWait(Duration maxWait) {
      this.maxWait = maxWait;
    }

    /** {@return how many texts wait at most} */
    public int getMaxQueue() {
      return maxQueue;
    }

    /** @param maxQueue how many texts wait at most */
    public void setMaxQueue(int maxQueue) {
      this.maxQueue = maxQueue;
    }
  }

  LoadOptions loadOptions(LookupFfnRuntime runtime) {
    return LoadOptions.defaults()
        .withNumThreads(threads)
        .withTableType(tableType)
        .withHashType(hashType)
        .withLinearType(linearType)
        .withEmbeddingType(embeddingType)
        .withWordType(wordType)
        .withAttentionType(attentionType)
        .withAdapter(adapter == null || adapter.isEmpty() ? null : adapter)
        .withMemoryMapping(memoryMapping)
        .withRuntime(runtime);
  }

  BatchingOptions batchingOptions() {
    return BatchingOptions.defaults()
        .withMaxBatch(batching.maxBatch)
        .withMaxWait(batching.maxWait)
        .withMaxQueue(batching.maxQueue);
  }

  Embedder embedder(Model loaded, @Nullable EmbeddingBatcher batcher) {
    return Embedder.builder(loaded)
        .queryPrompt(queryPrompt)
        .documentPrompt(documentPrompt)
        .refuseLongTexts(longTexts == LongTexts.REFUSE)
        .dimensions(dimensions)
        .maxBatch(batching.maxBatch)
        .batcher(batcher)
        .build();
  }

  /** The name that is set, else the last part of where the model lies. */
  String nameOrPlace() {
    if (name != null) {
      return name;
    }
    String place = model.replaceFirst("/+$", "");
    return place.substring(Math.max(place.lastIndexOf('/'), place.lastIndexOf(':')) + 1);
  }

  /** {@return where the model lies} */
  public @Nullable String getModel() {
    return model;
  }

  /** @param model where the model lies */
  public void setModel(@Nullable String model) {
    this.model = model;
  }

  /** {@return the name that responses, meters and traces tell} */
  public @Nullable String getName() {
    return name;
  }

  /** @param name the name that responses, meters and traces tell */
  public void setName(@Nullable String name) {
    this.name = name;
  }

  /** {@return how many threads a call uses} */
  public int getThreads() {
    return threads;
  }

  /** @param threads how many threads a call uses */
  public void setThreads(int threads) {
    this.threads = threads;
  }

  /** {@return how tables are held} */
  public @Nullable ElementType getTableType() {
    return tableType;
  }

  /** @param tableType how tables are held */
  public void setTableType(@Nullable ElementType tableType) {
    this.tableType = tableType;
  }

  /** {@return how hash weights are held} */
  public @Nullable ElementType getHashType() {
    return hashType;
  }

  /** @param hashType how hash weights are held */
  public void setHashType(@Nullable ElementType hashType) {
    this.hashType = hashType;
  }

  /** {@return how linear layers are held} */
  public @Nullable ElementType getLinearType() {
    return linearType;
  }

  /** @param linearType how linear layers are held */
  public void setLinearType(@Nullable ElementType linearType) {
    this.linearType = linearType;
  }

  /** {@return how the embedding table is held} */
  public @Nullable ElementType getEmbeddingType() {
    return embeddingType;
  }

  /** @param embeddingType how the embedding table is held */
  public void setEmbeddingType(@Nullable ElementType embeddingType) {
    this.embeddingType = embeddingType;
  }

  /** {@return how rows by word are held} */
  public @Nullable ElementType getWordType() {
    return wordType;
  }

  /** @param wordType how rows by word are held */
  public void setWordType(@Nullable ElementType wordType) {
    this.wordType = wordType;
  }

  /** {@return how attention computes} */
  public @Nullable ElementType getAttentionType() {
    return attentionType;
  }

  /** @param attentionType how attention computes */
  public void setAttentionType(@Nullable ElementType attentionType) {
    this.attentionType = attentionType;
  }

  /** {@return the adapter that is added to the weights} */
  public @Nullable String getAdapter() {
    return adapter;
  }

  /** @param adapter the adapter that is added to the weights */
  public void setAdapter(@Nullable String adapter) {
    this.adapter = adapter;
  }

  /** {@return whether the file is mapped} */
  public boolean isMemoryMapping() {
    return memoryMapping;
  }

  /** @param memoryMapping whether the file is mapped */
  public void setMemoryMapping(boolean memoryMapping) {
    this.memoryMapping = memoryMapping;
  }

  /** {@return what is put before queries} */
  public @Nullable String getQueryPrompt() {
    return queryPrompt;
  }

  /** @param queryPrompt what is put before queries */
  public void setQueryPrompt(@Nullable String queryPrompt) {
    this.queryPrompt = queryPrompt;
  }

  /** {@return what is put before documents} */
  public @Nullable String getDocumentPrompt() {
    return documentPrompt;
  }

  /** @param documentPrompt what is put before documents */
  public void setDocumentPrompt(@Nullable String documentPrompt) {
    this.documentPrompt = documentPrompt;
  }

  /** {@return what becomes of long texts} */
  public LongTexts getLongTexts() {
    return longTexts;
  }

  /** @param longTexts what becomes of long texts */
  public void setLongTexts(LongTexts longTexts) {
    this.longTexts = longTexts;
  }

  /** {@return how many numbers a vector has} */
  public int getDimensions() {
    return dimensions;
  }

  /** @param dimensions how many numbers a vector has */
  public void setDimensions(int dimensions) {
    this.dimensions = dimensions;
  }

  /** {@return how texts are put together} */
  public Batching getBatching() {
    return batching;
  }

  /** @param batching how texts are put together */
  public void setBatching(Batching batching) {
    this.batching = batching;
  }
}
