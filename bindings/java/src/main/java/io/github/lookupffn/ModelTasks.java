// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

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
   * @param aggregation how tokens are joined
   * @param options of which the tokens at most, the threads and the cancellation matter
   * @return its entities, in the order of the text
   */
  public List<Entity> entities(String text, Aggregation aggregation, RunOptions options) {
    Objects.requireNonNull(text, "text");
    return entities(List.of(text), aggregation, options).get(0);
  }

  /**
   * The names, places and the like in texts.
   *
   * @param texts any number of texts
   * @param aggregation how tokens are joined
   * @param options of which the tokens at most, the threads, the statuses and the cancellation matter
   * @return the entities of each, in its order
   */
  public List<List<Entity>> entities(List<String> texts, Aggregation aggregation, RunOptions options) {
    Objects.requireNonNull(aggregation, "aggregation");
    Objects.requireNonNull(options, "options");
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> entities(texts, aggregation, options));
    }
    CallMemory memory = CallMemory.of(texts, options);
    try {
      return entities(memory, texts, aggregation, options);
    } finally {
      memory.release();
    }
  }

  private List<List<Entity>> entities(
      CallMemory memory, List<String> texts, Aggregation aggregation, RunOptions options) {
    ModelCalls calls = calls();
    long[] offsets = new long[memory.size + 1];
    long[] begins;
    long[] ends;
    int[] classes;
    float[] scores;
    long address = calls.handle.enter();
    ListenedCall.Run listener = ListenedCall.Run.of(options);
    long result = 0;
    try {
      long[] out = new long[1];
      Raw.resultCreate(out);
      result = out[0];
      Raw.modelEntitiesArrays(
          address,
          memory.utf8,
          memory.ends,
          memory.size,
          aggregation.code,
          0,
          options.maxTokens,
          options.numbers[Abi.RUN_OPTION_NUM_THREADS],
          options.statuses == null ? 0 : 1,
          result,
          ListenedCall.Run.flagOf(listener, options),
          listener);
      Raw.resultLongs(result, Abi.RESULT_ENTITY_OFFSETS, offsets);
      int count = Math.toIntExact(offsets[memory.size]);
      Raw.resultLongs(result, Abi.RESULT_ENTITY_BEGINS, begins = new long[count]);
      Raw.resultLongs(result, Abi.RESULT_ENTITY_ENDS, ends = new long[count]);
      Raw.resultInts(result, Abi.RESULT_ENTITY_CLASSES, classes = new int[count]);
      Raw.resultFloats(result, Abi.RESULT_ENTITY_SCORES, scores = new float[count]);
      ModelCalls.tellStatuses(options, result, memory.size);
    } finally {
      ModelCalls.freed(result);
      calls.leave();
      ListenedCall.Run.end(listener);
    }
    List<List<Entity>> all = new ArrayList<>();
    byte[][] utf8 = memory.eachText();
    for (int text = 0; text < memory.size; text++) {
      int from = (int) offsets[text];
      int to = (int) offsets[text + 1];
      if (from == to) {
        all.add(List.of());
        continue;
      }
      all.add(TextPart.of(
          texts.get(text),
          utf8[text],
          Arrays.copyOfRange(begins, from, to),
          Arrays.copyOfRange(ends, from, to),
          (i, begin, end, part) -> {
            String label = calls.labels.get(classes[from + i]);
            String kind = aggregation == Aggregation.NONE ? label : label.substring(label.indexOf('-') + 1);
            return new Entity(kind, scores[from + i], begin, end, part);
          }));
    }
    return List.copyOf(all);
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
    Objects.requireNonNull(options, "options");
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> answer(question, context, options));
    }
    ModelCalls calls = calls();
    byte[] asked = Utf8.of(Objects.requireNonNull(question, "question"), "the question");
    byte[] utf8 = Utf8.of(Objects.requireNonNull(context, "context"), "the context");
    Object[] results = new Object[3];
    long address = calls.handle.enter();
    try {
      Raw.modelAnswerBytes(
          address,
          asked,
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
    Objects.requireNonNull(options, "options");
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> zeroShot(text, labels, options));
    }
    ModelCalls calls = calls();
    byte[] utf8 = Utf8.of(Objects.requireNonNull(text, "text"), "the text");
    CallMemory memory = CallMemory.of(labels, "labels", false, false);
    byte[] all = memory.allTexts();
    long[] ends = Arrays.copyOf(memory.ends, memory.size);
    memory.release();
    Object[] results = new Object[2];
    long address = calls.handle.enter();
    try {
      Raw.modelZeroShotBytes(
          address,
          utf8,
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
