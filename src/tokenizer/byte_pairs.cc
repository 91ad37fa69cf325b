// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/byte_pairs.h"

#include <array>
#include <unordered_map>
#include <unordered_set>

#include "format/utf8.h"
#include "runtime/error.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/seeded_hash.h"

namespace lffn {

BytePairs::BytePairs(const Vocabulary& vocabulary, const Texts& merges, int32_t unknown_id, const std::string& where)
    : num_known_(static_cast<uint32_t>(vocabulary.end())), unknown_id_(unknown_id) {
  std::unordered_map<std::string, uint32_t, SeededHash> numbers;
  const auto symbol_of = [&](const std::string& text) {
    const int32_t id = vocabulary.find(text);
    if (id >= 0) return static_cast<uint32_t>(id);
    const auto [entry, added] = numbers.try_emplace(text, num_known_ + static_cast<uint32_t>(outside_.size()));
    if (added) outside_.push_back(text);
    return entry->second;
  };

  std::array<uint32_t, 256> byte_symbols;
  for (size_t byte = 0; byte < byte_symbols.size(); ++byte) {
    std::string text;
    append_byte_character(text, static_cast<uint8_t>(byte));
    byte_symbols[byte] = symbol_of(text);
    is_lost_[byte] = byte_symbols[byte] >= num_known_ && unknown_id < 0;
    loses_bytes_ = loses_bytes_ || is_lost_[byte];
  }
  std::vector<Merge> by_rank;
  by_rank.reserve(merges.size());
  std::unordered_set<uint64_t, SeededHash> pairs;
  for (const auto& [left, right] : merges) {
    const auto refuse = [&, &first = left, &second = right](const char* why) {
      fail(LFFN_ERROR_BAD_MODEL, "%s: the merge of %s and %s is %s", where.c_str(), in_quotes(first).c_str(),
           in_quotes(second).c_str(), why);
    };
    std::string bytes;
    const bool known = append_token_bytes(bytes, left) && append_token_bytes(bytes, right);
    if (!known || left.empty() || right.empty()) refuse("not of the byte alphabet");
    const Merge merge = {symbol_of(left), symbol_of(right), symbol_of(left + right)};
    if (!pairs.insert(uint64_t{merge.left} << 32 | merge.right).second) refuse("there twice");
    by_rank.push_back(merge);
  }
  merger_.emplace(byte_symbols, std::move(by_rank));
}

std::string_view BytePairs::without_lost_bytes(std::string_view piece, std::string& kept) const {
  kept.clear();
  for (const char byte : piece) {
    if (!is_lost_[static_cast<unsigned char>(byte)]) kept += byte;
  }
  return kept;
}

BytePairs::Texts BytePairs::merges(const Vocabulary& vocabulary) const {
  const auto text = [&](uint32_t symbol) {
    return symbol < num_known_ ? std::string(vocabulary.text(static_cast<int32_t>(symbol)))
                               : outside_[symbol - num_known_];
  };
  Texts result;
  for (const Merge& merge : merger_->merges()) result.emplace_back(text(merge.left), text(merge.right));
  return result;
}

}  // namespace lffn
