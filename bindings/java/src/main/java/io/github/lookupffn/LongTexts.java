// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.List;

/** Refuses texts of more tokens than the model can run, or than a call reads at most, before any layer runs. */
final class LongTexts {
  private LongTexts() {}

  /** Reads no more of a text that is far too long than is needed to know that. */
  static void refuse(NativeModel model, List<String> texts, RunOptions options) {
    if (PlatformThreads.needed()) {
      PlatformThreads.run(() -> refuse(model, texts, options));
      return;
    }
    long most = model.info().numbers[Abi.MODEL_MAX_TOKENS];
    int own = (int) Math.min(options.maxTokens > 0 ? options.maxTokens : most, Math.min(most, Integer.MAX_VALUE / 4));
    refuseFarTooLong(model, texts, own, options);
    CallMemory memory = CallMemory.of(texts, options);
    try {
      long address = model.enter();
      try {
        FloatCalls.count(address, memory, options.withMaxTokens(own));
      } finally {
        model.leave();
      }
      for (int i = 0; i < memory.size; i++) {
        if (memory.counts.isCut(i)) {
          throw tooLong(texts.size(), i, String.valueOf(memory.counts.uncutTokens(i)), own);
        }
      }
    } finally {
      memory.release();
    }
  }

  /** If twice as many tokens as are read do not reach a text's end, it is too long, whatever is put before it. */
  private static void refuseFarTooLong(NativeModel model, List<String> texts, int own, RunOptions options) {
    int enough = 2 * own + 2;
    for (int i = 0; i < texts.size(); i++) {
      String text = texts.get(i);
      if (text == null || text.length() < enough) {
        continue;
      }
      byte[] utf8 = Utf8.of(text, "texts[" + i + "]", options.repairs());
      Object[] results = new Object[1];
      long address = model.enter();
      try {
        Raw.modelTokenizeBytes(
            address,
            utf8,
            Abi.ENCODE_SKIP_SPECIAL | Abi.ENCODE_REPAIR_TEXT,
            enough,
            results,
            Cancellation.flagOf(options.cancellation));
      } finally {
        model.leave();
      }
      if (((int[]) results[0]).length >= enough) {
        throw tooLong(texts.size(), i, enough + " or more", own);
      }
    }
  }

  private static IllegalArgumentException tooLong(int texts, int place, String tokens, int most) {
    return new IllegalArgumentException(
        (texts == 1 ? "the text" : "text " + place) + " has " + tokens + " tokens, of which the model reads " + most
            + "; split it, or let it be cut");
  }
}
