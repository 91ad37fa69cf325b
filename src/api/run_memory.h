// SPDX-License-Identifier: Apache-2.0
// What one call to lffn_model_run needs beside the caller's memory. It keeps what it has grown to, so that the next
// call of the same size allocates nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "model/heads/entities.h"
#include "model/text_batch.h"
#include "runtime/idle_pool.h"
#include "runtime/memory.h"

namespace lffn {

// Numbers whose old values are of no use once there must be more.
template <typename Number>
class Room {
 public:
  Number* of(size_t count) {
    const size_t bytes = checked_product(count, sizeof(Number));
    if (bytes > memory_.size()) {
      memory_ = Memory();
      memory_ = Memory(bytes);
    }
    return memory_.as<Number>();
  }
  Number* data() const { return memory_.as<Number>(); }

 private:
  Memory memory_;
};

struct RunMemory {
  struct Failure {
    int64_t text;
    std::string message;
  };
  TextBatch texts;  // where the call runs texts
  // What each thread reads of many texts.
  struct Reader {
    TextBatch texts;
    std::vector<Failure> failures;
    TextBatch& rows() { return texts; }
    int64_t num_texts() const { return texts.num_texts(); }
  };
  std::vector<std::unique_ptr<Reader>> readers;
  TextRows tokens;                                     // of a tokenizer alone
  std::vector<int32_t> ids;                            // for a result, where it runs ids
  std::vector<int64_t> offsets;                        // [n + 1]
  std::vector<int64_t> uncut;                          // [texts] tokens without cutting
  std::vector<lffn_status> statuses;                   // [texts]
  std::vector<Failure> failures;                       // of texts, in order
  std::vector<const char*> messages;                   // [texts]
  std::vector<int64_t> vector_offsets, vector_tokens;  // of token vectors
  std::vector<int64_t> positions;                      // whose logits are wanted
  std::vector<int64_t> masks;                          // where they are
  std::vector<int64_t> mask_offsets;                   // [n + 1]
  SparseRows sparse;
  Room<float> hidden, embeddings, logits, class_scores, token_scores, token_vectors, filling_probabilities;
  Room<float> whole_embeddings;  // as the model gives them, where the call wants others
  Room<float> embedding_row, embedding_scales, token_vector_scales;
  Room<int8_t> int8_embeddings, int8_token_vectors;
  Room<uint8_t> bit_embeddings;
  Room<int32_t> filling_ids;
  // Which bytes tokens and sequences stand for, of texts and of their pairs.
  std::vector<int64_t> token_begins, token_ends, begins[2], ends[2];
  std::vector<std::string> decoded;
  std::vector<const char*> decoded_texts;
  std::vector<size_t> decoded_sizes;
  EntityFinder entity_finder;
  std::vector<Entity> entities;
  // Of each entity, for a result.
  std::vector<int64_t> entity_offsets, entity_begins, entity_ends;
  std::vector<float> entity_scores;
  std::vector<int32_t> entity_classes;
  std::vector<const char*> entity_labels;

  // Whether a text was so long that what it took is not worth keeping.
  bool is_large() const {
    size_t longest = std::max(texts.rows().longest(), tokens.longest());
    for (const auto& reader : readers) {
      if (reader != nullptr) longest = std::max(longest, reader->texts.rows().longest());
    }
    return longest > kLargeText;
  }
  static constexpr size_t kLargeText = size_t{1} << 20;
};

// Those of a handle, for calls without a result of their own.
class RunMemoryPool {
 public:
  class Lease {
   public:
    explicit Lease(RunMemoryPool& pool) : pool_(pool), memory_(pool.idle_.take([](const RunMemory&) { return true; })) {
      if (memory_ == nullptr) memory_ = std::make_unique<RunMemory>();
    }
    ~Lease() {
      if (!memory_->is_large()) pool_.idle_.give_back(std::move(memory_));
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    RunMemory& get() const { return *memory_; }

   private:
    RunMemoryPool& pool_;
    std::unique_ptr<RunMemory> memory_;
  };

 private:
  IdlePool<RunMemory> idle_;
};

}  // namespace lffn
