// SPDX-License-Identifier: Apache-2.0
#include "model/windows.h"

#include <algorithm>

#include "runtime/error.h"

namespace lffn {

void Windows::cut(int64_t tokens, int64_t first, int64_t last, const Sizes& sizes, const char* what) {
  tokens_ = tokens;
  first_ = first;
  last_ = last;
  parts_.clear();
  const int64_t count = last - first, room = sizes.most - (tokens - count);
  if (count <= room) {
    parts_.emplace_back(first, last);
    return;
  }
  if (room < 1) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "%s has %lld tokens with the special ones, which leaves no room in %lld", what,
         static_cast<long long>(tokens - count), static_cast<long long>(sizes.most));
  }
  if (sizes.stride >= room) {
    fail(LFFN_ERROR_INVALID_ARGUMENT, "stride is %lld, a window has only %lld tokens of the text",
         static_cast<long long>(sizes.stride), static_cast<long long>(room));
  }
  for (int64_t begin = 0;; begin += room - sizes.stride) {
    const int64_t end = std::min(begin + room, count);
    parts_.emplace_back(sizes.left ? last - end : first + begin, sizes.left ? last - begin : first + end);
    if (end == count) return;
  }
}

int64_t Windows::place(size_t w, int64_t token) const {
  const auto [begin, end] = parts_[w];
  if (token < first_) return token;
  return token < first_ + end - begin ? token - first_ + begin : token - (first_ + end - begin) + last_;
}

std::pair<int64_t, int64_t> tokens_of_text(const Encoding& encoding, int8_t text) {
  const std::vector<int8_t>& texts = encoding.texts;
  const int64_t first = std::find(texts.begin(), texts.end(), text) - texts.begin();
  const int64_t last = first + std::count(texts.begin(), texts.end(), text);
  if (std::count(texts.begin() + first, texts.begin() + last, text) != last - first) {
    fail(LFFN_ERROR_UNSUPPORTED, "the tokenizer's template puts the %s text in several places",
         text == 0 ? "first" : "second");
  }
  return {first, last};
}

int64_t stride_of(int64_t asked, int64_t most) {
  constexpr int64_t kMostByItself = 128;
  return asked >= 0 ? asked : std::min(most / 2, kMostByItself);
}

}  // namespace lffn
