// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.langchain4j;

import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.output.Response;
import dev.langchain4j.model.output.TokenUsage;
import dev.langchain4j.model.scoring.ScoringModel;
import io.github.lookupffn.LookupFfn;
import io.github.lookupffn.Model;
import io.github.lookupffn.RunOptions;
import io.github.lookupffn.ScoreKind;
import io.github.lookupffn.TextCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

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

  @Override
  public Response<List<Double>> scoreAll(List<TextSegment> segments, String query) {
    List<Double> scores = new ArrayList<>(segments.size());
    List<Integer> truncated = new ArrayList<>();
    int tokens = 0;
    for (int from = 0; from < segments.size(); from += MAX_BATCH) {
      List<String> texts = new ArrayList<>();
      for (TextSegment segment : segments.subList(from, Math.min(segments.size(), from + MAX_BATCH))) {
        texts.add(segment.text());
      }
      TextCounts counts = new TextCounts();
      for (float score : LookupFfn.await(model.rerankAsync(query, texts, options.withCounts(counts)))) {
        scores.add((double) score);
      }
      for (int i = 0; i < texts.size(); i++) {
        if (counts.isCut(i)) {
          truncated.add(from + i);
        }
      }
      tokens += (int) counts.totalTokens();
    }
    Map<String, Object> metadata = truncated.isEmpty() ? Map.of() : Map.of("truncated", truncated);
    return Response.from(scores, new TokenUsage(tokens), null, metadata);
  }
}
