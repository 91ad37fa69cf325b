// SPDX-License-Identifier: Apache-2.0
#include "evaluate/vectors_of_tokens.h"

#include <algorithm>

#include "progress.h"

namespace lffn::tools {
namespace {

constexpr size_t kDocumentsOfBlock = 256;

// Such models have prompts of their own for each kind of text, and take no others.
lookupffn::RunOptions as(const lookupffn::RunOptions& options, int32_t prompt_kind) {
  lookupffn::RunOptions result = options;
  result.prompt.clear();
  result.prompt_kind = prompt_kind;
  return result;
}

// Runs some texts of a list. Throws an error that names the first one that cannot be run.
template <typename Run>
auto run_texts(const std::vector<std::string>& texts, Run&& run, const std::string& what) {
  try {
    return run(lookupffn::Texts(texts));
  } catch (const lookupffn::Error& error) {
    throw lookupffn::InvalidArgument(what + ": " + error.what());
  }
}

// Scores [queries, documents] of one block of documents after the other.
class Scorer {
 public:
  Scorer(const lookupffn::Model& model, bool late, const RetrievalOptions& options,
         const std::vector<std::string>& queries, const std::string& doing)
      : model_(model), is_late_(late), documents_(as(options.documents, LFFN_PROMPT_DOCUMENT)), doing_(doing) {
    const lookupffn::RunOptions how = as(options.queries, LFFN_PROMPT_QUERY);
    const auto run = [&](const lookupffn::Texts& texts) {
      if (is_late_) {
        late_ = model.embed_late(texts, how);
      } else {
        sparse_ = model.embed_sparse(texts, how);
      }
    };
    run_texts(queries, run, doing + ", queries");
  }

  std::vector<float> scores(const std::vector<std::string>& documents) {
    if (is_late_) {
      const auto run = [&](const lookupffn::Texts& texts) { return model_.embed_late(texts, documents_); };
      lookupffn::MaxSimOptions how;
      how.num_threads = model_.info().num_threads;
      return lookupffn::max_sim(late_, run_texts(documents, run, doing_), how);
    }
    const auto run = [&](const lookupffn::Texts& texts) { return model_.embed_sparse(texts, documents_); };
    const std::vector<lookupffn::SparseVector> vectors = run_texts(documents, run, doing_);
    std::vector<float> result(sparse_.size() * documents.size());
    weights_.resize(static_cast<size_t>(model_.info().sparse_size));
    for (size_t d = 0; d < vectors.size(); ++d) {
      put(vectors[d], true);
      for (size_t q = 0; q < sparse_.size(); ++q) result[q * documents.size() + d] = product(sparse_[q]);
      put(vectors[d], false);
    }
    return result;
  }

 private:
  void put(const lookupffn::SparseVector& vector, bool there) {
    for (size_t i = 0; i < vector.ids.size(); ++i) {
      weights_[static_cast<size_t>(vector.ids[i])] = there ? vector.weights[i] : 0;
    }
  }
  float product(const lookupffn::SparseVector& query) const {
    double sum = 0;
    for (size_t i = 0; i < query.ids.size(); ++i) {
      sum += double{query.weights[i]} * double{weights_[static_cast<size_t>(query.ids[i])]};
    }
    return static_cast<float>(sum);
  }

  const lookupffn::Model& model_;
  const bool is_late_;
  const lookupffn::RunOptions documents_;
  const std::string doing_;
  lookupffn::LateVectors late_;
  std::vector<lookupffn::SparseVector> sparse_;
  std::vector<float> weights_;  // of the vocabulary, of one document at a time
};

}  // namespace

VectorKind vector_kind(const lookupffn::Model& model, VectorKind wanted, const std::string& name) {
  const bool late = model.info().is_late != 0, sparse = model.info().sparse_size > 0;
  if ((wanted == VectorKind::kLate && !late) || (wanted == VectorKind::kSparse && !sparse)) {
    throw lookupffn::InvalidArgument(name + ": the model gives no " +
                                     (wanted == VectorKind::kLate ? "late" : "sparse") + " vectors");
  }
  if (wanted != VectorKind::kUsual) return wanted;
  if (late == sparse) return VectorKind::kDense;
  return late ? VectorKind::kLate : VectorKind::kSparse;
}

std::vector<Hits> search_by_tokens(const Collection& collection, const lookupffn::Model& model, VectorKind kind,
                                   const RetrievalOptions& options, size_t most, const std::string& doing) {
  std::vector<std::string> queries;
  queries.reserve(collection.queries.size());
  for (const JudgedQuery& query : collection.queries) queries.push_back(query.text);
  Scorer scorer(model, kind == VectorKind::kLate, options, queries, doing);
  std::vector<BestHits> best(queries.size(), BestHits(most));
  Progress progress(doing + ": searching", static_cast<int64_t>(collection.documents.size()));
  for (size_t first = 0; first < collection.documents.size(); first += kDocumentsOfBlock) {
    const size_t count = std::min(kDocumentsOfBlock, collection.documents.size() - first);
    const auto begin = collection.documents.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<float> scores = scorer.scores({begin, begin + static_cast<std::ptrdiff_t>(count)});
    for (size_t q = 0; q < best.size(); ++q) {
      const JudgedQuery& query = collection.queries[q];
      for (size_t d = 0; d < count; ++d) {
        const auto document = static_cast<uint32_t>(first + d);
        const float score = scores[q * count + d];
        if (score != score) {
          throw lookupffn::BadModel(query.place + ": the score of the document of " + collection.place_of(document) +
                                    " is no number");
        }
        if (document == query.own) continue;
        if (options.candidates && !std::binary_search(query.candidates.begin(), query.candidates.end(), document)) {
          continue;
        }
        best[q].add({score, document});
      }
    }
    progress.add(static_cast<int64_t>(count));
  }
  std::vector<Hits> found;
  found.reserve(best.size());
  for (BestHits& one : best) found.push_back(one.take());
  return found;
}

}  // namespace lffn::tools
