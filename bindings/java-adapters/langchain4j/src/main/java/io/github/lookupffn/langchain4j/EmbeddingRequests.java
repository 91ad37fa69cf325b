// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.langchain4j;

import dev.langchain4j.data.message.ContentType;
import dev.langchain4j.model.embedding.request.EmbeddingInput;
import dev.langchain4j.model.embedding.request.EmbeddingInputType;
import dev.langchain4j.model.embedding.request.EmbeddingRequest;
import dev.langchain4j.model.embedding.response.EmbeddingResponse;
import io.github.lookupffn.EmbeddedTexts;
import io.github.lookupffn.Embedder;
import io.github.lookupffn.Purpose;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The requests and responses of newer versions of LangChain4j; older ones, which lack them, never load this class. */
final class EmbeddingRequests {
  private final Embedder embedder;
  private final String name;
  private final Purpose purpose;
  private final int dimensions;
  private final List<String> texts = new ArrayList<>();

  private EmbeddingRequests(Embedder embedder, String name, Purpose purpose, int dimensions) {
    this.embedder = embedder;
    this.name = name;
    this.purpose = purpose;
    this.dimensions = dimensions;
  }

  static EmbeddingRequests of(Embedder embedder, String name, Purpose purpose, EmbeddingRequest request) {
    if (request.modelName() != null && !request.modelName().equals(name)) {
      throw new IllegalArgumentException("the model is " + name + ", not " + request.modelName());
    }
    int dimensions = request.dimensions() == null ? 0 : request.dimensions();
    if (dimensions < 0 || dimensions > embedder.dimensions()) {
      throw new IllegalArgumentException(
          dimensions + " dimensions are asked for, the model gives at most " + embedder.dimensions());
    }
    EmbeddingInputType type = request.inputType();
    Purpose asked = type == null ? purpose : type == EmbeddingInputType.QUERY ? Purpose.QUERY : Purpose.DOCUMENT;
    EmbeddingRequests made = new EmbeddingRequests(embedder, name, asked, dimensions);
    for (EmbeddingInput input : request.inputs()) {
      if (!input.contentTypes().equals(Set.of(ContentType.TEXT))) {
        throw new IllegalArgumentException("the model embeds texts, not " + input.contentTypes());
      }
      made.texts.add(input.text());
    }
    return made;
  }

  private EmbeddingResponse response(EmbeddedTexts done) {
    return EmbeddingResponse.builder()
        .embeddings(LookupFfnEmbeddingModel.embeddings(done))
        .metadata(new LookupFfnEmbeddingMetadata(name, LookupFfnEmbeddingModel.usage(done.tokens()), done.cut()))
        .build();
  }

  EmbeddingResponse embed() {
    return response(embedder.embed(texts, purpose, dimensions));
  }

  CompletableFuture<EmbeddingResponse> embedAsync() {
    CompletableFuture<EmbeddedTexts> embedded = embedder.embedAsync(texts, purpose, dimensions);
    CompletableFuture<EmbeddingResponse> answer = new CompletableFuture<>();
    embedded.whenComplete((done, failure) -> {
      if (failure == null) {
        answer.complete(response(done));
      } else {
        answer.completeExceptionally(failure);
      }
    });
    answer.whenComplete((done, failure) -> {
      if (failure != null) {
        embedded.cancel(true);
      }
    });
    return answer;
  }
}
