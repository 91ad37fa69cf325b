// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.ElementType;
import io.github.lookupffn.Embedder;
import io.github.lookupffn.EmbeddingBatcher;
import io.github.lookupffn.LoadOptions;
import io.github.lookupffn.LookupFfnRuntime;
import io.github.lookupffn.Model;
import io.github.lookupffn.ModelEmbedder;
import io.github.lookupffn.RunOptions;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** How one model is loaded and used. */
public class ModelProperties {
  /** What becomes of long texts. */
  public enum LongTexts {
    /** They are cut where the model's files say. */
    CUT,
    /** They fail the call, before anything is run, if they have more tokens than the model can run, and are read whole else. */
    REFUSE
  }

  /** What a model is for. */
  public enum Use {
    /** It makes vectors of texts. */
    EMBEDDING,
    /** It scores documents for a query. */
    RERANKING
  }

  /**
   * Where the model lies: a path; a resource such as "classpath:models/mine", "file:/models/mine" or
   * "jar:file:/models.jar!/mine"; or "shipped:fast" for one that this project ships.
   */
  private @Nullable String model;

  /** The name that responses, meters and traces tell; by default the last part of where the model lies. */
  private @Nullable String name;

  /** What a model with a name is for; unless set, the one that is named "reranker" reranks, and all others embed. */
  private @Nullable Use use;

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

  /** What becomes of texts that are long. */
  private LongTexts longTexts = LongTexts.CUT;

  /** Whether halves of surrogate pairs in texts are read as replacement characters, instead of refused. */
  private boolean repairTexts;

  /**
   * The name of the bean, an Executor, that makes asynchronous calls where texts are not put together; the common pool unless
   * set.
   */
  private @Nullable String executor;

  /** How many numbers a vector has: the first so many of the model's; 0 for all. */
  private int dimensions;

  /** How texts of concurrent calls are put together. */
  @NestedConfigurationProperty
  private BatchingProperties batching = new BatchingProperties();

  /** Made when properties are bound. */
  public ModelProperties() {}

  LoadOptions loadOptions(String prefix, @Nullable LookupFfnRuntime runtime) {
    return LookupFfnPropertyException.checked(prefix + "threads", threads, LoadOptions.defaults()::withNumThreads)
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

  /** The embedder of a model, which tells the listener of its calls. */
  ModelEmbedder embedder(
      String prefix, Model loaded, @Nullable EmbeddingBatcher batcher, ModelEmbedder.Listener listener, BeanFactory beans) {
    ModelEmbedder.Builder builder = Embedder.builder(loaded)
        .name(nameOrPlace())
        .queryPrompt(checkedPrompt(prefix + "query-prompt", queryPrompt))
        .documentPrompt(checkedPrompt(prefix + "document-prompt", documentPrompt))
        .refuseLongTexts(longTexts == LongTexts.REFUSE)
        .repair(repairTexts)
        .batcher(batcher)
        .listener(listener);
    if (executor != null) {
      builder.executor(beans.getBean(executor, Executor.class));
    }
    return LookupFfnPropertyException.checked(
        prefix + "dimensions", dimensions, count -> builder.dimensions(count).build());
  }

  private static @Nullable String checkedPrompt(String property, @Nullable String prompt) {
    if (prompt != null) {
      LookupFfnPropertyException.checked(property, prompt, RunOptions.defaults()::withPromptText);
    }
    return prompt;
  }

  /** The name that is set, else the last part of where the model lies; null for neither. */
  @Nullable String nameOrPlace() {
    if (name != null || model == null) {
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
  public BatchingProperties getBatching() {
    return batching;
  }

  /** @param batching how texts are put together */
  public void setBatching(BatchingProperties batching) {
    this.batching = batching;
  }

  /** {@return what the model is for} */
  public @Nullable Use getUse() {
    return use;
  }

  /** @param use what the model is for */
  public void setUse(@Nullable Use use) {
    this.use = use;
  }

  /** {@return whether halves of surrogate pairs are repaired} */
  public boolean isRepairTexts() {
    return repairTexts;
  }

  /** @param repairTexts whether halves of surrogate pairs are repaired */
  public void setRepairTexts(boolean repairTexts) {
    this.repairTexts = repairTexts;
  }

  /** {@return the bean that makes asynchronous calls} */
  public @Nullable String getExecutor() {
    return executor;
  }

  /** @param executor the bean that makes asynchronous calls */
  public void setExecutor(@Nullable String executor) {
    this.executor = executor;
  }
}
