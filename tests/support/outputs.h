// SPDX-License-Identifier: Apache-2.0
// Lists of outputs for the calls of tests, and what a result has of them by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <type_traits>
#include <vector>

#include "lookupffn/lookupffn.h"

namespace outputs {

// What tests ask for together; offsets of tokens and windows come with all of them.
enum Group : uint32_t {
  kIds = 1u << 0,
  kHidden = 1u << 1,
  kEmbeddings = 1u << 2,
  kLogits = 1u << 3,
  kClassScores = 1u << 4,
  kFillings = 1u << 5,
  kStatuses = 1u << 6,
  kTokenScores = 1u << 7,
  kEntities = 1u << 8,
  kUncut = 1u << 9,
  kSpans = 1u << 10,
  kTokenVectors = 1u << 11,
  kInt8Embeddings = 1u << 12,
  kBitEmbeddings = 1u << 13,
  kSparse = 1u << 14,
  kInt8TokenVectors = 1u << 15
};

inline std::vector<lffn_output> kept(const std::vector<int32_t>& list) {
  std::vector<lffn_output> result;
  for (const int32_t what : list) result.push_back({what, 0, nullptr, 0});
  return result;
}

// Kept in a result. The list stays.
inline const std::vector<lffn_output>& list_of(uint32_t groups) {
  static std::mutex mutex;
  static std::map<uint32_t, std::vector<lffn_output>> lists;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [at, is_new] = lists.try_emplace(groups);
  if (!is_new) return at->second;
  std::vector<int32_t> list = {LFFN_OUT_TOKEN_OFFSETS, LFFN_OUT_WINDOW_OFFSETS};
  const auto add = [&](uint32_t group, std::initializer_list<int32_t> with) {
    if ((groups & group) != 0) list.insert(list.end(), with);
  };
  add(kIds, {LFFN_OUT_TOKEN_IDS, LFFN_OUT_TOKEN_TYPES});
  add(kHidden, {LFFN_OUT_HIDDEN});
  add(kEmbeddings, {LFFN_OUT_EMBEDDINGS});
  add(kLogits, {LFFN_OUT_LOGITS});
  add(kClassScores, {LFFN_OUT_CLASS_SCORES});
  add(kFillings, {LFFN_OUT_FILLING_IDS, LFFN_OUT_FILLING_PROBABILITIES, LFFN_OUT_MASK_OFFSETS});
  add(kStatuses, {LFFN_OUT_STATUSES, LFFN_OUT_MESSAGES, LFFN_OUT_MESSAGE_OFFSETS});
  add(kTokenScores, {LFFN_OUT_TOKEN_SCORES});
  add(kEntities, {LFFN_OUT_ENTITY_BEGINS, LFFN_OUT_ENTITY_ENDS, LFFN_OUT_ENTITY_SCORES, LFFN_OUT_ENTITY_CLASSES,
                  LFFN_OUT_ENTITY_OFFSETS});
  add(kUncut, {LFFN_OUT_UNCUT_LENGTHS});
  add(kSpans, {LFFN_OUT_TOKEN_BEGINS, LFFN_OUT_TOKEN_ENDS, LFFN_OUT_TOKEN_SOURCES, LFFN_OUT_TEXT_BEGINS,
               LFFN_OUT_TEXT_ENDS, LFFN_OUT_PAIR_BEGINS, LFFN_OUT_PAIR_ENDS});
  add(kTokenVectors, {LFFN_OUT_TOKEN_VECTORS});
  add(kTokenVectors | kInt8TokenVectors, {LFFN_OUT_VECTOR_OFFSETS, LFFN_OUT_VECTOR_TOKENS});
  add(kInt8Embeddings, {LFFN_OUT_INT8_EMBEDDINGS, LFFN_OUT_EMBEDDING_SCALES});
  add(kBitEmbeddings, {LFFN_OUT_BIT_EMBEDDINGS});
  add(kSparse, {LFFN_OUT_SPARSE_IDS, LFFN_OUT_SPARSE_WEIGHTS, LFFN_OUT_SPARSE_OFFSETS});
  add(kInt8TokenVectors, {LFFN_OUT_INT8_TOKEN_VECTORS, LFFN_OUT_TOKEN_VECTOR_SCALES});
  return at->second = kept(list);
}

// The outputs of these groups, kept in the arguments' result.
template <typename Args>
void keep(Args& args, uint32_t groups) {
  const std::vector<lffn_output>& list = list_of(groups);
  args.outputs = list.data();
  args.n_outputs = static_cast<int64_t>(list.size());
}

// Outputs that go to memory of the test.
class List {
 public:
  List() = default;
  List(std::initializer_list<lffn_output> list) : list_(list) {}
  void add(int32_t what, void* data, int64_t capacity) { list_.push_back({what, 0, data, capacity}); }
  template <typename Number>
  void add(int32_t what, std::vector<Number>& numbers) {
    add(what, numbers.data(), static_cast<int64_t>(numbers.size()));
  }
  template <typename Args>
  void give(Args& args) const {
    args.outputs = list_.data();
    args.n_outputs = static_cast<int64_t>(list_.size());
  }
  void clear() { list_.clear(); }

 private:
  std::vector<lffn_output> list_;
};

// What a result has: nullptr or 0 where it was not asked for.
struct View {
  explicit View(const lffn_result* result) {
    const auto take = [&](int32_t what, auto*& to) {
      lffn_array array = {};
      if (lffn_result_array(result, what, &array) != LFFN_OK) return array;
      static const std::max_align_t kNothing = {};  // for an array of no rows
      to = static_cast<std::remove_reference_t<decltype(to)>>(array.data != nullptr ? array.data : &kNothing);
      return array;
    };
    n = take(LFFN_OUT_TOKEN_OFFSETS, offsets).rows - 1;
    if (n < 0) n = 0;
    if (offsets != nullptr) n_tokens = offsets[n];
    n_texts = take(LFFN_OUT_WINDOW_OFFSETS, text_offsets).rows - 1;
    if (n_texts < 0) n_texts = 0;
    take(LFFN_OUT_UNCUT_LENGTHS, uncut);
    take(LFFN_OUT_STATUSES, statuses);
    const char* bytes = nullptr;
    const int64_t* places = nullptr;
    take(LFFN_OUT_MESSAGES, bytes);
    const int64_t rows = take(LFFN_OUT_MESSAGE_OFFSETS, places).rows;
    for (int64_t i = 0; i + 1 < rows; ++i) messages.push_back(bytes + places[i]);
    take(LFFN_OUT_TOKEN_IDS, ids);
    take(LFFN_OUT_TOKEN_TYPES, token_types);
    take(LFFN_OUT_HIDDEN, hidden);
    const int32_t of_bits = 8 * take(LFFN_OUT_BIT_EMBEDDINGS, bit_embeddings).columns;
    const int32_t of_bytes = take(LFFN_OUT_INT8_EMBEDDINGS, int8_embeddings).columns;
    embedding_size = take(LFFN_OUT_EMBEDDINGS, embeddings).columns;
    if (embedding_size == 0) embedding_size = of_bytes != 0 ? of_bytes : of_bits;
    take(LFFN_OUT_EMBEDDING_SCALES, embedding_scales);
    n_positions = take(LFFN_OUT_LOGITS, logits).rows;
    take(LFFN_OUT_CLASS_SCORES, class_scores);
    take(LFFN_OUT_TOKEN_SCORES, token_scores);
    n_masks = take(LFFN_OUT_FILLING_IDS, filling_ids).rows;
    take(LFFN_OUT_FILLING_PROBABILITIES, filling_probabilities);
    take(LFFN_OUT_MASK_OFFSETS, mask_offsets);
    take(LFFN_OUT_ENTITY_OFFSETS, entity_offsets);
    take(LFFN_OUT_ENTITY_BEGINS, entity_begins);
    take(LFFN_OUT_ENTITY_ENDS, entity_ends);
    take(LFFN_OUT_ENTITY_SCORES, entity_scores);
    take(LFFN_OUT_ENTITY_CLASSES, entity_classes);
    take(LFFN_OUT_TOKEN_BEGINS, token_begins);
    take(LFFN_OUT_TOKEN_ENDS, token_ends);
    take(LFFN_OUT_TOKEN_SOURCES, token_texts);
    take(LFFN_OUT_TEXT_BEGINS, text_begins);
    take(LFFN_OUT_TEXT_ENDS, text_ends);
    take(LFFN_OUT_PAIR_BEGINS, pair_begins);
    take(LFFN_OUT_PAIR_ENDS, pair_ends);
    const int32_t of_vector_bytes = take(LFFN_OUT_INT8_TOKEN_VECTORS, int8_token_vectors).columns;
    token_vector_size = take(LFFN_OUT_TOKEN_VECTORS, token_vectors).columns;
    if (token_vector_size == 0) token_vector_size = of_vector_bytes;
    take(LFFN_OUT_TOKEN_VECTOR_SCALES, token_vector_scales);
    take(LFFN_OUT_VECTOR_OFFSETS, vector_offsets);
    take(LFFN_OUT_VECTOR_TOKENS, vector_tokens);
    take(LFFN_OUT_SPARSE_IDS, sparse_ids);
    take(LFFN_OUT_SPARSE_WEIGHTS, sparse_weights);
    take(LFFN_OUT_SPARSE_OFFSETS, sparse_offsets);
  }

  int64_t n = 0, n_texts = 0, n_tokens = 0, n_positions = 0, n_masks = 0;
  int32_t embedding_size = 0, token_vector_size = 0;
  const int64_t *offsets = nullptr, *text_offsets = nullptr, *uncut = nullptr;
  const lffn_status* statuses = nullptr;
  std::vector<const char*> messages;
  const int32_t *ids = nullptr, *token_types = nullptr;
  const float *hidden = nullptr, *embeddings = nullptr, *embedding_scales = nullptr, *logits = nullptr;
  const float *class_scores = nullptr, *token_scores = nullptr;
  const int8_t *int8_embeddings = nullptr, *token_texts = nullptr, *int8_token_vectors = nullptr;
  const uint8_t* bit_embeddings = nullptr;
  const int64_t* mask_offsets = nullptr;
  const int32_t *filling_ids = nullptr, *entity_classes = nullptr, *sparse_ids = nullptr;
  const float *filling_probabilities = nullptr, *entity_scores = nullptr;
  const int64_t *entity_offsets = nullptr, *entity_begins = nullptr, *entity_ends = nullptr;
  const int64_t *token_begins = nullptr, *token_ends = nullptr, *text_begins = nullptr, *text_ends = nullptr;
  const int64_t *pair_begins = nullptr, *pair_ends = nullptr;
  const float *token_vectors = nullptr, *token_vector_scales = nullptr, *sparse_weights = nullptr;
  const int64_t *vector_offsets = nullptr, *vector_tokens = nullptr, *sparse_offsets = nullptr;
};

}  // namespace outputs
