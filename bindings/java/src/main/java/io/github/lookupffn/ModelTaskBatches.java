// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** What models tell of several texts, and later. */
abstract class ModelTaskBatches extends ModelTasks {
  ModelTaskBatches() {}

  /**
   * The names, places and the like in texts, joined by {@link Aggregation#SIMPLE}.
   *
   * @param texts any number of texts
   * @return the entities of each, in its order
   */
  public List<List<Entity>> entities(List<String> texts) {
    return entities(texts, Aggregation.SIMPLE, RunOptions.defaults());
  }

  /**
   * The names, places and the like in a text, told by the options' executor.
   *
   * @param text a text
   * @param aggregation how tokens are joined
   * @param options how
   * @return its entities, in the order of the text; cancelling it ends the call
   */
  public CompletableFuture<List<Entity>> entitiesAsync(String text, Aggregation aggregation, RunOptions options) {
    return later(options, changed -> entities(text, aggregation, changed));
  }

  /**
   * The names, places and the like in texts, told by the options' executor.
   *
   * @param texts any number of texts
   * @param aggregation how tokens are joined
   * @param options how
   * @return the entities of each, in its order; cancelling it ends the call
   */
  public CompletableFuture<List<List<Entity>>> entitiesAsync(
      List<String> texts, Aggregation aggregation, RunOptions options) {
    return later(options, changed -> entities(texts, aggregation, changed));
  }

  /**
   * The parts of contexts that answer a question.
   *
   * @param question the question
   * @param contexts where the answers are to be found, each by itself
   * @param options how
   * @return the answers in each context, the best first
   */
  public List<List<Answer>> answer(String question, List<String> contexts, AnswerOptions options) {
    Objects.requireNonNull(contexts, "contexts");
    List<List<Answer>> answers = new ArrayList<>(contexts.size());
    for (String context : contexts) {
      answers.add(answer(question, context, options));
    }
    return List.copyOf(answers);
  }

  /**
   * The parts of a context that answer a question, found by the options' executor.
   *
   * @param question the question
   * @param context where the answers are to be found
   * @param options how
   * @return the answers, the best first; cancelling it ends the call
   */
  public CompletableFuture<List<Answer>> answerAsync(String question, String context, AnswerOptions options) {
    Objects.requireNonNull(options, "options");
    return Async.run(
        options.executor,
        options.cancellation,
        cancellation -> answer(question, context, options.withCancellation(cancellation)));
  }

  /**
   * The parts of contexts that answer a question, found by the options' executor.
   *
   * @param question the question
   * @param contexts where the answers are to be found, each by itself
   * @param options how
   * @return the answers in each context, the best first; cancelling it ends the call
   */
  public CompletableFuture<List<List<Answer>>> answerAsync(
      String question, List<String> contexts, AnswerOptions options) {
    Objects.requireNonNull(options, "options");
    return Async.run(
        options.executor,
        options.cancellation,
        cancellation -> answer(question, contexts, options.withCancellation(cancellation)));
  }

  /**
   * Labels that the model need not have learned, in the order of how probably each fits each of several texts.
   *
   * @param texts any number of texts
   * @param labels the labels
   * @param options how
   * @return all labels for each text, the most likely first
   */
  public List<List<ScoredLabel>> zeroShot(List<String> texts, List<String> labels, ZeroShotOptions options) {
    Objects.requireNonNull(texts, "texts");
    List<List<ScoredLabel>> scored = new ArrayList<>(texts.size());
    for (String text : texts) {
      scored.add(zeroShot(text, labels, options));
    }
    return List.copyOf(scored);
  }

  /**
   * Labels that the model need not have learned, told by the options' executor.
   *
   * @param text a text
   * @param labels the labels
   * @param options how
   * @return all of them, the most likely first; cancelling it ends the call
   */
  public CompletableFuture<List<ScoredLabel>> zeroShotAsync(
      String text, List<String> labels, ZeroShotOptions options) {
    Objects.requireNonNull(options, "options");
    return Async.run(
        options.executor,
        options.cancellation,
        cancellation -> zeroShot(text, labels, options.withCancellation(cancellation)));
  }

  /**
   * Labels that the model need not have learned, for several texts, told by the options' executor.
   *
   * @param texts any number of texts
   * @param labels the labels
   * @param options how
   * @return all labels for each text, the most likely first; cancelling it ends the call
   */
  public CompletableFuture<List<List<ScoredLabel>>> zeroShotAsync(
      List<String> texts, List<String> labels, ZeroShotOptions options) {
    Objects.requireNonNull(options, "options");
    return Async.run(
        options.executor,
        options.cancellation,
        cancellation -> zeroShot(texts, labels, options.withCancellation(cancellation)));
  }
}
