// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.langchain4j;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.DimensionAwareEmbeddingModel;
import dev.langchain4j.model.embedding.request.EmbeddingParameter;
import dev.langchain4j.model.embedding.request.EmbeddingRequest;
import dev.langchain4j.model.embedding.request.EmbeddingRequestParameters;
import dev.langchain4j.model.embedding.response.EmbeddingResponse;
import dev.langchain4j.model.output.Response;
import dev.langchain4j.model.output.TokenUsage;
import io.github.lookupffn.BatchingOptions;
import io.github.lookupffn.EmbeddedTexts;
import io.github.lookupffn.Embedder;
import io.github.lookupffn.Model;
import io.github.lookupffn.ModelEmbedder;
import io.github.lookupffn.Purpose;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A model as LangChain4j's embedding model. Any number of threads may use one at once.
 *
 * <p>Texts are documents unless the request says that they are queries, as {@code EmbeddingStoreContentRetriever} does with
 * {@code embeddingInputType(QUERY)}; {@link #forQueries} gives a view whose texts are queries unless a request says
 * otherwise.
 *
 * <p>A text that is longer than the model reads is cut, and the response's metadata have {@code truncated}, the places of
 * such texts among those given; {@link Builder#refuseLongTexts} makes the call fail instead, with an {@link
 * IllegalArgumentException}, before anything is run.
 *
 * <p>What takes or gives an {@code EmbeddingRequest} needs LangChain4j 1.20 or newer; all else works from 1.0 on.
 */
public final class LookupFfnEmbeddingModel extends DimensionAwareEmbeddingModel implements AutoCloseable {
  static final String TRUNCATED = "truncated";

  private final Embedder embedder;
  private final String name;
  private final Purpose purpose;
  private final boolean isView;

  private LookupFfnEmbeddingModel(Embedder embedder, String name, Purpose purpose, boolean isView) {
    this.isView = isView;
    this.embedder = embedder;
    this.name = name;
    this.purpose = purpose;
    dimension = embedder.dimensions();
  }

  /**
   * Begins one over a model.
   *
   * @param model the model, which stays the caller's
   * @return a builder
   */
  public static Builder builder(Model model) {
    return new Builder(model);
  }

  /**
   * One over an embedder, whose prompts, dimensions and batches it has.
   *
   * @param embedder the embedder, which {@link #close} closes
   * @param modelName the name that responses and traces tell
   * @return the embedding model, whose texts are documents
   */
  public static LookupFfnEmbeddingModel over(Embedder embedder, String modelName) {
    return new LookupFfnEmbeddingModel(
        Objects.requireNonNull(embedder, "embedder"), Objects.requireNonNull(modelName, "modelName"), Purpose.DOCUMENT, false);
  }

  /**
   * A view of this whose texts are queries. It ends with this one, and closing it closes nothing.
   *
   * @return the embedding model for queries
   */
  public LookupFfnEmbeddingModel forQueries() {
    return new LookupFfnEmbeddingModel(embedder, name, Purpose.QUERY, true);
  }

  @Override
  public Response<Embedding> embed(String text) {
    return embed(TextSegment.from(text));
  }

  @Override
  public Response<Embedding> embed(TextSegment segment) {
    Response<List<Embedding>> one = embedAll(List.of(Objects.requireNonNull(segment, "segment")));
    return Response.from(one.content().get(0), one.tokenUsage(), null, one.metadata());
  }

  @Override
  public Response<List<Embedding>> embedAll(List<TextSegment> segments) {
    EmbeddedTexts embedded = embedder.embed(texts(segments), purpose);
    Map<String, Object> metadata = embedded.cut().isEmpty() ? Map.of() : Map.of(TRUNCATED, embedded.cut());
    return Response.from(embeddings(embedded), usage(embedded.tokens()), null, metadata);
  }

  @Override
  public EmbeddingResponse doEmbed(EmbeddingRequest request) {
    return EmbeddingRequests.of(embedder, name, purpose, request).embed();
  }

  @Override
  public CompletableFuture<EmbeddingResponse> doEmbedAsync(EmbeddingRequest request) {
    return EmbeddingRequests.of(embedder, name, purpose, request).embedAsync();
  }

  @Override
  public Set<EmbeddingParameter<?>> supportedParameters() {
    return Set.of(
        EmbeddingRequestParameters.INPUT_TYPE, EmbeddingRequestParameters.DIMENSIONS, EmbeddingRequestParameters.MODEL_NAME);
  }

  @Override
  public String modelName() {
    return name;
  }

  private static List<String> texts(List<TextSegment> segments) {
    List<String> texts = new ArrayList<>(segments.size());
    for (TextSegment segment : segments) {
      if (segment == null) {
        throw new NullPointerException("segments[" + texts.size() + "] is null");
      }
      texts.add(segment.text());
    }
    return texts;
  }

  static List<Embedding> embeddings(EmbeddedTexts embedded) {
    List<Embedding> embeddings = new ArrayList<>(embedded.vectors().size());
    embedded.vectors().forEach(vector -> embeddings.add(Embedding.from(vector)));
    return embeddings;
  }

  static TokenUsage usage(long tokens) {
    return new TokenUsage((int) Math.min(Integer.MAX_VALUE, tokens));
  }

  /** Closes the embedder, unless this is a view of another. The model stays open. */
  @Override
  public void close() {
    if (!isView) {
      embedder.close();
    }
  }

  /** How texts are embedded. */
  public static final class Builder {
    private final ModelEmbedder.Builder embedder;
    private @Nullable String modelName;
    private boolean batching;
    private int maxBatch = 64;

    private Builder(Model model) {
      embedder = Embedder.builder(model);
    }

    /**
     * Sets the name that responses and traces tell, and that requests may ask for.
     *
     * @param name such as "all-minilm-l6-v2"; null, the default, for the model's family
     * @return this
     */
    public Builder modelName(@Nullable String name) {
      modelName = name;
      return this;
    }

    /**
     * Sets what is put before queries. Without it that is the prompt for queries of the model's files, else its default one.
     *
     * @param prompt such as {@code "query: "}; null, the default, for none of its own
     * @return this
     */
    public Builder queryPrompt(@Nullable String prompt) {
      embedder.queryPrompt(prompt);
      return this;
    }

    /**
     * Sets what is put before documents. Without it that is the prompt for documents of the model's files, else its default
     * one.
     *
     * @param prompt such as {@code "passage: "}; null, the default, for none of its own
     * @return this
     */
    public Builder documentPrompt(@Nullable String prompt) {
      embedder.documentPrompt(prompt);
      return this;
    }

    /**
     * Sets how many numbers a vector has: the first so many of the model's, scaled after that.
     *
     * @param count the number; 0, the default, for all
     * @return this
     */
    public Builder dimensions(int count) {
      embedder.dimensions(count);
      return this;
    }

    /**
     * Sets what becomes of long texts.
     *
     * @param on true to fail where one has more tokens than the model can run, and to read all others whole; false, the
     *     default, to cut them where the model's files say
     * @return this
     */
    public Builder refuseLongTexts(boolean on) {
      embedder.refuseLongTexts(on);
      return this;
    }

    /**
     * Sets whether the texts of concurrent callers are put together, see {@link io.github.lookupffn.EmbeddingBatcher}.
     *
     * @param on whether they are; the embedding model then has to be closed
     * @return this
     */
    public Builder batching(boolean on) {
      batching = on;
      return this;
    }

    /**
     * Sets how many texts are run at once at most.
     *
     * @param texts the number, 64 by default
     * @return this
     */
    public Builder maxBatch(int texts) {
      embedder.maxBatch(texts);
      maxBatch = texts;
      return this;
    }

    /**
     * Makes the embedding model, whose texts are documents.
     *
     * @return it
     */
    public LookupFfnEmbeddingModel build() {
      embedder.batching(batching ? BatchingOptions.defaults().withMaxBatch(maxBatch) : null);
      ModelEmbedder built = embedder.name(modelName).build();
      return over(built, built.name());
    }
  }
}
