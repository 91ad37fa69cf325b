// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.langchain4j;

import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.output.Response;
import dev.langchain4j.model.scoring.ScoringModel;
import dev.langchain4j.model.scoring.request.ScoringRequest;
import dev.langchain4j.model.scoring.response.ScoringResponse;
import io.github.lookupffn.LookupFfn;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import io.github.lookupffn.ScoreKind;
import io.github.lookupffn.TextCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * A reranker as LangChain4j's scoring model: what its files make of its scores, higher is better. Of a pair that is too
 * long the longer text is cut, and the response's metadata have {@code truncated}, the places of such segments.
 */
public final class LookupFfnScoringModel implements ScoringModel {
  private static final int MAX_BATCH = 64;

  private final Model model;
  private final RunOptions options;

  /**
   * Makes one whose scores are those that the model's files ask for.
   *
   * @param model a model whose classifier has one class, which stays the caller's
   */
  public LookupFfnScoringModel(Model model) {
    this(model, ScoreKind.MODEL);
  }

  /**
   * Makes one.
   *
   * @param model a model whose classifier has one class, which stays the caller's
   * @param scores what its scores become
   */
  public LookupFfnScoringModel(Model model, ScoreKind scores) {
    this.model = Objects.requireNonNull(model, "model");
    options = RunOptions.defaults().withScores(scores);
    if (model.info().numClasses() != 1) {
      throw new IllegalArgumentException("the model has " + model.info().numClasses() + " classes, a reranker has one");
    }
  }

  /** The scores of a call's texts. */
  private static final class Scored {
    final List<Double> scores = new ArrayList<>();
    final List<Integer> truncated = new ArrayList<>();
    long tokens;
  }

  private Scored score(String query, List<String> documents, RunOptions how) {
    Scored scored = new Scored();
    TextCounts counts = new TextCounts();
    for (int from = 0; from < documents.size(); from += MAX_BATCH) {
      List<String> part = documents.subList(from, Math.min(documents.size(), from + MAX_BATCH));
      for (float score : model.rerank(query, part, how.withCounts(counts))) {
        scored.scores.add((double) score);
      }
      for (int i = 0; i < part.size(); i++) {
        if (counts.isCut(i)) {
          scored.truncated.add(from + i);
        }
      }
      scored.tokens += counts.totalTokens();
    }
    return scored;
  }

  @Override
  public Response<List<Double>> scoreAll(List<TextSegment> segments, String query) {
    List<String> texts = new ArrayList<>();
    for (TextSegment segment : segments) {
      if (segment == null) {
        throw new NullPointerException("segments[" + texts.size() + "] is null");
      }
      texts.add(segment.text());
    }
    Scored scored = LookupFfn.interruptibly(options, changed -> score(query, texts, changed));
    Map<String, Object> metadata = scored.truncated.isEmpty()
        ? Map.of()
        : Map.of(LookupFfnEmbeddingModel.TRUNCATED, List.copyOf(scored.truncated));
    return Response.from(scored.scores, LookupFfnEmbeddingModel.usage(scored.tokens), null, metadata);
  }

  @Override
  public CompletableFuture<ScoringResponse> doScoreAsync(ScoringRequest request) {
    return LookupFfn.async(options, changed -> {
      Scored scored = score(request.query(), request.documents(), changed);
      return ScoringResponse.builder()
          .scores(scored.scores)
          .tokenUsage(LookupFfnEmbeddingModel.usage(scored.tokens))
          .modelName(model.family())
          .build();
    });
  }
}
