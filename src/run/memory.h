// SPDX-License-Identifier: Apache-2.0
// What one call needs beside the caller's memory. It keeps what it has grown to, so that the next call of the same size
// allocates nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lookupffn/lookupffn.h"
#include "model/text_batch.h"
#include "run/entities.h"
#include "run/outputs.h"
#include "runtime/idle_pool.h"

namespace lffn {

// Why a text could not be read.
struct TextFailure {
  int64_t text;
  std::string message;
};

struct CallMemory {
  TextBatch texts;  // of a call that runs texts
  // What each thread reads of many texts.
  struct Reader {
    TextBatch texts;
    std::vector<TextFailure> failures;
    TextBatch& rows() { return texts; }
    int64_t num_texts() const { return texts.num_texts(); }
  };
  std::vector<std::unique_ptr<Reader>> readers;
  // The same for a tokenizer alone.
  struct TokenReader {
    TextRows texts;
    std::vector<TextFailure> failures;
    const Tokenizer* tokenizer = nullptr;
    const TextRows::Rules* rules = nullptr;
    void start(const Tokenizer& with, const TextRows::Rules& by) {
      texts.clear();
      failures.clear();
      tokenizer = &with;
      rules = &by;
    }
    TokenReader& rows() { return *this; }
    int64_t num_texts() const { return static_cast<int64_t>(texts.text_offsets().size()) - 1; }
    void add(std::string_view text) { texts.add(*tokenizer, text, nullptr, *rules); }
    void add_pair(std::string_view text, std::string_view pair) { texts.add(*tokenizer, text, &pair, *rules); }
    void add_nothing() { texts.add_nothing(); }
  };
  TokenReader tokens;
  std::vector<std::unique_ptr<TokenReader>> token_readers;

  // What outputs show of texts.
  std::string decoded;                // texts of a tokenizer, with their zero bytes
  std::vector<int64_t> offsets;       // [sequences + 1], of given ids or decoded texts
  std::vector<int64_t> text_offsets;  // [texts + 1], likewise
  std::vector<int64_t> uncut;         // [texts], likewise
  std::vector<lffn_status> statuses;  // [texts]
  std::vector<TextFailure> failures;  // in order
  std::string messages;               // with their zero bytes
  std::vector<int64_t> message_offsets;

  std::vector<int64_t> positions;                      // whose logits are wanted
  std::vector<int64_t> masks, mask_offsets;            // [masks], [sequences + 1]
  std::vector<int64_t> vector_tokens, vector_offsets;  // likewise
  SparseRows sparse;
  EntityFinder entity_finder;
  std::vector<Entity> entities;
  std::vector<int64_t> entity_offsets;   // [texts + 1]
  Room whole_embeddings, embedding_row;  // as the model gives them, where the call wants another form

  Rooms rooms;  // of outputs that the caller has no memory for, or that others are made of

  // Whether a text was so long that the memory for it is not worth keeping.
  bool is_large() const {
    size_t longest = std::max({texts.rows().longest(), tokens.texts.longest(), decoded.size()});
    for (const auto& reader : token_readers) {
      if (reader != nullptr) longest = std::max(longest, reader->texts.longest());
    }
    for (const auto& reader : readers) {
      if (reader != nullptr) longest = std::max(longest, reader->texts.rows().longest());
    }
    return longest > kLargeText;
  }
  static constexpr size_t kLargeText = size_t{1} << 20;
};

// What a result holds: what a call left in its memory, and how it is shown.
struct CallResult {
  CallMemory memory;
  ShownOutputs shown;
};

// The memories of a handle, for calls without a result of their own.
class CallMemoryPool {
 public:
  class Lease {
   public:
    explicit Lease(CallMemoryPool& pool)
        : pool_(pool), memory_(pool.idle_.take([](const CallMemory&) { return true; })) {
      if (memory_ == nullptr) memory_ = std::make_unique<CallMemory>();
    }
    ~Lease() {
      if (!memory_->is_large()) pool_.idle_.give_back(std::move(memory_));
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    CallMemory& get() const { return *memory_; }

   private:
    CallMemoryPool& pool_;
    std::unique_ptr<CallMemory> memory_;
  };

 private:
  IdlePool<CallMemory> idle_;
};

}  // namespace lffn
