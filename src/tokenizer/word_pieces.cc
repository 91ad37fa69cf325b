// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/word_pieces.h"

#include <algorithm>
#include <utility>

#include "format/utf8.h"
#include "runtime/cancel_flag.h"

namespace lffn {
namespace {

bool has_more_characters(std::string_view text, size_t than) {
  if (text.size() <= than) return false;
  const auto starts = [](char byte) { return !is_inside_character(byte); };
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), starts)) > than;
}

}  // namespace

WordPieces::WordPieces(const Vocabulary& vocabulary, Settings settings, int32_t unknown_id)
    : settings_(std::move(settings)),
      trie_(vocabulary.sorted_tokens()),
      inside_(trie_.start_behind(settings_.prefix)),
      unknown_id_(unknown_id) {}

void WordPieces::split(std::string_view word, std::vector<WordPiece>& pieces, const int32_t* cancel) const {
  poll(cancel);
  pieces.clear();
  uint32_t start = TextTrie::kRoot;
  if (!has_more_characters(word, settings_.longest_word)) {
    size_t at = 0;
    while (at < word.size() && start != TextTrie::kNone) {
      poll(cancel);  // again: with a hostile vocabulary each piece may look through a long word
      const TextTrie::Match piece = trie_.longest(start, word.substr(at));
      if (piece.size == 0) break;
      pieces.push_back({piece.value, at, at + piece.size});
      at += piece.size;
      start = inside_;
    }
    if (at == word.size()) return;
  }
  pieces.assign(1, {unknown_id_, 0, word.size()});
}

}  // namespace lffn
