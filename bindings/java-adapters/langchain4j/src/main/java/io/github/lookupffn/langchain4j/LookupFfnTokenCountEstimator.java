// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.langchain4j;

import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.TokenCountEstimator;
import io.github.lookupffn.Model;
import java.util.Objects;

/**
 * Counts tokens by a model's tokenizer, exactly, and without the special tokens that the model puts around a text: so
 * counts of parts can be added up, as splitters do.
 */
public final class LookupFfnTokenCountEstimator implements TokenCountEstimator {
  private final Model model;

  /**
   * Makes one.
   *
   * @param model one with a tokenizer, which stays the caller's
   */
  public LookupFfnTokenCountEstimator(Model model) {
    this.model = Objects.requireNonNull(model, "model");
  }

  @Override
  public int estimateTokenCountInText(String text) {
    return model.tokenize(text, false).size();
  }

  /** Counts the text of a message; what is not text, such as images, is refused. */
  @Override
  public int estimateTokenCountInMessage(ChatMessage message) {
    if (message instanceof SystemMessage) {
      return estimateTokenCountInText(((SystemMessage) message).text());
    }
    if (message instanceof AiMessage) {
      String text = ((AiMessage) message).text();
      return text == null ? 0 : estimateTokenCountInText(text);
    }
    if (message instanceof ToolExecutionResultMessage) {
      return estimateTokenCountInText(((ToolExecutionResultMessage) message).text());
    }
    if (message instanceof UserMessage) {
      return ((UserMessage) message).contents().stream()
          .mapToInt(content -> {
            if (content instanceof TextContent) {
              return estimateTokenCountInText(((TextContent) content).text());
            }
            throw new IllegalArgumentException("a content of type " + content.type() + " has no tokens of this model");
          })
          .sum();
    }
    throw new IllegalArgumentException("a message of type " + message.type() + " has no tokens of this model");
  }

  @Override
  public int estimateTokenCountInMessages(Iterable<ChatMessage> messages) {
    int count = 0;
    for (ChatMessage message : messages) {
      count += estimateTokenCountInMessage(message);
    }
    return count;
  }
}
