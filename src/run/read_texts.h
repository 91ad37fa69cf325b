// SPDX-License-Identifier: Apache-2.0
// Reads the texts that a caller gives, by several threads at once: those of a model's call and of a tokenizer's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run/memory.h"
#include "run/request.h"
#include "runtime/cancel_flag.h"
#include "runtime/error.h"
#include "runtime/threads.h"

namespace lffn {

// One of a caller's texts. Throws Error with a message that calls it `name`.
std::string_view text_of(const char* const* texts, const size_t* sizes, int64_t i, const char* name = "text");

// Whether the status means that a single text failed.
bool is_of_text(lffn_status status);

// Appends a text to `rows`, which has add(text), add_pair(text, pair) and add_nothing(). A text that cannot be read
// becomes an empty sequence, a status and a failure.
template <typename Rows>
void read_text(const GivenTexts& given, int64_t i, Rows& rows, std::vector<lffn_status>& statuses,
               std::vector<TextFailure>& failures) {
  try {
    const bool has_pair = given.pairs != nullptr && given.pairs[i] != nullptr;
    const std::string_view text =
        text_of(given.texts, given.text_sizes, i, has_pair ? given.names->first : given.names->alone);
    if (has_pair) {
      rows.add_pair(text, text_of(given.pairs, given.pair_sizes, i, given.names->second));
    } else {
      rows.add(text);
    }
  } catch (const Error& error) {
    if (!is_of_text(error.status())) throw;
    statuses[static_cast<size_t>(i)] = error.status();
    failures.push_back({i, error.what()});
    rows.add_nothing();
  }
}

// The size of a block: neighbouring texts that one thread reads one after another.
constexpr int64_t kTextsOfBlock = 32;
inline int64_t blocks_of(int64_t n) { return (n + kTextsOfBlock - 1) / kTextsOfBlock; }

// Each thread reads blocks of texts into a reader of its own, which make(thread) returns when the thread begins: a
// pointer that stays valid, to an object with rows(), num_texts() and `failures`. Then join(reader, first, last) gets
// the texts in their order. `failures` is in that order, too.
template <typename Make, typename Join>
void read_in_blocks(const GivenTexts& given, Executor& executor, int32_t threads, const int32_t* cancel,
                    std::vector<lffn_status>& statuses, std::vector<TextFailure>& failures, Make&& make, Join&& join) {
  using Reader = decltype(make(0));
  struct Block {
    Reader reader = nullptr;
    int64_t first = 0, last = 0;  // texts of the reader
  };
  const int64_t num_blocks = blocks_of(given.n);
  std::vector<Block> blocks(static_cast<size_t>(num_blocks));
  std::vector<Reader> readers(static_cast<size_t>(threads), nullptr);
  run_call(executor, threads, [&] {
    parallel_for(num_blocks, threads, [&](int64_t b, int32_t thread) {
      poll(cancel);
      Reader& reader = readers[static_cast<size_t>(thread)];
      if (reader == nullptr) reader = make(thread);
      const int64_t first = reader->num_texts(), last = std::min(given.n, (b + 1) * kTextsOfBlock);
      for (int64_t i = b * kTextsOfBlock; i < last; ++i) {
        read_text(given, i, reader->rows(), statuses, reader->failures);
      }
      blocks[static_cast<size_t>(b)] = {reader, first, reader->num_texts()};
    });
  });
  for (const Block& block : blocks) join(*block.reader, block.first, block.last);
  failures.clear();
  for (const Reader reader : readers) {
    if (reader == nullptr) continue;
    std::move(reader->failures.begin(), reader->failures.end(), std::back_inserter(failures));
  }
  std::sort(failures.begin(), failures.end(),
            [](const TextFailure& a, const TextFailure& b) { return a.text < b.text; });
}

}  // namespace lffn
