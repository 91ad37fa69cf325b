// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What models do with the tokens of texts. */
abstract class ModelTexts extends ModelVectors {
  ModelTexts() {}

  /**
   * The likeliest tokens for each mask of a text.
   *
   * @param text a text with masks, such as {@code "Paris is the <mask> of France."}
   * @param topK how many tokens for each
   * @return for each mask its candidates, the likeliest first
   */
  public List<List<MaskCandidate>> fillMask(String text, int topK) {
    return masks(text, topK, null);
  }

  /**
   * The five likeliest tokens for each mask of a text.
   *
   * @param text a text with masks, such as {@code "Paris is the <mask> of France."}
   * @return for each mask its candidates, the likeliest first
   */
  public List<List<MaskCandidate>> fillMask(String text) {
    return fillMask(text, 5);
  }

  /**
   * The likeliest tokens for each mask of a text, with options.
   *
   * @param text a text with masks, which is never cut
   * @param topK how many tokens for each
   * @param options of which only the cancellation matters
   * @return for each mask its candidates, the likeliest first
   */
  public List<List<MaskCandidate>> fillMask(String text, int topK, RunOptions options) {
    Objects.requireNonNull(options, "options");
    return masks(text, topK, options.cancellation);
  }

  /**
   * The likeliest tokens for each mask of a text, computed by the options' executor.
   *
   * @param text a text with masks
   * @param topK how many tokens for each
   * @param options whose executor
   * @return for each mask its candidates, the likeliest first; cancelling it ends the call
   */
  public CompletableFuture<List<List<MaskCandidate>>> fillMaskAsync(String text, int topK, RunOptions options) {
    Objects.requireNonNull(options, "options");
    return Async.run(options.executor, options.cancellation, cancellation -> masks(text, topK, cancellation));
  }

  /**
   * Turns a text into token ids, with the special tokens at its ends, and however many there are.
   *
   * @param text a text
   * @return its ids
   */
  public int[] tokenize(String text) {
    return tokenize(text, true).ids();
  }

  /**
   * Turns a text into tokens, however many there are, and tells where in the text each lies.
   *
   * @param text a text
   * @param special whether to put the special tokens at its ends
   * @return its tokens
   */
  public Tokens tokenize(String text, boolean special) {
    return tokenize(text, special, null);
  }

  /**
   * Turns a text into tokens, until another thread ends it.
   *
   * @param text a text
   * @param special whether to put the special tokens at its ends
   * @param cancellation what that thread holds; null for nobody
   * @return its tokens
   * @throws java.util.concurrent.CancellationException if the cancellation was cancelled
   */
  public Tokens tokenize(String text, boolean special, @Nullable Cancellation cancellation) {
    int flags = special ? Abi.TOKENIZE_SPECIAL : 0;
    return Tokens.of(text, false, (utf8, results) -> {
      ModelCalls calls = calls();
      long address = calls.handle.enter();
      try {
        Raw.modelTokenizeBytes(
            address, utf8, flags, Abi.MAX_TOKENS_NEVER, results, Cancellation.flagOf(cancellation));
      } finally {
        calls.leave();
      }
    });
  }

  /**
   * Turns token ids into text, without special tokens.
   *
   * @param ids the ids
   * @return the text; bytes that are not UTF-8 become replacement characters
   */
  public String detokenize(int[] ids) {
    return detokenize(ids, true);
  }

  /**
   * Turns token ids into text.
   *
   * @param ids the ids
   * @param skipSpecial whether to leave special tokens out
   * @return the text; bytes that are not UTF-8 become replacement characters
   */
  public String detokenize(int[] ids, boolean skipSpecial) {
    Objects.requireNonNull(ids, "ids");
    ModelCalls calls = calls();
    long address = calls.handle.enter();
    try {
      return textOf(address, ids, skipSpecial ? Abi.DETOKENIZE_SKIP_SPECIAL : 0);
    } finally {
      calls.leave();
    }
  }

  /**
   * The model's tokenizer by itself, which outlives the model.
   *
   * @return a tokenizer, to be closed as well
   */
  public Tokenizer tokenizer() {
    ModelCalls calls = calls();
    long[] out = new long[1];
    long address = calls.handle.enter();
    try {
      Raw.modelTokenizer(address, out);
    } finally {
      calls.leave();
    }
    return Tokenizer.of(out[0], null);
  }

  private static String textOf(long address, int[] ids, int flags) {
    Object[] results = new Object[1];
    Raw.modelDetokenizeIds(address, ids, flags, results);
    return Utf8.text((byte[]) results[0]);
  }

  /** A vocabulary may be padded with ids that are no tokens. */
  private static String textOf(long address, int id) {
    try {
      return textOf(address, new int[] {id}, 0);
    } catch (IllegalArgumentException noToken) {
      return "[" + id + "]";
    }
  }

  private List<List<MaskCandidate>> masks(String text, int topK, Cancellation cancellation) {
    if (PlatformThreads.needed()) {
      return PlatformThreads.inPool(() -> masks(text, topK, cancellation));
    }
    ModelCalls calls = calls();
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
