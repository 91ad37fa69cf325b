// SPDX-License-Identifier: Apache-2.0
#include "comparison.h"

#include <cmath>
#include <utility>

namespace lffn::tools {
namespace {

bool is_chosen(const lookupffn::RunOptions& how) { return how.prompt_kind != LFFN_PROMPT_MODEL; }

lookupffn::RunOptions with_prompt_of(int32_t kind, lookupffn::RunOptions how) {
  if (!is_chosen(how)) how.prompt_kind = kind;
  return how;
}

uint32_t wanted_of(Comparison::Kind kind) {
  switch (kind) {
    case Comparison::Kind::kPairs:
      return LFFN_WANT_CLASS_SCORES;
    case Comparison::Kind::kLate:
      return LFFN_WANT_TOKEN_VECTORS;
    case Comparison::Kind::kSparse:
      return LFFN_WANT_SPARSE;
    default:
      return LFFN_WANT_EMBEDDINGS;
  }
}

// The cosine of two vectors, whether or not the model scales them.
float cosine(const std::vector<float>& a, const float* b) {
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    aa += static_cast<double>(a[i]) * static_cast<double>(a[i]);
    bb += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return aa > 0 && bb > 0 ? static_cast<float>(ab / std::sqrt(aa * bb)) : 0.0f;
}

}  // namespace

Comparison::Kind Comparison::kind_of(const lookupffn::Model& model) {
  const bool is_late = model.info().is_late != 0, is_sparse = model.info().sparse_size > 0;
  if (model.info().num_classes == 1) return Kind::kPairs;
  if (is_late == is_sparse) return Kind::kDense;
  return is_late ? Kind::kLate : Kind::kSparse;
}

Comparison::Comparison(const lookupffn::Model& model, Kind kind, const std::string& query_text,
                       lookupffn::RunOptions query, lookupffn::RunOptions texts)
    : model_(model), kind_(kind), query_(query_text) {
  const bool has_own_way = kind_ == Kind::kLate || kind_ == Kind::kSparse;
  if (has_own_way && (is_chosen(query) || is_chosen(texts))) {
    throw lookupffn::InvalidArgument(
        "a model of sparse or late vectors reads queries and documents in ways of its own; leave out the options of "
        "prompts");
  }
  if (kind_ == Kind::kPairs) {
    texts_ = std::move(query);
  } else {
    texts_ = with_prompt_of(LFFN_PROMPT_DOCUMENT, std::move(texts));
    read_query(with_prompt_of(LFFN_PROMPT_QUERY, std::move(query)));
  }
  args_ = lookupffn::Model::arguments(texts_);
  args_.wanted = wanted_of(kind_);
  if (kind_ == Kind::kPairs || kind_ == Kind::kLate) args_.flags |= LFFN_RUN_DOCUMENTS;
}

void Comparison::read_query(const lookupffn::RunOptions& how) {
  const lookupffn::Texts texts = {query_};
  try {
    if (kind_ == Kind::kLate) {
      lookupffn::RunOptions as_model_cuts = how;
      as_model_cuts.max_tokens = LFFN_MAX_TOKENS_MODEL;
      late_ = model_.embed_late(texts, as_model_cuts);
    } else if (kind_ == Kind::kSparse) {
      weights_.resize(static_cast<size_t>(model_.info().sparse_size));
      const std::vector<lookupffn::SparseVector> vectors = model_.embed_sparse(texts, how);
      for (size_t i = 0; i < vectors[0].ids.size(); ++i) {
        weights_[static_cast<size_t>(vectors[0].ids[i])] = vectors[0].weights[i];
      }
    } else {
      dense_ = model_.embed(texts, how);
    }
  } catch (const lookupffn::Error& error) {
    throw lookupffn::Error(error.status(), std::string("--query: ") + error.what());
  }
}

std::vector<std::optional<float>> Comparison::scores(const std::vector<TextRecord>& records, TextInput& from) {
  std::vector<TextRecord> asked = records;
  for (TextRecord& record : asked) {
    if (kind_ == Kind::kPairs) record = {query_, std::move(record.text), true};
    if (kind_ == Kind::kLate) record = {std::move(record.text), "", false};
  }
  const lookupffn::ResultView view = run_records(model_, asked, from, args_, result_);
  const std::vector<float> found = scores_of(view);
  std::vector<std::optional<float>> result(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    if (view.statuses[i] == LFFN_OK) result[i] = found[i];
  }
  return result;
}

std::vector<float> Comparison::scores_of(const lookupffn::ResultView& view) {
  switch (kind_) {
    case Kind::kPairs:
      return {view.class_scores, view.class_scores + view.n};
    case Kind::kLate:
      return max_sims(view);
    case Kind::kSparse:
      return sparse_products(view);
    default:
      return cosines(view);
  }
}

std::vector<float> Comparison::cosines(const lookupffn::ResultView& view) const {
  std::vector<float> found;
  for (int64_t i = 0; i < view.n; ++i) found.push_back(cosine(dense_, view.embeddings + i * view.embedding_size));
  return found;
}

std::vector<float> Comparison::sparse_products(const lookupffn::ResultView& view) const {
  std::vector<float> found;
  for (int64_t i = 0; i < view.n; ++i) {
    double sum = 0;
    for (int64_t k = view.sparse_offsets[i]; k < view.sparse_offsets[i + 1]; ++k) {
      sum += double{weights_[static_cast<size_t>(view.sparse_ids[k])]} * double{view.sparse_weights[k]};
    }
    found.push_back(static_cast<float>(sum));
  }
  return found;
}

std::vector<float> Comparison::max_sims(const lookupffn::ResultView& view) const {
  std::vector<float> found(static_cast<size_t>(view.n));
  lffn_max_sim_args args;
  lffn_max_sim_args_init(&args);
  args.queries = late_.values.data();
  args.query_offsets = late_.offsets.data();
  args.n_queries = 1;
  args.documents = view.token_vectors;
  args.document_offsets = view.vector_offsets;
  args.n_documents = view.n;
  args.size = view.token_vector_size;
  args.flags = late_.max_sim_flags;
  args.num_threads = model_.info().num_threads;
  args.scores = found.data();
  args.capacity = view.n;
  lookupffn::check(lffn_max_sim(&args));
  return found;
}

}  // namespace lffn::tools
