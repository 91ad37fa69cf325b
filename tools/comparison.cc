// SPDX-License-Identifier: Apache-2.0
#include "comparison.h"

#include <cmath>
#include <utility>

namespace lffn::tools {
namespace {

namespace out = lookupffn::out;

bool is_chosen(const lookupffn::RunOptions& how) { return how.prompt_kind != LFFN_PROMPT_MODEL; }

lookupffn::RunOptions with_prompt_of(int32_t kind, lookupffn::RunOptions how) {
  if (!is_chosen(how)) how.prompt_kind = kind;
  return how;
}

std::vector<lookupffn::AnyOutput> outputs_of(Comparison::Kind kind) {
  switch (kind) {
    case Comparison::Kind::kPairs:
      return {out::class_scores};
    case Comparison::Kind::kLate:
      return {out::token_vectors, out::vector_offsets};
    case Comparison::Kind::kSparse:
      return {out::sparse_ids, out::sparse_weights, out::sparse_offsets};
    default:
      return {out::embeddings};
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
  const lookupffn::Rows<int32_t> statuses = run_records(model_, asked, from, args_, outputs_of(kind_), result_);
  const std::vector<float> found = scores_of();
  std::vector<std::optional<float>> result(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    if (statuses[i] == LFFN_OK) result[i] = found[i];
  }
  return result;
}

std::vector<float> Comparison::scores_of() const {
  switch (kind_) {
    case Kind::kPairs: {
      const auto scores = result_.get(out::class_scores).values;
      return {scores.begin(), scores.end()};
    }
    case Kind::kLate:
      return max_sims();
    case Kind::kSparse:
      return sparse_products();
    default:
      return cosines();
  }
}

std::vector<float> Comparison::cosines() const {
  const auto embeddings = result_.get(out::embeddings);
  std::vector<float> found;
  for (size_t i = 0; i < embeddings.count(); ++i) found.push_back(cosine(dense_, embeddings.row(i).data()));
  return found;
}

std::vector<float> Comparison::sparse_products() const {
  const auto offsets = result_.get(out::sparse_offsets);
  const auto ids = result_.get(out::sparse_ids);
  const auto weights = result_.get(out::sparse_weights);
  std::vector<float> found;
  for (size_t i = 0; i + 1 < offsets.count(); ++i) {
    double sum = 0;
    for (auto k = static_cast<size_t>(offsets[i]); k < static_cast<size_t>(offsets[i + 1]); ++k) {
      sum += double{weights_[static_cast<size_t>(ids[k])]} * double{weights[k]};
    }
    found.push_back(static_cast<float>(sum));
  }
  return found;
}

std::vector<float> Comparison::max_sims() const {
  const auto vectors = result_.get(out::token_vectors);
  const auto offsets = result_.get(out::vector_offsets);
  std::vector<float> found(offsets.count() - 1);
  lffn_max_sim_args args;
  lffn_max_sim_args_init(&args);
  args.queries = late_.values.data();
  args.query_offsets = late_.offsets.data();
  args.n_queries = 1;
  args.documents = vectors.values.data();
  args.document_offsets = offsets.values.data();
  args.n_documents = static_cast<int64_t>(found.size());
  args.size = static_cast<int32_t>(vectors.columns);
  args.flags = late_.max_sim_flags;
  args.num_threads = model_.info().num_threads;
  const lffn_output output = {LFFN_OUT_MAX_SIM_SCORES, 0, found.data(), static_cast<int64_t>(found.size())};
  args.outputs = &output;
  args.n_outputs = 1;
  lookupffn::check(lffn_max_sim(&args));
  return found;
}

}  // namespace lffn::tools
