// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Turns texts into a model's tokens, tokens into text, and masks into tokens. */
final class ModelTokens {
  private ModelTokens() {}

  static Tokens of(NativeModel model, String text, boolean special, Cancellation cancellation) {
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> of(model, text, special, cancellation));
    }
    int flags = special ? 0 : Abi.ENCODE_SKIP_SPECIAL;
    return Tokens.of(text, false, (utf8, results) -> {
      long address = model.enter();
      try {
        Raw.modelTokenizeBytes(
            address, utf8, flags, Abi.MAX_TOKENS_NEVER, results, Cancellation.flagOf(cancellation));
      } finally {
        model.leave();
      }
    });
  }

  static String text(NativeModel model, int[] ids, boolean skipSpecial) {
    Objects.requireNonNull(ids, "ids");
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> text(model, ids, skipSpecial));
    }
    long address = model.enter();
    try {
      return text(address, ids, skipSpecial ? Abi.DECODE_SKIP_SPECIAL : 0);
    } finally {
      model.leave();
    }
  }

  static Tokenizer tokenizer(NativeModel model) {
    long[] out = new long[1];
    long address = model.enter();
    try {
      Raw.modelTokenizer(address, out);
    } finally {
      model.leave();
    }
    return Tokenizer.of(out[0], null);
  }

  static List<List<MaskCandidate>> ofMasks(NativeModel model, String text, int topK, RunOptions options) {
    Objects.requireNonNull(options, "options");
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> ofMasks(model, text, topK, options));
    }
    if (topK < 1 || topK > model.info().vocabSize()) {
      throw new IllegalArgumentException("topK is " + topK + ", expected 1 to " + model.info().vocabSize());
    }
    Object[] results = new Object[2];
    byte[] utf8 = Utf8.of(Objects.requireNonNull(text, "text"));
    List<List<MaskCandidate>> masks = new ArrayList<>();
    long address = model.enter();
    try {
      Raw.modelFillMaskBytes(address, utf8, topK, results, Cancellation.flagOf(options.cancellation));
      int[] ids = (int[]) results[0];
      float[] probabilities = (float[]) results[1];
      for (int first = 0; first < ids.length; first += topK) {
        List<MaskCandidate> candidates = new ArrayList<>();
        for (int i = first; i < first + topK; i++) {
          candidates.add(new MaskCandidate(ids[i], text(address, ids[i]), probabilities[i]));
        }
        masks.add(List.copyOf(candidates));
      }
    } finally {
      model.leave();
    }
    return List.copyOf(masks);
  }

  private static String text(long address, int[] ids, int flags) {
    Object[] results = new Object[1];
    Raw.modelDetokenizeIds(address, ids, flags, results);
    return Utf8.text((byte[]) results[0]);
  }

  /** A vocabulary may be padded with ids that are no tokens. */
  private static String text(long address, int id) {
    try {
      return text(address, new int[] {id}, 0);
    } catch (IllegalArgumentException noToken) {
      return "[" + id + "]";
    }
  }
}
