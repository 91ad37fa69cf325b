// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.List;

/** What models tell of texts beyond numbers. */
abstract class ModelTasks extends ModelIntoMemory {
  ModelTasks() {}

  /**
   * The names, places and the like in a text, joined by {@link Aggregation#SIMPLE}.
   *
   * @param text a text
   * @return its entities, in the order of the text
   */
  public List<Entity> entities(String text) {
    return entities(text, Aggregation.SIMPLE, RunOptions.defaults());
  }

  /**
   * The names, places and the like in a text.
   *
   * @param text a text
   * @param how tokens are joined
   * @param options of which the tokens at most and the cancellation matter
   * @return its entities, in the order of the text
   */
  public List<Entity> entities(String text, Aggregation how, RunOptions options) {
    ModelCalls calls = calls();
    byte[] utf8 = Utf8.of(text);
    Object[] results = new Object[4];
    long address = calls.handle.enter();
    try {
      Raw.modelEntitiesBytes(
          address, utf8, how.code, 0, options.maxTokens, results, Cancellation.flagOf(options.cancellation));
    } finally {
      calls.leave();
    }
    int[] classes = (int[]) results[2];
    float[] scores = (float[]) results[3];
    return TextPart.of(
        text,
        utf8,
        (long[]) results[0],
        (long[]) results[1],
        (i, begin, end, part) -> {
          String label = calls.labels.get(classes[i]);
          String kind = how == Aggregation.NONE ? label : label.substring(label.indexOf('-') + 1);
          return new Entity(kind, scores[i], begin, end, part);
        });
  }

  /**
   * The part of a context that answers a question best.
   *
   * @param question the question
   * @param context where the answer is to be found
   * @return one answer, or none in a context without words
   */
  public List<Answer> answer(String question, String context) {
    return answer(question, context, AnswerOptions.defaults());
  }

  /**
   * The parts of a context that answer a question.
   *
   * @param question the question
   * @param context where the answers are to be found
   * @param options how
   * @return the answers, the best first
   */
  public List<Answer> answer(String question, String context, AnswerOptions options) {
    ModelCalls calls = calls();
    byte[] utf8 = Utf8.of(context);
    Object[] results = new Object[3];
    long address = calls.handle.enter();
    try {
      Raw.modelAnswerBytes(
          address,
          Utf8.of(question),
          utf8,
          options.topK,
          options.maxTokens,
          options.stride,
          options.maxAnswerTokens,
          options.mayBeNone ? Abi.ANSWER_MAY_BE_NONE : 0,
          results,
          Cancellation.flagOf(options.cancellation));
    } finally {
      calls.leave();
    }
    float[] scores = (float[]) results[2];
    return TextPart.of(
        context,
        utf8,
        (long[]) results[0],
        (long[]) results[1],
        (i, begin, end, part) -> new Answer(scores[i], begin, end, part));
  }

  /**
   * Labels that the model need not have learned, in the order of how probably each fits a text.
   *
   * @param text a text
   * @param labels the labels
   * @return all of them, the most likely first
   */
  public List<ScoredLabel> zeroShot(String text, List<String> labels) {
    return zeroShot(text, labels, ZeroShotOptions.defaults());
  }

  /**
   * Labels that the model need not have learned, in the order of how probably each fits a text.
   *
   * @param text a text
   * @param labels the labels
   * @param options how
   * @return all of them, the most likely first
   */
  public List<ScoredLabel> zeroShot(String text, List<String> labels, ZeroShotOptions options) {
    ModelCalls calls = calls();
    byte[] all = Utf8.of(String.join("", labels));
    long[] ends = new long[labels.size()];
    long end = 0;
    for (int i = 0; i < ends.length; i++) {
      end += Utf8.size(labels.get(i));
      ends[i] = end;
    }
    Object[] results = new Object[2];
    long address = calls.handle.enter();
    try {
      Raw.modelZeroShotBytes(
          address,
          Utf8.of(text),
          all,
          ends,
          options.hypothesis,
          options.maxTokens,
          options.several ? Abi.ZERO_SHOT_SEVERAL : 0,
          results,
          Cancellation.flagOf(options.cancellation));
    } finally {
      calls.leave();
    }
    long[] order = (long[]) results[0];
    float[] scores = (float[]) results[1];
    List<ScoredLabel> scored = new ArrayList<>();
    for (long place : order) {
      scored.add(new ScoredLabel(labels.get((int) place), scores[(int) place]));
    }
    return List.copyOf(scored);
  }
}
