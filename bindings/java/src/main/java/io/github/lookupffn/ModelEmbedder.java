// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * An embedder over a model: queries and documents each have their prompt; long lists are run in parts; with {@link
 * Builder#batching} the texts of concurrent calls go together.
 */
public final class ModelEmbedder implements Embedder {
  private final Model model;
  private final String name;
  private final EmbeddingBatcher batcher;
  private final boolean ownBatcher;
  private final RunOptions queries;
  private final RunOptions documents;
  private final boolean refuseLongTexts;
  private final int maxBatch;
  private final EmbedderCalls calls;

  private ModelEmbedder(Builder how) {
    model = how.model;
    name = how.name == null ? model.family() : how.name;
    queries = how.options(Purpose.QUERY, how.queryPrompt);
    documents = how.options(Purpose.DOCUMENT, how.documentPrompt);
    refuseLongTexts = how.refuseLongTexts;
    maxBatch = how.maxBatch;
    calls = new EmbedderCalls(how.listener);
    ownBatcher = how.batching != null;
    // Last: it has a thread.
    batcher = how.batching == null ? how.batcher : new EmbeddingBatcher(model, how.batching);
  }

  /** Is told of calls that have ended, by the thread that ends them. What it throws is ignored. */
  @FunctionalInterface
  public interface Listener {
    /**
     * A call has ended.
     *
     * @param waited how long its first text waited to be run
     * @param ran how long it took from then on
     * @param failure why it failed or was cancelled; null where it was answered
     */
    void ended(Duration waited, Duration ran, @Nullable Throwable failure);
  }

  /** Without a batcher, the caller's thread makes the call, so that it waits for no pool. */
  @Override
  public EmbeddedTexts embed(List<String> given, Purpose purpose, int dimensions) {
    if (batcher != null) {
      return Async.await(asked(given, purpose, dimensions, true));
    }
    EmbedderCalls.Call call = calls.begin();
    try {
      EmbeddedTexts done = Async.here(options(purpose, dimensions), changed -> inParts(given, changed));
      call.end(done, null);
      return done;
    } catch (Throwable failure) {
      call.end(null, failure);
      throw failure;
    }
  }

  @Override
  public CompletableFuture<EmbeddedTexts> embedAsync(List<String> given, Purpose purpose, int dimensions) {
    return asked(given, purpose, dimensions, false);
  }

  private RunOptions options(Purpose purpose, int dimensions) {
    RunOptions options = Objects.requireNonNull(purpose, "purpose") == Purpose.QUERY ? queries : documents;
    return dimensions == 0 ? options : options.withDimensions(dimensions);
  }

  /** Makes the call asynchronously. {@code here}: the caller's thread waits anyway, so it may read the texts itself. */
  private CompletableFuture<EmbeddedTexts> asked(List<String> given, Purpose purpose, int dimensions, boolean here) {
    EmbedderCalls.Call call = calls.begin();
    try {
      RunOptions options = options(purpose, dimensions);
      CompletableFuture<EmbeddedTexts> answer = new CompletableFuture<>();
      if (batcher == null) {
        AtomicLong waited = new AtomicLong();
        call.pass(answer, waited::get, Async.run(options.executor, null, cancellation -> {
          waited.set(call.nanos());
          return inParts(given, options.withCancellation(cancellation));
        }));
        return answer;
      }
      List<String> copy = EmbeddingBatcher.copy(given);
      if (refuseLongTexts && !here) {
        queueOnceRead(copy, options, answer, call);
        return answer;
      }
      if (refuseLongTexts) {
        Async.here(options, changed -> {
          model.refuseLongTexts(copy, changed);
          return null;
        });
      }
      queue(copy, options, answer, call);
      return answer;
    } catch (Throwable failure) {
      call.end(null, failure);
      throw failure;
    }
  }

  /** Queues texts when the options' executor has read them. */
  private void queueOnceRead(
      List<String> texts, RunOptions options, CompletableFuture<EmbeddedTexts> answer, EmbedderCalls.Call call) {
    CompletableFuture<Void> read = Async.run(options.executor, null, cancellation -> {
      model.refuseLongTexts(texts, options.withCancellation(cancellation));
      return null;
    });
    answer.whenComplete((done, failure) -> read.cancel(true));
    read.whenComplete((nothing, failure) -> {
      Throwable refused = failure;
      if (refused == null) {
        try {
          queue(texts, options, answer, call);
          return;
        } catch (RuntimeException | Error full) {
          refused = full;
        }
      }
      call.tell(answer, null, refused, 0);
    });
  }

  private void queue(
      List<String> texts, RunOptions options, CompletableFuture<EmbeddedTexts> answer, EmbedderCalls.Call call) {
    BatcherQueue.Call queued = batcher.ask(texts, options, false, texts.size() != 1);
    CompletableFuture<EmbeddedTexts> collected = new CompletableFuture<>();
    queued.answer.whenComplete((embeddings, failure) -> {
      if (failure == null) {
        collected.complete(collected(embeddings));
      } else {
        collected.completeExceptionally(failure);
      }
    });
    collected.whenComplete((done, failure) -> queued.answer.cancel(true));
    call.pass(answer, queued::waitedNanos, collected);
  }

  private EmbeddedTexts inParts(List<String> given, RunOptions options) {
    Objects.requireNonNull(given, "texts");
    if (refuseLongTexts) {
      model.refuseLongTexts(given, options);
    }
    List<float[]> vectors = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    TextCounts counts = new TextCounts();
    long run = 0;
    for (int from = 0; from < given.size(); from += maxBatch) {
      Async.checkInterrupt();
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

  /** {@return the name that responses, meters and traces show; by default the model's family} */
  public String name() {
    return name;
  }

  @Override
  public int dimensions() {
    int asked = documents.numbers[Abi.RUN_OPTION_DIMENSIONS];
    return asked > 0 ? asked : model.info().embeddingSize();
  }

  /** {@return how many calls were made} */
  public long calls() {
    return calls.number.sum();
  }

  /** {@return how many texts were embedded} */
  public long texts() {
    return calls.texts.sum();
  }

  /** {@return how many tokens were run} */
  public long tokens() {
    return calls.tokens.sum();
  }

  /** {@return how many texts were too long, so that their ends were not read} */
  public long cut() {
    return calls.cut.sum();
  }

  /** {@return how many calls failed or were cancelled} */
  public long failures() {
    return calls.failures.sum();
  }

  /**
   * Takes no more calls, and waits for those that are there. An interrupt ends the waiting, not the calls. A batcher of
   * its own is closed, too; a shared batcher and the model stay open.
   */
  @Override
  public void close() {
    calls.close(batcher != null && batcher.isOwnThread());
    if (ownBatcher && batcher != null) {
      batcher.close();
    }
  }

  /** How texts are embedded. */
  public static final class Builder {
    private final Model model;
    private String name;
    private Listener listener;
    private String queryPrompt;
    private String documentPrompt;
    private boolean refuseLongTexts;
    private boolean repair;
    private int dimensions;
    private int maxBatch = 64;
    private BatchingOptions batching;
    private EmbeddingBatcher batcher;
    private Executor executor;

    Builder(Model model) {
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
      if (refuseLongTexts) {
        options = options.withoutCutting();
      }
      if (repair) {
        options = options.withRepair(true);
      }
      return text == null ? model.withPrompt(purpose, options) : options.withPromptText(text);
    }

    /**
     * Sets the name that responses, meters and traces show.
     *
     * @param text such as "all-minilm-l6-v2"; null, the default, for the model's family
     * @return this
     */
    public Builder name(@Nullable String text) {
      name = text;
      return this;
    }

    /**
     * Sets who is told of calls that have ended.
     *
     * @param who such as meters; null, the default, for nobody
     * @return this
     */
    public Builder listener(@Nullable Listener who) {
      listener = who;
      return this;
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
     * Sets what becomes of long texts.
     *
     * @param on true to refuse those that have more tokens than the model can run, before anything is run, and to read all
     *     others whole, as {@link RunOptions#withoutCutting} does; false, the default, to cut them where the model's files say
     * @return this
     */
    public Builder refuseLongTexts(boolean on) {
      refuseLongTexts = on;
      return this;
    }

    /**
     * Sets whether halves of surrogate pairs in texts are read as replacement characters, U+FFFD, instead of refused.
     *
     * @param on whether they are; false by default
     * @return this
     */
    public Builder repair(boolean on) {
      repair = on;
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
     * Sets what makes asynchronous calls if there is no batcher, and reads texts that may be refused.
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
    public ModelEmbedder build() {
      return new ModelEmbedder(this);
    }
  }
}
