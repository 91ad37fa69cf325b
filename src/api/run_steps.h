// SPDX-License-Identifier: Apache-2.0
// What calls of a model and of a tokenizer share: the caller's texts, and how a result shows what came of them.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/run_memory.h"
#include "lookupffn/lookupffn.h"

namespace lffn {

// [n + 1] numbers that begin with 0 and never fall. Throws Error(LFFN_ERROR_INVALID_ARGUMENT).
void check_offsets(const int64_t* offsets, int64_t n);
// The same of those that begin anywhere.
void check_rising(const int64_t* offsets, int64_t n, const char* name);

// rows * columns. Throws Error(LFFN_ERROR_INVALID_ARGUMENT) where so many numbers are more than any memory holds.
int64_t extent(int64_t rows, int64_t columns, const char* name);

// One of the caller's texts, whose sizes may be NULL. Throws Error that calls it by its name.
std::string_view text_of(const char* const* texts, const size_t* sizes, int64_t i, const char* name = "text");

// Whether a text's own failure is of this kind.
bool is_of_text(lffn_status status);

// The failures of texts, for a result.
void list_messages(RunMemory& memory);
// Which bytes tokens, texts and pairs stand for, for a result.
void show_spans(const TextRows& rows, RunMemory& memory, lffn_result_view& view);

}  // namespace lffn
