// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.langchain4j;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.DimensionAwareEmbeddingModel;
import dev.langchain4j.model.output.Response;
import dev.langchain4j.model.output.TokenUsage;
import io.github.lookupffn.BatchedEmbedding;
import io.github.lookupffn.EmbeddingBatcher;
import io.github.lookupffn.LookupFfn;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import io.github.lookupffn.TextCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A model as LangChain4j's embedding model. Any number of threads may use one at once.
 *
 * <p>A text that is longer than the model reads is cut, and the response's metadata have {@code truncated}, the places of
 * such texts among those given; {@link Builder#refuseLongTexts} makes the call fail instead, with an {@link
 * IllegalArgumentException}.
 */
public final class LookupFfnEmbeddingModel extends DimensionAwareEmbeddingModel implements AutoCloseable {
  private final Model model;
  private final Builder how;
  private final RunOptions options;
  private final EmbeddingBatcher batcher;

  private LookupFfnEmbeddingModel(Model model, Builder how, RunOptions options, EmbeddingBatcher batcher) {
    this.model = model;
    this.how = how;
    this.batcher = batcher;
    this.options = options;
    dimension = model.info().embeddingSize();
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
   * One over the same model whose texts are queries. It ends with this one.
   *
   * @return the embedding model for queries
   */
  public LookupFfnEmbeddingModel forQueries() {
    return new LookupFfnEmbeddingModel(model, how, how.optionsFor(model, true), batcher);
  }

  @Override
  public Response<Embedding> embed(String text) {
    return embed(TextSegment.from(text));
  }

  @Override
  public Response<Embedding> embed(TextSegment segment) {
    if (batcher != null) {
      BatchedEmbedding answer = LookupFfn.await(batcher.embed(segment.text(), options));
      how.checkLength(0, answer.tokens(), answer.uncutTokens());
      Map<String, Object> metadata = answer.isCut() ? Map.of("truncated", List.of(0)) : Map.of();
      return Response.from(Embedding.from(answer.vector()), new TokenUsage(answer.tokens()), null, metadata);
    }
    Response<List<Embedding>> one = embedAll(List.of(segment));
    return Response.from(one.content().get(0), one.tokenUsage(), null, one.metadata());
  }

  @Override
  public Response<List<Embedding>> embedAll(List<TextSegment> segments) {
    List<Embedding> embeddings = new ArrayList<>(segments.size());
    List<Integer> truncated = new ArrayList<>();
    int tokens = 0;
    for (int from = 0; from < segments.size(); from += how.maxBatch) {
      List<String> texts = new ArrayList<>();
      for (TextSegment segment : segments.subList(from, Math.min(segments.size(), from + how.maxBatch))) {
        texts.add(segment.text());
      }
      TextCounts counts = new TextCounts();
      for (float[] vector : LookupFfn.await(model.embedAsync(texts, options.withCounts(counts)))) {
        embeddings.add(Embedding.from(vector));
      }
      for (int i = 0; i < texts.size(); i++) {
        how.checkLength(from + i, counts.tokens(i), counts.uncutTokens(i));
        if (counts.isCut(i)) {
          truncated.add(from + i);
        }
      }
      tokens += (int) counts.totalTokens();
    }
    Map<String, Object> metadata = truncated.isEmpty() ? Map.of() : Map.of("truncated", truncated);
    return Response.from(embeddings, new TokenUsage(tokens), null, metadata);
  }

  /** Ends the batches, if single texts are put into them. The model stays open. */
  @Override
  public void close() {
    if (batcher != null) {
      batcher.close();
    }
  }

  /** How texts are embedded. */
  public static final class Builder {
    private final Model model;
    private String queryPrompt;
    private String documentPrompt;
    private boolean refuseLongTexts;
    private boolean batching;
    private int maxBatch = 64;

    private Builder(Model model) {
      this.model = Objects.requireNonNull(model, "model");
    }

    /**
     * Sets what is put before queries. Without it that is the model's prompt named "query" if its files tell one, else
     * its default prompt.
     *
     * @param prompt such as {@code "query: "}
     * @return this
     */
    public Builder queryPrompt(String prompt) {
      queryPrompt = prompt;
      return this;
    }

    /**
     * Sets what is put before documents. Without it that is the model's prompt named "document" or "passage" if its
     * files tell one, else its default prompt.
     *
     * @param prompt such as {@code "passage: "}
     * @return this
     */
    public Builder documentPrompt(String prompt) {
      documentPrompt = prompt;
      return this;
    }

    /**
     * Sets what becomes of texts that are longer than the model reads.
     *
     * @param on true to fail, false, the default, to cut them
     * @return this
     */
    public Builder refuseLongTexts(boolean on) {
      refuseLongTexts = on;
      return this;
    }

    /**
     * Sets whether single texts of concurrent callers are put together, see {@link EmbeddingBatcher}.
     *
     * @param on whether they are; the embedding model then has to be closed
     * @return this
     */
    public Builder batching(boolean on) {
      batching = on;
      return this;
    }

    /**
     * Sets how many texts of one call are run at once; more are run in parts.
     *
     * @param texts the number, 64 by default
     * @return this
     */
    public Builder maxBatch(int texts) {
      if (texts < 1) {
        throw new IllegalArgumentException("texts is " + texts + ", expected 1 or more");
      }
      maxBatch = texts;
      return this;
    }

    /**
     * Makes the embedding model, whose texts are documents.
     *
     * @return it
     */
    public LookupFfnEmbeddingModel build() {
      Builder copy = new Builder(model)
          .queryPrompt(queryPrompt)
          .documentPrompt(documentPrompt)
          .refuseLongTexts(refuseLongTexts)
          .batching(batching)
          .maxBatch(maxBatch);
      RunOptions options = copy.optionsFor(model, false); // first, as it may throw and a batcher has a thread
      return new LookupFfnEmbeddingModel(model, copy, options, batching ? new EmbeddingBatcher(model) : null);
    }

    private void checkLength(int place, int tokens, long uncut) {
      if (refuseLongTexts && uncut > tokens) {
        throw new IllegalArgumentException(
            "text " + place + " has " + uncut + " tokens, the model reads at most " + tokens);
      }
    }

    private RunOptions optionsFor(Model of, boolean query) {
      RunOptions options = RunOptions.defaults();
      String text = query ? queryPrompt : documentPrompt;
      if (text != null) {
        return options.withPromptText(text);
      }
      for (String name : query ? List.of("query") : List.of("document", "passage")) {
        if (of.prompts().containsKey(name)) {
          return options.withPrompt(name);
        }
      }
      return options;
    }
  }
}
