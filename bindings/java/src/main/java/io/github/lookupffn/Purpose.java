// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a text is embedded for. Many models want another prompt before queries than before documents. */
public enum Purpose {
  /** A text that others are searched for with. */
  QUERY("query", "search_query", "retrieval_query", "retrieval.query", "question"),
  /** A text that is searched. */
  DOCUMENT("document", "search_document", "retrieval_document", "retrieval.passage", "passage", "corpus");

  private final List<String> names;

  Purpose(String... names) {
    this.names = List.of(names);
  }

  /** {@return the names under which models' files and other programs know it, such as "search_query", in lower case} */
  public List<String> names() {
    return names;
  }

  /**
   * The purpose of a name, in upper or lower case.
   *
   * @param name one of {@link #names}
   * @return the purpose; null for another name
   */
  public static @Nullable Purpose named(String name) {
    String lower = Objects.requireNonNull(name, "name").toLowerCase(Locale.ROOT);
    return QUERY.names.contains(lower) ? QUERY : DOCUMENT.names.contains(lower) ? DOCUMENT : null;
  }

  /**
   * Options for texts of this purpose: with the model's prompt for it, else with its default prompt, if it has one. If
   * a model has routes, the texts take the one for this purpose.
   */
  RunOptions prompt(RunOptions options) {
    return this == QUERY ? options.withQueryPrompt() : options.withDocumentPrompt();
  }

  /**
   * A prompt's name alone does not choose a route. These options do, if the name is that of a purpose's prompt. Without
   * this, a query whose prompt is named "query" would be read as a document.
   */
  static RunOptions routed(ModelFacts facts, RunOptions options) {
    String name = options.promptName();
    Purpose purpose = name == null ? null : named(name);
    String asked = name == null ? null : facts.prompts.get(name);
    if (purpose == null || asked == null) {
      return options;
    }
    String own = purpose.names.stream().filter(facts.prompts::containsKey).findFirst().orElseThrow();
    if (!facts.prompts.get(own).equals(asked)) {
      throw new IllegalArgumentException(
          "the prompt \"" + name + "\" chooses no route, since the model has another prompt \"" + own
              + "\" for the same; take withQueryPrompt or withDocumentPrompt");
    }
    return purpose.prompt(options);
  }

  /** Options for a purpose's name, or else for a prompt that the model has under exactly this name. */
  static RunOptions prompt(Model model, String name, RunOptions options) {
    Purpose purpose = named(name);
    if (model.prompts().containsKey(name)) {
      return options.withPrompt(name);
    }
    if (purpose == null) {
      throw new IllegalArgumentException(
          "\"" + name + "\" is neither a query nor a document, and no prompt of the model, which has "
              + (model.prompts().isEmpty() ? "none" : String.join(", ", model.prompts().keySet()))
              + "; names of queries are " + String.join(", ", QUERY.names) + ", of documents "
              + String.join(", ", DOCUMENT.names));
    }
    return purpose.prompt(options);
  }
}
