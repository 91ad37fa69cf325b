// SPDX-License-Identifier: Apache-2.0
// What was read of texts, by a model's call or a tokenizer's, and how outputs give it.
#pragma once

#include <cstdint>

#include "lookupffn/lookupffn.h"
#include "run/memory.h"
#include "run/outputs.h"
#include "texts/text_rows.h"

namespace lffn {

struct ReadRows {
  const TextRows* rows = nullptr;  // nullptr: ids were given
  int64_t num_texts = 0, num_sequences = 0;
  const int32_t* ids = nullptr;
  const int32_t* types = nullptr;           // nullptr: all 0
  const int64_t* offsets = nullptr;         // [num_sequences + 1]
  const int64_t* window_offsets = nullptr;  // [num_texts + 1]
  const int64_t* uncut = nullptr;           // [num_texts]
  const CallMemory* memory = nullptr;       // has statuses and messages

  int64_t num_tokens() const { return offsets[num_sequences]; }
};

inline constexpr OutputSet kSpanOutputs =
    set_of(LFFN_OUT_TOKEN_BEGINS, LFFN_OUT_TOKEN_ENDS, LFFN_OUT_TOKEN_SOURCES, LFFN_OUT_TEXT_BEGINS, LFFN_OUT_TEXT_ENDS,
           LFFN_OUT_PAIR_BEGINS, LFFN_OUT_PAIR_ENDS);
// If one of these is asked for, a text that cannot be read does not fail the call.
inline constexpr OutputSet kFailureOutputs = set_of(LFFN_OUT_STATUSES, LFFN_OUT_MESSAGES, LFFN_OUT_MESSAGE_OFFSETS);
inline constexpr OutputSet kReadOutputs = kSpanOutputs | kFailureOutputs |
                                          set_of(LFFN_OUT_TOKEN_IDS, LFFN_OUT_TOKEN_TYPES, LFFN_OUT_TOKEN_OFFSETS,
                                                 LFFN_OUT_WINDOW_OFFSETS, LFFN_OUT_UNCUT_LENGTHS);

// Lists why texts failed, if that is asked for.
void list_messages(const Outputs& outputs, CallMemory& memory);
void set_read_sizes(Outputs& outputs, const ReadRows& read);
// Gives the outputs that the result keeps, or those that go to the caller's memory. The latter come last, because a
// call that fails leaves that memory alone.
void give_read_rows(Outputs& outputs, const ReadRows& read, bool kept);

}  // namespace lffn
