// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/pre_tokenizer.h"

#include <algorithm>
#include <cstdint>

#include "format/utf8.h"
#include "tokenizer/unicode.h"

namespace lffn {
namespace {

// The character that starts at `at`.
struct Character {
  size_t end;
  UnicodeRecord record;
};
Character character_at(std::string_view text, size_t at) {
  const UnicodeRecord record = unicode_record(next_character(text, at));
  return {at, record};
}

// The bytes of 's, 't, 're, 've, 'm, 'll or 'd at an apostrophe; 0 if none is there.
size_t contraction(std::string_view text, size_t at) {
  const char first = at + 1 < text.size() ? text[at + 1] : '\0';
  const char second = at + 2 < text.size() ? text[at + 2] : '\0';
  switch (first) {
    case 's':
    case 't':
    case 'm':
    case 'd':
      return 2;
    case 'r':
    case 'v':
      return second == 'e' ? 3 : 0;
    case 'l':
      return second == 'l' ? 3 : 0;
    default:
      return 0;
  }
}

}  // namespace

size_t run_end(std::string_view text, size_t at, UnicodeClass kind) {
  while (at < text.size()) {
    const Character character = character_at(text, at);
    if (character.record.kind() != kind) break;
    at = character.end;
  }
  return at;
}

Word next_word(std::string_view text, size_t at) {
  Character first = {at, {0, 0}};
  while (at < text.size() && (first = character_at(text, at)).record.is_space()) at = first.end;
  if (at == text.size()) return {at, at};
  size_t end = first.end;
  while (!first.record.is_punctuation() && end < text.size()) {
    const Character next = character_at(text, end);
    if (next.record.is_space() || next.record.is_punctuation()) break;
    end = next.end;
  }
  return {at, end};
}

size_t piece_end(std::string_view text, size_t at) {
  if (text[at] == '\'') {
    const size_t size = contraction(text, at);
    if (size > 0) return at + size;
  }
  // One space goes with the letters, digits or signs that follow it.
  const size_t start = text[at] == ' ' && at + 1 < text.size() ? at + 1 : at;
  const Character first = character_at(text, start);
  if (!first.record.is_space()) return run_end(text, first.end, first.record.kind());

  const size_t end = run_end(text, at, UnicodeClass::kSpace), last = character_before(text, end);
  // Before anything else than blanks the last blank stays, to start the next piece.
  return end == text.size() || last == at ? end : last;
}

namespace {

void append_metaspaced(const PreTokenizerStep& step, const AlignedText& text, const Word& piece, AlignedText& to,
                       std::vector<Word>& pieces) {
  const std::string& sign = step.replacement;
  const std::string_view all = text.text().substr(0, piece.end);
  size_t start = to.text().size(), at = piece.begin;
  const bool has_sign = all[at] == ' ' || all.compare(at, sign.size(), sign) == 0;
  const bool may_prepend = step.scheme == PrependScheme::kAlways ||
                           (step.scheme == PrependScheme::kFirst && text.aligned() && text.at(at).begin == 0);
  if (!has_sign && may_prepend) to.append(sign, text.at(at));
  const auto end_piece = [&](size_t end) {
    if (start < end) pieces.push_back({start, end});
    start = end;
  };
  while (at < piece.end) {
    const size_t next = std::min(all.find(' ', at), piece.end);
    const std::string_view before = all.substr(0, next);
    // The sign may be in the text already.
    for (size_t from = at; from < next;) {
      const size_t found = step.split ? std::min(before.find(sign, from), next) : next;
      to.append(text, from, found);
      if (found == next) break;
      end_piece(to.text().size());
      to.append(text, found, found + sign.size());
      from = found + sign.size();
    }
    if (next < piece.end) {
      if (step.split) end_piece(to.text().size());
      to.append(sign, text.at(next));
      at = next + 1;
    } else {
      at = next;
    }
  }
  end_piece(to.text().size());
}

void append_split(std::string_view text, const Word& piece, std::vector<Word>& pieces) {
  size_t start = piece.begin;
  for (size_t at = piece.begin; at < piece.end;) {
    const size_t begin = at;
    if (!unicode_record(next_character(text, at)).is_space()) continue;
    if (start < begin) pieces.push_back({start, begin});
    start = at;
  }
  if (start < piece.end) pieces.push_back({start, piece.end});
}

void append_punctuated(std::string_view text, const Word& piece, std::vector<Word>& pieces) {
  size_t start = piece.begin;
  for (size_t at = piece.begin; at < piece.end;) {
    const size_t begin = at;
    if (!unicode_record(next_character(text, at)).is_punctuation()) continue;
    if (start < begin) pieces.push_back({start, begin});
    pieces.push_back({begin, at});
    start = at;
  }
  if (start < piece.end) pieces.push_back({start, piece.end});
}

}  // namespace

bool is_local(const std::vector<PreTokenizerStep>& steps) {
  const PreTokenizerStep* cuts = nullptr;  // the step that cuts at blanks
  for (const PreTokenizerStep& step : steps) {
    if (step.kind == PreTokenizerStep::Kind::kMetaspace && step.scheme == PrependScheme::kFirst) return false;
    if (cuts == nullptr) cuts = &step;
  }
  if (cuts == nullptr || cuts->kind == PreTokenizerStep::Kind::kPunctuation) return false;
  return cuts->kind != PreTokenizerStep::Kind::kMetaspace || (cuts->split && cuts->scheme == PrependScheme::kAlways);
}

void cut_pieces(const std::vector<PreTokenizerStep>& steps, const AlignedText& text, Word part, Pieces& to) {
  to.text = &text;
  to.pieces.assign(1, part);
  for (const PreTokenizerStep& step : steps) {
    to.spare.clear();
    const AlignedText& from = *to.text;
    AlignedText& next = to.text == &to.texts[0] ? to.texts[1] : to.texts[0];
    if (step.kind == PreTokenizerStep::Kind::kMetaspace) next.clear(from.aligned());
    for (const Word& piece : to.pieces) {
      switch (step.kind) {
        case PreTokenizerStep::Kind::kMetaspace:
          append_metaspaced(step, from, piece, next, to.spare);
          break;
        case PreTokenizerStep::Kind::kWhitespaceSplit:
          append_split(from.text(), piece, to.spare);
          break;
        case PreTokenizerStep::Kind::kPunctuation:
          append_punctuated(from.text(), piece, to.spare);
          break;
      }
    }
    if (step.kind == PreTokenizerStep::Kind::kMetaspace) to.text = &next;
    to.pieces.swap(to.spare);
  }
}

}  // namespace lffn
