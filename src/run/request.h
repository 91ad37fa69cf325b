// SPDX-License-Identifier: Apache-2.0
// What one run of a model reads, how, and how it runs. Outputs says what is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "lookupffn/lookupffn.h"
#include "model/model.h"
#include "run/entities.h"
#include "texts/text_rows.h"

namespace lffn {

// Texts as a caller has them: sizes may be NULL, and so may pairs or some of them.
struct GivenTexts {
  int64_t n = 0;
  const char* const* texts = nullptr;
  const size_t* text_sizes = nullptr;
  const char* const* pairs = nullptr;
  const size_t* pair_sizes = nullptr;
  const TextNames* names = &kTexts;  // in messages
  int64_t first = 0;                 // what messages call the first one
};

struct GivenIds {
  const int32_t* ids = nullptr;
  const int64_t* offsets = nullptr;
  const int32_t* types = nullptr;  // nullptr: all 0
};

struct Request {
  // What is read: given.n texts, or given.n sequences of ids.
  GivenTexts given;
  GivenIds sequences;
  bool has_texts() const { return given.texts != nullptr; }

  // How texts are read.
  bool plain = false;
  bool repairs = false;
  int32_t prompt_kind = LFFN_PROMPT_MODEL;
  std::string_view prompt;
  int64_t max_tokens = LFFN_MAX_TOKENS_MODEL;
  bool first_only = false;  // of a pair only the first text is cut
  int32_t windows = LFFN_WINDOWS_NONE;
  int64_t stride = 0;

  // How outputs are made.
  std::optional<Pooling> pooling;
  Scaling scaling = Scaling::kAsModel;
  int32_t dimensions = 0;
  int32_t top_k = 0;
  bool all_positions = false;
  const int64_t* positions = nullptr;
  int64_t num_positions = 0;
  Aggregation aggregation = Aggregation::kSimple;
  bool all_labels = false;
  int32_t max_active = LFFN_MAX_ACTIVE_MODEL;
  float min_weight = 0;

  // How it runs.
  int32_t num_threads = 0;
  const int32_t* cancel = nullptr;
  lffn_run_progress_callback progress = nullptr;
  void* progress_user = nullptr;
};

}  // namespace lffn
