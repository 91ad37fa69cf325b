// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The calls of one model that are about tokens. */
final class ModelTokens {
  private final ModelCalls calls;

  ModelTokens(ModelCalls calls) {
    this.calls = calls;
  }

  void tokenize(byte[] utf8, int flags, long maxTokens, Object[] results, Cancellation cancellation) {
    long address = calls.handle.enter();
    try {
      Raw.modelTokenizeBytes(address, utf8, flags, maxTokens, results, Cancellation.flagOf(cancellation));
    } finally {
      calls.leave();
    }
  }

  String detokenize(int[] ids, int flags) {
    long address = calls.handle.enter();
    try {
      return detokenize(address, ids, flags);
    } finally {
      calls.leave();
    }
  }

  private static String detokenize(long address, int[] ids, int flags) {
    Object[] results = new Object[1];
    Raw.modelDetokenizeIds(address, ids, flags, results);
    return Utf8.text((byte[]) results[0]);
  }

  /** A vocabulary may be padded with ids that are no tokens. */
  private static String textOf(long address, int id) {
    try {
      return detokenize(address, new int[] {id}, 0);
    } catch (IllegalArgumentException noToken) {
      return "[" + id + "]";
    }
  }

  List<List<MaskCandidate>> fillMask(String text, int topK, Cancellation cancellation) {
    if (topK < 1 || topK > calls.info.vocabSize()) {
      throw new IllegalArgumentException("topK is " + topK + ", expected 1 to " + calls.info.vocabSize());
    }
    Object[] results = new Object[2];
    byte[] utf8 = Utf8.of(Objects.requireNonNull(text, "text"));
    List<List<MaskCandidate>> masks = new ArrayList<>();
    long address = calls.handle.enter();
    try {
      Raw.modelFillMaskBytes(address, utf8, topK, results, Cancellation.flagOf(cancellation));
      int[] ids = (int[]) results[0];
      float[] probabilities = (float[]) results[1];
      for (int first = 0; first < ids.length; first += topK) {
        List<MaskCandidate> candidates = new ArrayList<>();
        for (int i = first; i < first + topK; i++) {
          candidates.add(new MaskCandidate(ids[i], textOf(address, ids[i]), probabilities[i]));
        }
        masks.add(List.copyOf(candidates));
      }
    } finally {
      calls.leave();
    }
    return List.copyOf(masks);
  }
}
