// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Puts the texts of concurrent callers together, so that the model runs them in batches. Calls that fit into one batch go
 * first, in the order in which they came. Calls of many texts get the rest, but never nothing: a query beside them
 * waits for the batch that is running, and for its own. A cancelled call leaves at once, and no other call with it; a
 * batch ends if all of its calls were cancelled. A text that cannot be run fails only its own call, as it would without
 * a batcher. Code that depends on an answer may run in the batcher's threads, and must not wait for further answers
 * there. A batcher that is forgotten is closed some time after it has become unreachable.
 */
public final class EmbeddingBatcher implements AutoCloseable {
  private static final String THREAD = "lookupffn-batcher";

  // The threads must not know of this object, which they would keep from being forgotten.
  private final BatcherQueue queue;
  private final BatchCosts costs;
  private final Thread worker;
  private final Cleaner.Cleanable cleanable;

  /**
   * Makes one that puts together the texts that come while the batch before is running, so that a text that finds the
   * model idle does not wait.
   *
   * @param model what runs the texts; closing the batcher leaves it open
   */
  public EmbeddingBatcher(Model model) {
    this(model, BatchingOptions.defaults());
  }

  /**
   * Makes one.
   *
   * @param model what runs the texts; closing the batcher leaves it open
   * @param maxBatch how many texts go together at most
   * @param maxWait how long the first text of a batch waits for others at most
   */
  public EmbeddingBatcher(Model model, int maxBatch, Duration maxWait) {
    this(model, BatchingOptions.defaults().withMaxBatch(maxBatch).withMaxWait(maxWait));
  }

  /**
   * Makes one.
   *
   * @param model what runs the texts; closing the batcher leaves it open
   * @param options how they are put together
   */
  public EmbeddingBatcher(Model model, BatchingOptions options) {
    ModelFacts facts = Objects.requireNonNull(model, "model").facts();
    costs = new BatchCosts(facts);
    queue = new BatcherQueue(
        Objects.requireNonNull(options, "options"),
        facts.info.numThreads(),
        mine -> started(new BatcherWorker(model, mine, mine::takeLong), THREAD + "-long"));
    worker = started(new BatcherWorker(model, queue, queue::takeBatch), THREAD);
    cleanable = Model.CLEANER.register(this, queue);
  }

  private static Thread started(BatcherWorker work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /**
   * A vector for the text, made as the model means it, in a batch with those of others.
   *
   * @param text a text
   * @return the vector; cancelling it takes the text back
   * @throws QueueFullException if too many texts wait
   */
  public CompletableFuture<BatchedEmbedding> embed(String text) {
    return embed(text, RunOptions.defaults());
  }

  /**
   * A vector for the text, in a batch with those of others who ask with equal options.
   *
   * @param text a text
   * @param options how texts are read and vectors made of them; other options are ignored
   * @return the vector; cancelling it takes the text back
   * @throws IllegalStateException if the batcher is closed
   * @throws QueueFullException if too many texts wait
   */
  public CompletableFuture<BatchedEmbedding> embed(String text, RunOptions options) {
    List<String> one = List.of(Objects.requireNonNull(text, "text"));
    BatcherQueue.Call call = ask(one, Objects.requireNonNull(options, "options"), true, false);
    CompletableFuture<BatchedEmbedding> answer = new CompletableFuture<>();
    call.answer.whenComplete((embeddings, failure) -> {
      if (failure == null) {
        answer.complete(embeddings.get(0));
      } else {
        answer.completeExceptionally(failure);
      }
    });
    withdrawWith(answer, call);
    return answer;
  }

  /**
   * A vector for each text, in batches with those of others who ask with equal options. A call that fits into one batch
   * is taken as a whole or, if too many texts of such calls wait, refused as a whole. A larger call is refused only if
   * {@linkplain BatchingOptions#withMaxBulkCalls too many such calls} wait.
   *
   * @param texts any number of texts
   * @param options how texts are read and vectors made of them; other options are ignored
   * @return the vectors, in the order of the texts; cancelling it withdraws those that still wait
   * @throws IllegalStateException if the batcher is closed
   * @throws QueueFullException if too many texts or calls wait
   */
  public CompletableFuture<List<BatchedEmbedding>> embed(List<String> texts, RunOptions options) {
    return embed(texts, options, false);
  }

  /**
   * A vector for each text, as {@link #embed(List, RunOptions)} gives them, but nothing is refused: the call waits until there
   * is room for it, in the order in which it came.
   *
   * @param texts any number of texts
   * @param options how texts are read and vectors made of them; other options are ignored
   * @return the vectors, in the order of the texts; cancelling it withdraws those that still wait
   * @throws IllegalStateException if the batcher is closed
   */
  public CompletableFuture<List<BatchedEmbedding>> embedWhenRoom(List<String> texts, RunOptions options) {
    return embed(texts, options, true);
  }

  private CompletableFuture<List<BatchedEmbedding>> embed(List<String> texts, RunOptions options, boolean patient) {
    return ask(copy(texts), Objects.requireNonNull(options, "options"), false, patient).answer;
  }

  /** Names a text that is null. */
  static List<String> copy(List<String> texts) {
    List<String> copy = new ArrayList<>(Objects.requireNonNull(texts, "texts"));
    for (int i = 0; i < copy.size(); i++) {
      if (copy.get(i) == null) {
        throw new NullPointerException("texts[" + i + "] is null");
      }
    }
    return copy;
  }

  /** Takes a list that nobody changes and that has no null. Cancelling the call's answer withdraws the call. */
  BatcherQueue.Call ask(List<String> texts, RunOptions options, boolean single, boolean patient) {
    queue.checkOpen();
    if (texts.isEmpty()) {
      BatcherQueue.Call none = new BatcherQueue.Call(texts, new int[0], options, single);
      none.answer.complete(List.of());
      return none;
    }
    try {
      BatcherQueue.Call call = new BatcherQueue.Call(texts, costs.of(texts, single, options), options, single);
      queue.add(call, patient);
      withdrawWith(call.answer, call);
      return call;
    } catch (IllegalArgumentException bad) {
      // What the model would refuse waits for no batch.
      queue.failed(texts.size());
      BatcherQueue.Call failed = new BatcherQueue.Call(texts, new int[0], options, single);
      failed.answer.completeExceptionally(bad);
      return failed;
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** Withdraws the call if the future that its caller holds ends first. */
  private void withdrawWith(CompletableFuture<?> held, BatcherQueue.Call call) {
    BatcherQueue mine = queue;
    held.whenComplete((answer, failure) -> {
      if (failure != null) {
        call.answer.cancel(false);
        mine.withdraw(call);
      }
    });
  }

  /** Whether this is a thread that gives answers. */
  boolean isOwnThread() {
    return Thread.currentThread() == worker || Thread.currentThread() == queue.longThread();
  }

  /** {@return what the batcher did so far, and what it has to do} */
  public BatcherFigures figures() {
    return queue.figures();
  }

  /**
   * Takes no more texts, and waits for those that are there, unless code that depends on an answer calls this. An
   * interrupt ends the waiting, not the work, and leaves the thread interrupted.
   */
  @Override
  public void close() {
    cleanable.clean();
    if (isOwnThread()) {
      return; // code that depends on an answer would wait for itself
    }
    Thread longThread = queue.longThread();
    try {
      worker.join();
      if (longThread != null) {
        longThread.join();
      }
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    }
  }
}
