// SPDX-License-Identifier: Apache-2.0
#include "tokenizer/pre_tokenizer_chain.h"

#include <algorithm>

#include "format/utf8.h"
#include "runtime/cancel_flag.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/unicode.h"

namespace lffn {
namespace {

using Kind = PreTokenizerStep::Kind;

void append_metaspaced(const PreTokenizerStep& step, const AlignedText& text, const Word& piece, AlignedText& to,
                       const int32_t* cancel, std::vector<Word>& pieces) {
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
    poll(cancel);
    const size_t next = std::min(all.find(' ', at), piece.end);
    const std::string_view before = all.substr(0, next);
    // The sign may be in the text already.
    for (size_t from = at; from < next;) {
      poll(cancel);
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

void append_split(std::string_view text, const Word& piece, const int32_t* cancel, std::vector<Word>& pieces) {
  size_t start = piece.begin;
  for (size_t at = piece.begin; at < piece.end;) {
    poll(cancel);
    const size_t begin = at;
    if (!unicode_record(next_character(text, at)).is_space()) continue;
    if (start < begin) pieces.push_back({start, begin});
    start = at;
  }
  if (start < piece.end) pieces.push_back({start, piece.end});
}

// Makes pieces of the matches and of the text between them.
class Splitter {
 public:
  Splitter(SplitBehavior behavior, bool inverted, std::vector<Word>& pieces)
      : behavior_(behavior), inverted_(inverted), pieces_(pieces), had_(pieces.size()) {}

  void add(size_t begin, size_t end, bool is_found) {
    is_found = is_found != inverted_;
    const bool has_last = pieces_.size() > had_;
    switch (behavior_) {
      case SplitBehavior::kIsolated:
        pieces_.push_back({begin, end});
        break;
      case SplitBehavior::kRemoved:
        if (!is_found) pieces_.push_back({begin, end});
        break;
      case SplitBehavior::kContiguous:
        join(begin, end, has_last && is_found == was_found_);
        break;
      case SplitBehavior::kMergedWithPrevious:
        join(begin, end, has_last && is_found && !was_found_);
        break;
      case SplitBehavior::kMergedWithNext:
        join(begin, end, has_last && !is_found && was_found_);
        break;
    }
    was_found_ = is_found;
  }

 private:
  void join(size_t begin, size_t end, bool with_last) {
    if (with_last) {
      pieces_.back().end = end;
    } else {
      pieces_.push_back({begin, end});
    }
  }

  SplitBehavior behavior_;
  bool inverted_, was_found_ = false;
  std::vector<Word>& pieces_;
  size_t had_;
};

// is_found(record) says of each character whether it is found.
template <typename IsFound>
void append_characters(const PreTokenizerStep& step, std::string_view text, const Word& piece, const IsFound& is_found,
                       const int32_t* cancel, std::vector<Word>& pieces) {
  Splitter splitter(step.behavior, false, pieces);
  size_t done = piece.begin;
  for (size_t at = piece.begin; at < piece.end;) {
    poll(cancel);
    const size_t begin = at;
    if (!is_found(unicode_record(next_character(text, at)))) continue;
    if (done < begin) splitter.add(done, begin, false);
    splitter.add(begin, at, true);
    done = at;
  }
  if (done < piece.end) splitter.add(done, piece.end, false);
}

// An expression sees nothing but the piece.
void append_found(const PreTokenizerStep& step, std::string_view text, const Word& piece, Pattern::Scratch& search,
                  const int32_t* cancel, std::vector<Word>& pieces) {
  text = text.substr(piece.begin, piece.end - piece.begin);
  Splitter splitter(step.behavior, step.inverted, pieces);
  search.begin(text.size());
  size_t done = 0;
  while (const std::optional<Pattern::Match> match = step.pattern.find(text, done, search, cancel)) {
    poll(cancel);
    if (done < match->begin) splitter.add(piece.begin + done, piece.begin + match->begin, false);
    splitter.add(piece.begin + match->begin, piece.begin + match->end, true);
    done = match->end;
  }
  if (done < text.size()) splitter.add(piece.begin + done, piece.end, false);
}

// Cuts by GPT-2's pattern.
void append_byte_level(std::string_view text, const Word& piece, const int32_t* cancel, std::vector<Word>& pieces) {
  text = text.substr(0, piece.end);
  for (size_t at = piece.begin; at < piece.end;) {
    poll(cancel);
    const size_t end = piece_end(text, at);
    pieces.push_back({at, end});
    at = end;
  }
}

Word append_prefixed(const AlignedText& from, const Word& piece, AlignedText& to, const int32_t* cancel) {
  poll(cancel);
  const size_t begin = to.text().size();
  if (from.text()[piece.begin] != ' ') to.append(" ", from.at(piece.begin));
  to.append(from, piece.begin, piece.end);
  return {begin, to.text().size()};
}

Word append_alphabet(const AlignedText& from, const Word& piece, AlignedText& to, const int32_t* cancel) {
  const size_t begin = to.text().size();
  std::string character;
  for (size_t at = piece.begin; at < piece.end; ++at) {
    poll(cancel);
    character.clear();
    append_byte_character(character, static_cast<uint8_t>(from.text()[at]));
    to.append(character, from.at(at));
  }
  return {begin, to.text().size()};
}

// Runs a step that writes the text anew, piece by piece.
template <typename Write>
void write_anew(Pieces& to, const int32_t* cancel, const Write& write) {
  const AlignedText& from = *to.text;
  AlignedText& next = to.text == &to.texts[0] ? to.texts[1] : to.texts[0];
  next.clear(from.aligned());
  for (Word& piece : to.pieces) piece = write(from, piece, next, cancel);
  to.text = &next;
}

}  // namespace

bool is_local(const std::vector<PreTokenizerStep>& steps) {
  const PreTokenizerStep* cuts = nullptr;  // the step that cuts at blanks
  for (const PreTokenizerStep& step : steps) {
    if (step.kind == Kind::kMetaspace && step.scheme == PrependScheme::kFirst) return false;
    if (cuts == nullptr) cuts = &step;
  }
  if (cuts == nullptr) return false;
  if (cuts->kind == Kind::kMetaspace) return cuts->split && cuts->scheme == PrependScheme::kAlways;
  return cuts->kind == Kind::kWhitespaceSplit;
}

void cut_pieces(const std::vector<PreTokenizerStep>& steps, const AlignedText& text, Word part, Pieces& to,
                const int32_t* cancel) {
  to.text = &text;
  to.pieces.assign(1, part);
  for (AlignedText& each : to.texts) each.limit_as(text);
  for (const PreTokenizerStep& step : steps) {
    poll(cancel);
    if (step.kind == Kind::kByteLevel && step.add_prefix_space) write_anew(to, cancel, append_prefixed);
    to.spare.clear();
    const AlignedText& from = *to.text;
    AlignedText& next = to.text == &to.texts[0] ? to.texts[1] : to.texts[0];
    if (step.kind == Kind::kMetaspace) next.clear(from.aligned());
    for (const Word& piece : to.pieces) {
      switch (step.kind) {
        case Kind::kMetaspace:
          append_metaspaced(step, from, piece, next, cancel, to.spare);
          break;
        case Kind::kWhitespaceSplit:
          append_split(from.text(), piece, cancel, to.spare);
          break;
        case Kind::kPunctuation:
          append_characters(
              step, from.text(), piece, [](const UnicodeRecord& record) { return record.is_punctuation(); }, cancel,
              to.spare);
          break;
        case Kind::kDigits:
          append_characters(
              step, from.text(), piece,
              [](const UnicodeRecord& record) { return record.kind() == UnicodeClass::kNumber; }, cancel, to.spare);
          break;
        case Kind::kSplit:
          append_found(step, from.text(), piece, to.search, cancel, to.spare);
          break;
        case Kind::kByteLevel:
          if (step.use_regex) {
            append_byte_level(from.text(), piece, cancel, to.spare);
          } else {
            to.spare.push_back(piece);
          }
          break;
      }
    }
    if (step.kind == Kind::kMetaspace) to.text = &next;
    to.pieces.swap(to.spare);
    if (step.kind == Kind::kByteLevel && step.writes_bytes) write_anew(to, cancel, append_alphabet);
  }
}

}  // namespace lffn
