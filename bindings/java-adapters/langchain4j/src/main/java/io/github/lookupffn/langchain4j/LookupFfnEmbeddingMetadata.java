// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.langchain4j;

import dev.langchain4j.model.embedding.response.EmbeddingResponseMetadata;
import dev.langchain4j.model.output.TokenUsage;
import java.util.List;

/** What a {@link LookupFfnEmbeddingModel} tells of a request. */
public final class LookupFfnEmbeddingMetadata extends EmbeddingResponseMetadata {
  private final List<Integer> truncated;

  LookupFfnEmbeddingMetadata(String modelName, TokenUsage usage, List<Integer> truncated) {
    super(EmbeddingResponseMetadata.builder().modelName(modelName).tokenUsage(usage));
    this.truncated = truncated;
  }

  /**
   * The places of those inputs that were too long, so that their ends were not read.
   *
   * @return places from 0, ascending
   */
  public List<Integer> truncated() {
    return truncated;
  }

  @Override
  public boolean equals(Object other) {
    return super.equals(other) && other instanceof LookupFfnEmbeddingMetadata
        && truncated.equals(((LookupFfnEmbeddingMetadata) other).truncated);
  }

  @Override
  public int hashCode() {
    return 31 * super.hashCode() + truncated.hashCode();
  }

  @Override
  public String toString() {
    return "LookupFfnEmbeddingMetadata[" + modelName() + ", " + tokenUsage() + ", truncated " + truncated + "]";
  }
}
