// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Tasks whose results are more than numbers: entities, answers, and labels that the model never learned. */
final class TextTasks {
  private TextTasks() {}

  static List<List<Entity>> entities(
      NativeModel model, List<String> texts, Aggregation aggregation, RunOptions options) {
    Objects.requireNonNull(aggregation, "aggregation");
    Objects.requireNonNull(options, "options");
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> entities(model, texts, aggregation, options));
    }
    CallMemory memory = CallMemory.of(texts, options);
    long[] offsets;
    long[] begins;
    long[] ends;
    int[] classes;
    float[] scores;
    try {
      long address = model.enter();
      ListenedCall.Run listener = ListenedCall.Run.of(options);
      long result = 0;
      try {
        result = NativeResult.create();
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
        offsets = NativeResult.longs(result, Abi.OUT_ENTITY_OFFSETS, memory.size + 1);
        long count = offsets[memory.size];
        begins = NativeResult.longs(result, Abi.OUT_ENTITY_BEGINS, count);
        ends = NativeResult.longs(result, Abi.OUT_ENTITY_ENDS, count);
        classes = NativeResult.ints(result, Abi.OUT_ENTITY_CLASSES, count);
        scores = NativeResult.floats(result, Abi.OUT_ENTITY_SCORES, count);
        NativeResult.tellStatuses(options, result, memory.size);
      } finally {
        NativeResult.free(result);
        model.leave();
        ListenedCall.Run.end(listener);
      }
      List<List<Entity>> all = new ArrayList<>();
      byte[][] utf8 = memory.eachText();
      for (int text = 0; text < memory.size; text++) {
        int from = (int) offsets[text];
        int to = (int) offsets[text + 1];
        all.add(from == to ? List.of() : TextPart.of(
            texts.get(text),
            utf8[text],
            Arrays.copyOfRange(begins, from, to),
            Arrays.copyOfRange(ends, from, to),
            (i, begin, end, part) -> {
              String label = model.facts.labels.get(classes[from + i]);
              String kind = aggregation == Aggregation.NONE ? label : label.substring(label.indexOf('-') + 1);
              return new Entity(kind, scores[from + i], begin, end, part);
            }));
      }
      return List.copyOf(all);
    } finally {
      memory.release();
    }
  }

  static List<Answer> answer(NativeModel model, String question, String context, AnswerOptions options) {
    Objects.requireNonNull(options, "options");
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> answer(model, question, context, options));
    }
    byte[] asked = Utf8.of(Objects.requireNonNull(question, "question"), "the question");
    byte[] utf8 = Utf8.of(Objects.requireNonNull(context, "context"), "the context");
    Object[] results = new Object[3];
    long address = model.enter();
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
      model.leave();
    }
    float[] scores = (float[]) results[2];
    return TextPart.of(
        context,
        utf8,
        (long[]) results[0],
        (long[]) results[1],
        (i, begin, end, part) -> new Answer(scores[i], begin, end, part));
  }

  static List<ScoredLabel> zeroShot(NativeModel model, String text, List<String> labels, ZeroShotOptions options) {
    Objects.requireNonNull(options, "options");
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> zeroShot(model, text, labels, options));
    }
    byte[] utf8 = Utf8.of(Objects.requireNonNull(text, "text"), "the text");
    CallMemory memory = CallMemory.of(labels, "labels", false, false);
    byte[] all = memory.allTexts();
    long[] ends = Arrays.copyOf(memory.ends, memory.size);
    memory.release();
    Object[] results = new Object[2];
    long address = model.enter();
    try {
      Raw.modelZeroShotBytes(
          address,
          utf8,
          all,
          ends,
          options.hypothesis,
          options.maxTokens,
          options.several ? Abi.ZERO_SHOT_MULTI_LABEL : 0,
          results,
          Cancellation.flagOf(options.cancellation));
    } finally {
      model.leave();
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
