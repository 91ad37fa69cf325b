// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A model as services and frameworks use it: texts are queries or documents, each with their prompt; long lists are run in
 * parts; with {@link Builder#batching} the texts of concurrent calls go together. Any number of threads may use one at once.
 */
public final class Embedder implements AutoCloseable {
  private final Model model;
  private final EmbeddingBatcher batcher;
  private final boolean ownBatcher;
  private final RunOptions queries;
  private final RunOptions documents;
  private final boolean refuseLongTexts;
  private final int maxBatch;
  private final LongAdder calls = new LongAdder();
  private final LongAdder texts = new LongAdder();
  private final LongAdder tokens = new LongAdder();
  private final LongAdder cut = new LongAdder();
  private final LongAdder failures = new LongAdder();

  private Embedder(Builder how) {
    model = how.model;
    queries = how.options(Purpose.QUERY, how.queryPrompt);
    documents = how.options(Purpose.DOCUMENT, how.documentPrompt);
    refuseLongTexts = how.refuseLongTexts;
    maxBatch = how.maxBatch;
    ownBatcher = how.batching != null;
    // Last: it has a thread.
    batcher = how.batching == null ? how.batcher : new EmbeddingBatcher(model, how.batching);
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
   * Vectors of texts. An interrupt ends the call, with {@link java.util.concurrent.CancellationException}.
   *
   * @param given any number of texts
   * @param purpose what they are
   * @return their vectors
   * @throws IllegalArgumentException if a text is too long and is not to be cut
   * @throws java.util.concurrent.RejectedExecutionException if this is a single text and too many wait
   */
  public EmbeddedTexts embed(List<String> given, Purpose purpose) {
    return Async.await(embedAsync(given, purpose, 0));
  }

  /**
   * Vectors of texts, later.
   *
   * @param given any number of texts, not to be changed before the answer is there
   * @param purpose what they are
   * @param dimensions the first how many numbers of each vector, scaled after that; 0 for what this was built with
   * @return their vectors; cancelling it ends the call
   * @throws java.util.concurrent.RejectedExecutionException if this is a single text and too many wait
   */
  public CompletableFuture<EmbeddedTexts> embedAsync(List<String> given, Purpose purpose, int dimensions) {
    RunOptions options = Objects.requireNonNull(purpose, "purpose") == Purpose.QUERY ? queries : documents;
    RunOptions asked = dimensions == 0 ? options : options.withDimensions(dimensions);
    Objects.requireNonNull(given, "texts");
    CompletableFuture<EmbeddedTexts> answer = batcher == null
        ? Async.run(asked.executor, null, cancellation -> inParts(given, asked.withCancellation(cancellation)))
        : batched(given, asked);
    calls.increment();
    answer.whenComplete((done, failure) -> {
      if (failure != null) {
        failures.increment();
        return;
      }
      texts.add(done.vectors().size());
      tokens.add(done.tokens());
      cut.add(done.cut().size());
    });
    return answer;
  }

  private EmbeddedTexts inParts(List<String> given, RunOptions options) {
    if (refuseLongTexts) {
      model.refuseLongTexts(given, options);
    }
    List<float[]> vectors = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    TextCounts counts = new TextCounts();
    long run = 0;
    for (int from = 0; from < given.size(); from += maxBatch) {
      List<String> part = given.subList(from, Math.min(given.size(), from + maxBatch));
      try {
        vectors.addAll(List.of(model.embed(part, options.withCounts(counts))));
      } catch (NullPointerException | IllegalArgumentException bad) {
        if (given.size() > maxBatch) {
          model.embed(given, options); // names the text by its place among all
        }
        throw bad;
      }
      for (int i = 0; i < part.size(); i++) {
        if (counts.isCut(i)) {
          places.add(from + i);
        }
      }
      run += counts.totalTokens();
    }
    return new EmbeddedTexts(vectors, places, run);
  }

  private CompletableFuture<EmbeddedTexts> batched(List<String> given, RunOptions options) {
    if (!refuseLongTexts) {
      return queued(given, options);
    }
    CompletableFuture<EmbeddedTexts> answer = new CompletableFuture<>();
    CompletableFuture<Void> checked = Async.run(options.executor, null, cancellation -> {
      model.refuseLongTexts(given, options.withCancellation(cancellation));
      return null;
    });
    CompletableFuture<EmbeddedTexts> queued = checked.thenCompose(nothing -> queued(given, options));
    forward(queued, answer);
    answer.whenComplete((done, failure) -> checked.cancel(true));
    return answer;
  }

  private CompletableFuture<EmbeddedTexts> queued(List<String> given, RunOptions options) {
    CompletableFuture<List<BatchedEmbedding>> asked =
        given.size() == 1 ? batcher.embed(given, options) : batcher.embedWhenRoom(given, options);
    CompletableFuture<EmbeddedTexts> answer = new CompletableFuture<>();
    forward(asked.thenApply(Embedder::collected), answer);
    answer.whenComplete((done, failure) -> {
      if (failure != null) {
        asked.cancel(true);
      }
    });
    return answer;
  }

  /** Gives an answer on, without what futures wrap failures in. */
  private static <T> void forward(CompletableFuture<T> from, CompletableFuture<T> to) {
    from.whenComplete((answer, failure) -> {
      if (failure == null) {
        to.complete(answer);
      } else {
        boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
        to.completeExceptionally(wrapped ? failure.getCause() : failure);
      }
    });
  }

  private static EmbeddedTexts collected(List<BatchedEmbedding> embeddings) {
    List<float[]> vectors = new ArrayList<>(embeddings.size());
    List<Integer> places = new ArrayList<>();
    long run = 0;
    for (BatchedEmbedding embedding : embeddings) {
      if (embedding.isCut()) {
        places.add(vectors.size());
      }
      vectors.add(embedding.vector());
      run += embedding.tokens();
    }
    return new EmbeddedTexts(vectors, places, run);
  }

  /**
   * The model.
   *
   * @return the model that this was built over
   */
  public Model model() {
    return model;
  }

  /** {@return what puts the texts of concurrent calls together; null without one} */
  public @Nullable EmbeddingBatcher batcher() {
    return batcher;
  }

  /** {@return how many numbers each vector has unless a call asks for fewer} */
  public int dimensions() {
    int asked = documents.numbers[Abi.RUN_OPTION_DIMENSIONS];
    return asked > 0 ? asked : model.info().embeddingSize();
  }

  /** {@return how many calls were made} */
  public long calls() {
    return calls.sum();
  }

  /** {@return how many texts were embedded} */
  public long texts() {
    return texts.sum();
  }

  /** {@return how many tokens were run} */
  public long tokens() {
    return tokens.sum();
  }

  /** {@return how many texts were too long, so that their ends were not read} */
  public long cut() {
    return cut.sum();
  }

  /** {@return how many calls failed or were cancelled} */
  public long failures() {
    return failures.sum();
  }

  /** Ends the batches, if there are any and they are not another's. The model stays open. */
  @Override
  public void close() {
    if (ownBatcher && batcher != null) {
      batcher.close();
    }
  }

  /** How texts are embedded. */
  public static final class Builder {
    private final Model model;
    private String queryPrompt;
    private String documentPrompt;
    private boolean refuseLongTexts;
    private int dimensions;
    private int maxBatch = 64;
    private BatchingOptions batching;
    private EmbeddingBatcher batcher;
    private Executor executor;

    private Builder(Model model) {
      this.model = Objects.requireNonNull(model, "model");
    }

    private RunOptions options(Purpose purpose, String text) {
      RunOptions options = RunOptions.defaults().withDimensions(dimensions);
      if (dimensions > model.info().embeddingSize()) {
        throw new IllegalArgumentException(
            dimensions + " dimensions are asked for, the model gives " + model.info().embeddingSize());
      }
      if (executor != null) {
        options = options.withExecutor(executor);
      }
      return text == null ? model.withPrompt(purpose, options) : options.withPromptText(text);
    }

    /**
     * Sets what is put before queries.
     *
     * @param prompt such as {@code "query: "}; null, the default, for what the model's files say
     * @return this
     */
    public Builder queryPrompt(@Nullable String prompt) {
      queryPrompt = prompt;
      return this;
    }

    /**
     * Sets what is put before documents.
     *
     * @param prompt such as {@code "passage: "}; null, the default, for what the model's files say
     * @return this
     */
    public Builder documentPrompt(@Nullable String prompt) {
      documentPrompt = prompt;
      return this;
    }

    /**
     * Sets what becomes of texts that are longer than the model reads.
     *
     * @param on true to refuse them before anything is run, false, the default, to cut them
     * @return this
     */
    public Builder refuseLongTexts(boolean on) {
      refuseLongTexts = on;
      return this;
    }

    /**
     * Sets how many numbers a vector has: the first so many of the model's, scaled after that.
     *
     * @param count the number; 0, the default, for all
     * @return this
     */
    public Builder dimensions(int count) {
      RunOptions.defaults().withDimensions(count);
      dimensions = count;
      return this;
    }

    /**
     * Sets how many texts of one call are run at once where texts of calls are not put together.
     *
     * @param count the number, 64 by default
     * @return this
     */
    public Builder maxBatch(int count) {
      if (count < 1) {
        throw new IllegalArgumentException("maxBatch is " + count + ", expected 1 or more");
      }
      maxBatch = count;
      return this;
    }

    /**
     * Puts the texts of concurrent calls together, by a batcher that {@link Embedder#close} ends.
     *
     * @param options how; null, the default, for none
     * @return this
     */
    public Builder batching(@Nullable BatchingOptions options) {
      batching = options;
      return this;
    }

    /**
     * Puts the texts of concurrent calls together with those of others who use the same batcher.
     *
     * @param shared over the same model, which stays the caller's; null, the default, for none
     * @return this
     */
    public Builder batcher(@Nullable EmbeddingBatcher shared) {
      batcher = shared;
      return this;
    }

    /**
     * Sets who runs the calls where texts of calls are not put together.
     *
     * @param pool such as a pool; null, the default, for the common pool
     * @return this
     */
    public Builder executor(@Nullable Executor pool) {
      executor = pool;
      return this;
    }

    /**
     * Makes it.
     *
     * @return an embedder, to be closed if it has a batcher of its own
     */
    public Embedder build() {
      return new Embedder(this);
    }
  }
}
