// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/vocabulary.h"

#include <algorithm>

#include "format/utf8.h"
#include "runtime/error.h"

namespace lffn {

Vocabulary::Vocabulary(std::vector<std::pair<std::string, int32_t>>&& tokens, const std::string& where)
    : tokens_(std::move(tokens)) {
  std::sort(tokens_.begin(), tokens_.end());
  if (tokens_.empty()) return;
  int32_t largest = 0;
  for (const auto& token : tokens_) largest = std::max(largest, token.second);
  place_of_id_.resize(static_cast<size_t>(largest) + 1, kNowhere);
  for (size_t i = 0; i < tokens_.size(); ++i) {
    const auto& [text, id] = tokens_[i];
    if (i > 0 && tokens_[i - 1].first == text) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: the token %s is there twice", where.c_str(), in_quotes(text).c_str());
    }
    uint32_t& place = place_of_id_[static_cast<size_t>(id)];
    if (place != kNowhere) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: the id %d is given to %s and to %s", where.c_str(), id,
           in_quotes(tokens_[place].first).c_str(), in_quotes(text).c_str());
    }
    place = static_cast<uint32_t>(i);
  }
}

int32_t Vocabulary::find(std::string_view token) const {
  const auto found = std::lower_bound(tokens_.begin(), tokens_.end(), token,
                                      [](const auto& entry, std::string_view text) { return entry.first < text; });
  return found != tokens_.end() && found->first == token ? found->second : -1;
}

std::vector<std::pair<std::string, int32_t>> Vocabulary::by_id() const {
  std::vector<std::pair<std::string, int32_t>> result;
  result.reserve(tokens_.size());
  for (const uint32_t place : place_of_id_) {
    if (place != kNowhere) result.push_back(tokens_[place]);
  }
  return result;
}

}  // namespace lffn
