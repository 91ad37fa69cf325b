// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

/** A part of a context that answers a question; an empty part means that there is no answer. */
public final class Answer extends TextPart {
  Answer(float score, int begin, int end, String text) {
    super(score, begin, end, text);
  }
}
