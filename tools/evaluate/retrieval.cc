// SPDX-License-Identifier: Apache-2.0
#include "evaluate/retrieval.h"

#include <algorithm>
#include <utility>

#include "evaluate/vectors_of_tokens.h"
#include "progress.h"

namespace lffn::tools {
namespace {

constexpr size_t kFar = 100;  // how many places the figures look at
constexpr size_t kPairsAtOnce = 256;

TextList documents_of(const Collection& collection) {
  return {collection.documents.size(),
          [&collection](size_t i) -> const std::string& { return collection.documents[i]; },
          [&collection](size_t i) { return collection.place_of(i); }};
}

TextList queries_of(const Collection& collection) {
  return {collection.queries.size(),
          [&collection](size_t i) -> const std::string& { return collection.queries[i].text; },
          [&collection](size_t i) { return collection.queries[i].place; }};
}

Vectors embed(const lookupffn::Model& model, const TextList& texts, TokenizedTexts& tokens,
              const lookupffn::RunOptions& options, const std::string& doing) {
  if (!TokenizedTexts::can_read(model)) return embed_list(model, texts, options, doing);
  tokens.read(model, texts, options, doing + ": tokenizing");
  return embed_tokenized(model, tokens, texts, doing + ": embedding");
}

// A reranker's scores of documents for a query.
std::vector<float> scores_of(const Collection& collection, const JudgedQuery& query,
                             const std::vector<uint32_t>& documents, const lookupffn::Model& reranker,
                             const lookupffn::RunOptions& options) {
  std::vector<std::string> texts;
  texts.reserve(documents.size());
  for (const uint32_t document : documents) texts.push_back(collection.documents[document]);
  std::vector<float> scores;
  try {
    scores = reranker.rerank(query.text, texts, options);
  } catch (const lookupffn::InvalidArgument& error) {
    throw lookupffn::InvalidArgument(query.place + ": " + error.what());
  }
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] == scores[i]) continue;
    throw lookupffn::BadModel(query.place + ": the score of the document of " + collection.place_of(documents[i]) +
                              " is not a number");
  }
  return scores;
}

using PairScores = std::unordered_map<uint64_t, float>;

uint64_t pair_of(size_t query, uint32_t document) { return uint64_t{query} << 32 | document; }

// The first documents of each query in the order of a reranker's scores, which are kept.
std::vector<Hits> rerank_first(const Collection& collection, const std::vector<Hits>& found, size_t depth,
                               const lookupffn::Model& reranker, const lookupffn::RunOptions& options,
                               PairScores& known, const std::string& doing) {
  int64_t pairs = 0;
  for (const Hits& hits : found) pairs += static_cast<int64_t>(std::min(depth, hits.size()));
  Progress progress(doing, pairs);
  std::vector<Hits> result = found;
  for (size_t q = 0; q < result.size(); ++q) {
    const size_t count = std::min(depth, result[q].size());
    for (size_t first = 0; first < count; first += kPairsAtOnce) {
      const size_t end = std::min(first + kPairsAtOnce, count);
      std::vector<uint32_t> unknown;
      for (size_t i = first; i < end; ++i) {
        if (known.count(pair_of(q, result[q][i].document)) == 0) unknown.push_back(result[q][i].document);
      }
      const std::vector<float> scores = scores_of(collection, collection.queries[q], unknown, reranker, options);
      for (size_t i = 0; i < unknown.size(); ++i) known.emplace(pair_of(q, unknown[i]), scores[i]);
      progress.add(static_cast<int64_t>(end - first));
    }
    for (size_t i = 0; i < count; ++i) result[q][i].score = known.at(pair_of(q, result[q][i].document));
    std::sort(result[q].begin(), result[q].begin() + static_cast<std::ptrdiff_t>(count), comes_before);
  }
  return result;
}

}  // namespace

void check_reranker(const lookupffn::Model& model, const std::string& name) {
  if (model.info().num_classes == 1 || (model.info().num_classes == 0 && model.info().is_late != 0)) return;
  throw lookupffn::InvalidArgument(name +
                                   ": a reranker has a classifier of one class, or is a late model; this model has " +
                                   (model.info().num_classes == 0 ? "none" : std::to_string(model.info().num_classes)));
}

void check_query_model(const lookupffn::Model& query_model, const std::string& query_name,
                       const lookupffn::Model& model, const std::string& name, const RetrievalOptions& options) {
  if (options.candidates && model.info().num_classes == 1) {
    throw lookupffn::InvalidArgument(name +
                                     ": a reranker reads query and document together, so --query-model has no part");
  }
  const auto numbers = [](const lookupffn::Model& one) { return one.info().embedding_size; };
  for (const auto& [one, whose] : {std::pair(&query_model, &query_name), std::pair(&model, &name)}) {
    if (numbers(*one) > 0 && vector_kind(*one, options.vectors, *whose) == VectorKind::kDense) continue;
    throw lookupffn::InvalidArgument(*whose + ": --query-model compares embeddings, which this model does not give" +
                                     (numbers(*one) > 0 ? " unless --vectors dense asks for them" : ""));
  }
  if (numbers(query_model) == numbers(model)) return;
  throw lookupffn::InvalidArgument(query_name + ": its vectors have " + std::to_string(numbers(query_model)) +
                                   " numbers, those of " + name + " " + std::to_string(numbers(model)) +
                                   "; queries can be compared with documents only where these are as many");
}

std::vector<Hits> find_documents(const Collection& collection, CollectionMemory& memory, const lookupffn::Model& model,
                                 const lookupffn::Model& query_model, const RetrievalOptions& options,
                                 const std::string& name) {
  const std::string doing = name + ": " + collection.folder;
  const size_t most = std::max(kFar, options.rerank_depth);
  if (options.candidates && model.info().num_classes == 1) {
    std::vector<Hits> candidates(collection.queries.size());
    for (size_t q = 0; q < candidates.size(); ++q) {
      for (const uint32_t document : collection.queries[q].candidates) {
        if (document != collection.queries[q].own) candidates[q].push_back({0, document});
      }
    }
    PairScores known;
    return rerank_first(collection, candidates, SIZE_MAX, model, options.pairs, known, doing + ": scoring");
  }
  const VectorKind kind = vector_kind(model, options.vectors, name);
  if (kind != VectorKind::kDense) return search_by_tokens(collection, model, kind, options, most, doing);
  const Vectors queries =
      embed(query_model, queries_of(collection), memory.queries, options.queries, doing + ", queries");
  const Vectors documents = embed(model, documents_of(collection), memory.documents, options.documents, doing);
  const Progress progress(doing + ": searching");
  return search(collection, queries, documents, most, options.candidates, model.info().num_threads);
}

std::vector<Hits> rerank(const Collection& collection, CollectionMemory& memory, const std::vector<Hits>& found,
                         const lookupffn::Model& reranker, const RetrievalOptions& options, const std::string& name) {
  return rerank_first(collection, found, options.rerank_depth, reranker, options.pairs, memory.pair_scores,
                      name + ": " + collection.folder + ": reranking");
}

std::vector<Figure> figures_of(const Collection& collection, const std::vector<Hits>& found,
                               const std::string& prefix) {
  std::vector<double> gains, recalls, reciprocals;
  for (size_t q = 0; q < found.size(); ++q) {
    const SearchFigures figures = search_figures(collection.queries[q], collection.right_from, found[q]);
    gains.push_back(figures.ndcg_at_10);
    recalls.push_back(figures.recall_at_100);
    reciprocals.push_back(figures.reciprocal_rank_at_10);
  }
  return {mean_figure(prefix + "nDCG@10", std::move(gains)), mean_figure(prefix + "recall@100", std::move(recalls)),
          mean_figure(prefix + "MRR@10", std::move(reciprocals))};
}

double shared_first(const std::vector<Hits>& a, const std::vector<Hits>& b) {
  constexpr size_t kTop = 10;
  double sum = 0;
  for (size_t q = 0; q < a.size(); ++q) {
    const size_t a_count = std::min(kTop, a[q].size()), b_count = std::min(kTop, b[q].size());
    size_t shared = 0;
    for (size_t i = 0; i < a_count; ++i) {
      shared += static_cast<size_t>(std::count_if(b[q].begin(), b[q].begin() + static_cast<std::ptrdiff_t>(b_count),
                                                  [&](const Hit& hit) { return hit.document == a[q][i].document; }));
    }
    sum += a_count + b_count == 0 ? 1 : static_cast<double>(shared) / static_cast<double>(std::max(a_count, b_count));
  }
  return sum / static_cast<double>(a.size());
}

}  // namespace lffn::tools
