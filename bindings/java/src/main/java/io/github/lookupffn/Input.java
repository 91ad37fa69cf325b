// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a call of {@link Model#run} reads: texts, pairs of texts, or sequences of token ids. It refers to the objects
 * that it was made of, which must not change before the call has ended. It may serve any number of calls.
 */
public final class Input {
  final @Nullable List<? extends CharSequence> texts;
  final byte @Nullable [][] utf8;
  final int @Nullable [][] ids;
  final @Nullable String query;

  private Input(
      @Nullable List<? extends CharSequence> texts,
      byte @Nullable [][] utf8,
      int @Nullable [][] ids,
      @Nullable String query) {
    this.texts = texts;
    this.utf8 = utf8;
    this.ids = ids;
    this.query = query;
  }

  /**
   * One text.
   *
   * @param text the text
   * @return an input of one text
   */
  public static Input text(CharSequence text) {
    return new Input(List.of(Objects.requireNonNull(text, "text")), null, null, null);
  }

  /**
   * Any number of texts.
   *
   * @param texts strings, or other sequences of characters
   * @return an input of as many texts
   */
  public static Input texts(List<? extends CharSequence> texts) {
    return new Input(Objects.requireNonNull(texts, "texts"), null, null, null);
  }

  /**
   * Texts that are UTF-8 already, as files and networks give them. They are not decoded.
   *
   * @param texts the bytes of each
   * @return an input of as many texts
   */
  public static Input utf8(byte[]... texts) {
    return new Input(null, Objects.requireNonNull(texts, "texts"), null, null);
  }

  /**
   * Sequences of token ids, which are run as they are, with whatever special tokens they have.
   *
   * @param sequences any number of them
   * @return an input of as many sequences
   */
  public static Input ids(int[]... sequences) {
    return new Input(null, null, Objects.requireNonNull(sequences, "sequences"), null);
  }

  /**
   * Pairs of one text with each of several, as rerankers and models of entailment read them.
   *
   * @param first the first text of each pair, such as a query or a premise
   * @param seconds the second texts, such as documents or hypotheses
   * @return an input of as many pairs
   */
  public static Input pairs(CharSequence first, List<? extends CharSequence> seconds) {
    return new Input(
        Objects.requireNonNull(seconds, "seconds"), null, null, Objects.requireNonNull(first, "first").toString());
  }

  /** A text as Java has it; "" where it is null. */
  String text(int place) {
    if (utf8 != null) {
      return utf8[place] == null ? "" : Utf8.text(utf8[place]);
    }
    CharSequence text = texts.get(place);
    return text == null ? "" : text.toString();
  }

  @Override
  public String toString() {
    int size = texts != null ? texts.size() : utf8 != null ? utf8.length : ids.length;
    return "Input[" + size + (ids != null ? " sequences of ids]" : query != null ? " pairs]" : " texts]");
  }
}
