// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/encode_parts.h"

#include <algorithm>

#include "format/utf8.h"
#include "runtime/cancel_flag.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/unicode.h"

namespace lffn {
namespace {

bool ends_in_blank(std::string_view text) {
  const auto last = static_cast<unsigned char>(text.back());
  if (last < 0x80) return last <= ' ';  // also controls that are not blanks, which are rare
  size_t at = character_before(text, text.size());
  return unicode_record(next_character(text, at)).is_space();
}

}  // namespace

// A blank that precedes another character begins a piece, and where a piece ends depends only on what follows its
// beginning. So a part that starts where a piece starts, and ends before a blank but not behind one, has the same
// tokens as that part alone. If such a part is a single piece, both are remembered as one.
void Tokenizer::Parts::add_byte_pairs(std::string_view text) {
  for (size_t at = 0; at < text.size() && !is_enough();) {
    poll(cancel_);
    const size_t end = next_blank(text, at + 1);
    const std::string_view part = text.substr(at, end - at);
    const bool stands_alone = !ends_in_blank(part);
    if (stands_alone && tokenizer_.cache_.find(part, ids_)) {
      at = end;
      continue;
    }
    at = add_new_byte_pairs(text, at, end);
    if (stands_alone && at == end) tokenizer_.cache_.keep(part, scratch_.part);
  }
}

// Returns the end of the last piece that begins before `end`. All tokens are then in scratch_.part.
size_t Tokenizer::Parts::add_new_byte_pairs(std::string_view text, size_t begin, size_t end) {
  PieceCache::Tokens& tokens = scratch_.tokens;
  PieceCache::Tokens& all = scratch_.part;
  all.clear();
  size_t at = begin;
  while (at < end && !is_enough()) {
    poll(cancel_);
    const size_t next = piece_end(text, at), before = at - begin;
    const std::string_view piece = text.substr(at, next - at);
    const bool is_all = at == begin && next == end;
    if (is_all || !tokenizer_.cache_.find(piece, tokens)) {
      tokens.clear();
      tokenizer_.byte_pairs_->split(piece, scratch_.pairs, cancel_, [&](int32_t id, size_t first, size_t last) {
        ids_.push_back(id);
        tokens.add(id, first, last);
        all.add(id, before + first, before + last);
      });
      if (!is_all) tokenizer_.cache_.keep(piece, tokens);
    } else {
      for (const PieceCache::Token& token : tokens) {
        ids_.push_back(token.id);
        all.add(token.id, before + token.begin, before + token.end);
      }
    }
    at = next;
  }
  return at;
}

void Tokenizer::Parts::add_words(std::string_view part) {
  poll(cancel_);
  if (tokenizer_.cache_.find_part(part, ids_)) return;
  const size_t had = ids_.size();
  tokenizer_.normalizer_->normalize(part, 0, false, scratch_.text, scratch_.marks, cancel_);
  const std::string_view text = scratch_.text.text();
  for (Word word = next_word(text, 0); word.begin < word.end; word = next_word(text, word.end)) {
    tokenizer_.word_pieces_->split(text.substr(word.begin, word.end - word.begin), scratch_.pieces, cancel_);
    for (const WordPiece& found : scratch_.pieces) ids_.push_back(found.id);
  }
  tokenizer_.cache_.keep_part(part, ids_.data() + had, ids_.size() - had);
}

// Parts lie between single blanks; runs of several blanks are inside parts. A part is known to stand alone only once
// the next one does, so one part more is read than is enough.
bool Tokenizer::Parts::add_pieces(std::string_view text) {
  const size_t had = ids_.size();
  bool was_enough = false;
  for (size_t at = 0; at < text.size() && !was_enough;) {
    poll(cancel_);
    was_enough = is_enough();
    size_t end = next_blank(text, at);
    while (end + 1 < text.size() && text[end + 1] == ' ') {
      end = next_blank(text, std::min(text.find_first_not_of(' ', end), text.size()));
    }
    const std::string_view part = text.substr(at, end - at);
    const bool is_last_blank = end + 1 == text.size();
    if (is_last_blank || !(tokenizer_.cache_.find_part(part, ids_) || add_new_pieces(part))) {
      ids_.resize(had);
      return false;
    }
    at = end + 1;
  }
  return true;
}

bool Tokenizer::Parts::add_new_pieces(std::string_view part) {
  if (!tokenizer_.normalizer_chain_->normalize_part(part, scratch_.text, scratch_.spare, cancel_)) return false;
  const std::string_view text = scratch_.text.text();
  for (const PreTokenizerStep& step : tokenizer_.description_.pre_tokenizer_steps) {
    const bool has_sign = step.kind == PreTokenizerStep::Kind::kMetaspace &&
                          text.compare(0, step.replacement.size(), step.replacement) == 0;
    if (has_sign) return false;  // alone it would get no sign before it, but behind a blank it has one
  }
  const size_t had = ids_.size();
  Pieces& parts = scratch_.parts;
  cut_pieces(tokenizer_.description_.pre_tokenizer_steps, scratch_.text, {0, text.size()}, parts, cancel_);
  for (const Word& piece : parts.pieces) {
    tokenizer_.unigram_->split(parts.text->text().substr(piece.begin, piece.end - piece.begin), scratch_.unigram,
                               cancel_, [&](int32_t id, size_t, size_t) { ids_.push_back(id); });
  }
  tokenizer_.cache_.keep_part(part, ids_.data() + had, ids_.size() - had);
  return true;
}

}  // namespace lffn
