// SPDX-License-Identifier: Apache-2.0
// From text to tokens.
#include <algorithm>

#include "format/utf8.h"
#include "runtime/cancel_flag.h"
#include "runtime/error.h"
#include "tokenizer/encode_parts.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/unicode.h"

namespace lffn {
namespace {

constexpr size_t kChunk = 1 << 16;  // bytes that are normalised at once

constexpr uint32_t kByteBlank = 0x120;  // stands for the blank in the byte alphabet: the reference trims it everywhere

bool is_blank(uint32_t code_point) { return code_point == kByteBlank || unicode_record(code_point).is_space(); }

// How many blanks a token starts and ends with.
struct Blanks {
  size_t leading;
  size_t trailing;
};

Blanks blanks_of_text(std::string_view token) {
  Blanks result = {0, 0};
  for (size_t at = 0; at < token.size() && is_blank(next_character(token, at));) ++result.leading;
  for (size_t end = token.size(); end > 0; ++result.trailing) {
    size_t at = end = character_before(token, end);
    if (!is_blank(next_character(token, at))) break;
  }
  return result;
}

// Calls plain(begin, end) for what lies between added tokens and found(token, begin, end) for each of them, until
// enough().
template <typename Plain, typename FoundToken, typename Enough>
void walk(const AddedTokenFinder& finder, std::string_view text, const int32_t* cancel, const Plain& plain,
          const FoundToken& found, const Enough& enough) {
  AddedTokenFinder::Found last = {nullptr, 0, 0, 0, 0};
  while ((last.end < text.size() || last.next < text.size()) && !enough()) {
    const AddedTokenFinder::Found next = finder.find(text, last, cancel);
    if (last.end < next.begin) plain(last.end, next.begin);
    if (next.token != nullptr) found(*next.token, next.begin, next.end);
    last = next;
  }
}

}  // namespace

// One text becoming tokens.
class Tokenizer::Run {
 public:
  // Ends once there are more than `enough` tokens.
  Run(const Tokenizer& tokenizer, std::string_view text, const Options& options, size_t enough, Scratch& scratch,
      Sequence& to)
      : tokenizer_(tokenizer), text_(text), options_(options), scratch_(scratch), to_(to), enough_(enough) {}

  void run() {
    walk(
        tokenizer_.plain_tokens_, text_, options_.cancel, [&](size_t begin, size_t end) { add_plain(begin, end); },
        [&](const AddedToken& token, size_t begin, size_t end) {
          add_found(token, text_.substr(begin, end - begin), {begin, end});
        },
        [this] { return is_enough(); });
  }

 private:
  bool is_enough() const { return to_.ids.size() > enough_; }
  Parts parts() const { return Parts(tokenizer_, scratch_, options_.cancel, enough_, to_.ids); }

  void add(int32_t id, const TextSpan& span) {
    to_.ids.push_back(id);
    if (!options_.spans) return;
    to_.spans.push_back(span);
    to_.words.push_back(word_);
  }

  bool trims() const { return options_.spans && tokenizer_.description_.post_processing.trims_spans; }

  void add_trimmed(int32_t id, TextSpan span, Blanks blanks) {
    if (trims()) trim(span, blanks);
    add(id, span);
  }

  // Trims by the blanks of the token as the vocabulary writes it.
  void add_trimmed(int32_t id, TextSpan span) {
    add_trimmed(id, span, trims() ? blanks_of_text(tokenizer_.vocabulary_->text(id)) : Blanks{0, 0});
  }

  // The reference counts in characters, whether the blanks are in the text or were put before it.
  void trim(TextSpan& span, Blanks blanks) const {
    const bool is_first = to_.ids.empty() || span.begin == 0;
    const bool keeps = is_first && blanks.leading == 1 && tokenizer_.description_.post_processing.trims_after_prefix;
    for (size_t i = 0; !keeps && i < blanks.leading && span.begin < span.end; ++i) next_character(text_, span.begin);
    size_t end = span.end;
    for (size_t i = 0; i < blanks.trailing; ++i) {
      if (end == 0) return;
      end = character_before(text_, end);
    }
    span.end = std::max(span.begin, end);
  }

  void add_found(const AddedToken& token, std::string_view content, const TextSpan& span) {
    ++word_;
    add_trimmed(token.id, span, trims() ? blanks_of_text(content) : Blanks{0, 0});
  }

  // Adds what lies between the tokens that are looked for in plain text.
  void add_plain(size_t begin, size_t end) {
    if (tokenizer_.normalizer_chain_.has_value() && !tokenizer_.is_plain_bytes_) {
      const bool by_parts = !options_.spans && tokenizer_.has_local_pieces_;
      if (by_parts && parts().add_pieces(text_.substr(begin, end - begin))) return;
      const bool aligned = options_.spans || (tokenizer_.wants_start_ && begin == 0);
      tokenizer_.normalizer_chain_->normalize(text_.substr(begin, end - begin), begin, aligned, scratch_.text,
                                              scratch_.spare, options_.cancel);
      return walk_normalized(begin, [&](size_t first, size_t last) { add_pieces(first, last); });
    }
    if (tokenizer_.is_plain_bytes_) {
      walk(
          tokenizer_.normalized_tokens_, text_.substr(begin, end - begin), options_.cancel,
          [&](size_t first, size_t last) { add_byte_pairs(begin + first, begin + last); },
          [&](const AddedToken& token, size_t first, size_t last) {
            add_found(token, text_.substr(begin + first, last - first), {begin + first, begin + last});
          },
          [this] { return is_enough(); });
      return;
    }
    if (!tokenizer_.normalized_tokens_.empty()) {
      normalize(begin, end);
      return walk_normalized(begin, [&](size_t first, size_t last) { add_words(first, last); });
    }
    if (options_.spans) return add_plain_words(begin, end);
    while (begin < end && !is_enough()) {
      const size_t cut = next_blank(text_.substr(0, end), begin);
      if (cut - begin > PieceCache::kLongest) {
        add_plain_words(begin, cut);
      } else if (begin < cut) {
        parts().add_words(text_.substr(begin, cut - begin));
      }
      begin = cut + 1;
    }
  }

  void add_plain_words(size_t begin, size_t end) {
    while (begin < end && !is_enough()) {
      // The search stops at `end`: else each of many short parts would look through the rest of a long text.
      size_t cut = end - begin > kChunk ? text_.substr(0, end).find_first_of(" \t\r\n", begin + kChunk) : end;
      cut = std::min(cut, end);
      normalize(begin, cut);
      add_words(0, scratch_.text.text().size());
      begin = cut;
    }
  }

  // The normalised text, which came from `begin` on.
  template <typename Plain>
  void walk_normalized(size_t begin, const Plain& plain) {
    walk(
        tokenizer_.normalized_tokens_, scratch_.text.text(), options_.cancel, plain,
        [&](const AddedToken& token, size_t first, size_t last) {
          const bool has_span = options_.spans && first < last;
          add_found(token, scratch_.text.text().substr(first, last - first),
                    has_span ? scratch_.text.from(first, last) : TextSpan{begin, begin});
        },
        [this] { return is_enough(); });
  }

  void normalize(size_t begin, size_t end) {
    poll(options_.cancel);
    tokenizer_.normalizer_->normalize(text_.substr(begin, end - begin), begin, options_.spans, scratch_.text,
                                      scratch_.marks, options_.cancel);
  }

  // Calls add_token(id, begin, end) for each token of the piece, from the cache or else from split().
  template <typename Split, typename AddToken>
  void cut(std::string_view piece, const Split& split, const AddToken& add_token) {
    PieceCache::Tokens& tokens = scratch_.tokens;
    poll(options_.cancel);
    if (tokenizer_.cache_.find(piece, tokens)) {
      for (const PieceCache::Token& token : tokens) add_token(token.id, token.begin, token.end);
      return;
    }
    tokens.clear();
    split([&](int32_t id, size_t begin, size_t end) {
      add_token(id, begin, end);
      tokens.add(id, begin, end);
    });
    tokenizer_.cache_.keep(piece, tokens);
  }

  void add_words(size_t begin, size_t end) {
    const std::string_view text = scratch_.text.text().substr(0, end);
    for (;;) {
      const Word word = next_word(text, begin);
      if (word.begin == word.end || is_enough()) return;
      ++word_;
      const std::string_view piece = text.substr(word.begin, word.end - word.begin);
      const auto split = [&](const auto& add_token) {
        tokenizer_.word_pieces_->split(piece, scratch_.pieces, options_.cancel);
        for (const WordPiece& found : scratch_.pieces) add_token(found.id, found.begin, found.end);
      };
      cut(piece, split, [&](int32_t id, size_t first, size_t last) {
        add(id, options_.spans ? scratch_.text.from(word.begin + first, word.begin + last) : TextSpan{0, 0});
      });
      begin = word.end;
    }
  }

  void add_pieces(size_t begin, size_t end) {
    Pieces& parts = scratch_.parts;
    cut_pieces(tokenizer_.description_.pre_tokenizer_steps, scratch_.text, {begin, end}, parts, options_.cancel);
    for (const Word& part : parts.pieces) {
      if (is_enough()) return;
      ++word_;
      add_piece(parts, part);
    }
  }

  void add_piece(const Pieces& parts, Word part) {
    const std::string_view whole = parts.text->text().substr(0, part.end);
    while (part.begin < part.end && !is_enough()) {
      const size_t end = tokenizer_.byte_pairs_ ? tokenizer_.byte_pairs_->next_cut(whole, part.begin) : part.end;
      const std::string_view piece = whole.substr(part.begin, end - part.begin);
      const auto split = [&](const auto& add_token) {
        if (tokenizer_.unigram_) {
          tokenizer_.unigram_->split(piece, scratch_.unigram, options_.cancel, add_token);
        } else {
          tokenizer_.byte_pairs_->split(piece, scratch_.pairs, options_.cancel, add_token);
        }
      };
      cut(piece, split, [&](int32_t id, size_t first, size_t last) {
        if (!options_.spans) return add(id, {0, 0});
        const TextSpan span = parts.text->from(part.begin + first, part.begin + last);
        if (tokenizer_.byte_pairs_) return add_trimmed(id, span);
        add_trimmed(id, span, trims() ? blanks_of_text(piece.substr(first, last - first)) : Blanks{0, 0});
      });
      part.begin = end;
    }
  }

  void add_byte_pairs(size_t begin, size_t end) {
    std::string_view text = text_.substr(begin, end - begin);
    const bool wants_prefix = tokenizer_.description_.pre_tokenizer_steps[0].add_prefix_space;
    const size_t prefix = wants_prefix && text[0] != ' ' ? 1 : 0;
    if (prefix != 0) {
      scratch_.prefixed = ' ';
      scratch_.prefixed += text;
      text = scratch_.prefixed;
    }
    if (!options_.spans && tokenizer_.byte_pairs_->knows_all_bytes()) return parts().add_byte_pairs(text);
    size_t polled = 0;
    for (size_t at = 0; at < text.size() && !is_enough();) {
      if (at >= polled) {
        poll(options_.cancel);
        polled = at + kChunk;
      }
      const size_t end = piece_end(text, at);
      const std::string_view piece = text.substr(at, end - at);
      ++word_;
      const auto add_token = [&](int32_t id, size_t first, size_t last) {
        if (!options_.spans) return add(id, {0, 0});
        // The prefix counts as part of the first character.
        const size_t from = std::max(at + first, prefix) - prefix, to = std::max(at + last, prefix + 1) - prefix;
        add_trimmed(id, whole_characters(begin + from, begin + to));
      };
      const auto split = [&](const auto& take) {
        tokenizer_.byte_pairs_->split(piece, scratch_.pairs, options_.cancel, take);
      };
      cut(piece, split, add_token);
      at = end;
    }
  }

  // The whole characters that the bytes are part of.
  TextSpan whole_characters(size_t begin, size_t end) const {
    const auto is_inside = [&](size_t at) { return at < text_.size() && is_inside_character(text_[at]); };
    while (is_inside(begin)) --begin;
    while (is_inside(end)) ++end;
    return {begin, end};
  }

  const Tokenizer& tokenizer_;
  std::string_view text_;
  const Options& options_;
  Scratch& scratch_;
  Sequence& to_;
  int32_t word_ = -1;
  size_t enough_;
};

void check_utf8(std::string_view text, const char* name) {
  const size_t valid = valid_utf8_length(text);
  if (valid != text.size()) fail(LFFN_ERROR_BAD_TEXT, "byte %zu of the %s is not valid UTF-8", valid, name);
}

void Tokenizer::encode(std::string_view text, const std::string_view* pair, const Options& options, Scratch& scratch,
                       Encoding& to) const {
  if (!options.checked) {
    check_utf8(text, "text");
    if (pair != nullptr) check_utf8(*pair, "pair");
  }
  const auto split = [&](size_t which, size_t enough) {
    Sequence& sequence = scratch.sequences[which];
    sequence.clear();
    Run(*this, which == 0 ? text : *pair, options, enough, scratch, sequence).run();
    return sequence.ids.size();
  };
  // What would be cut is not read unless it is to be counted: one token more than are kept shows that something is cut.
  const size_t enough = options.uncut || description_.truncates_left ? SIZE_MAX : options.most;
  const size_t first = split(0, enough);
  if (pair != nullptr) {
    const size_t second = split(1, enough);
    // Where both texts are too long, the longer one keeps the odd token. The one that ends first must be read whole to
    // tell which that is.
    const size_t special = options.special ? count_special(description_.post_processing.pair) : 0;
    const bool is_odd = (options.most - special) % 2 != 0;
    if (is_odd && first > enough && second > enough && !options.first_only) {
      const size_t shorter = text.size() <= pair->size() ? 0 : 1;
      split(1 - shorter, split(shorter, SIZE_MAX));
    }
  }
  assemble(description_.post_processing, scratch.sequences[0], pair != nullptr ? &scratch.sequences[1] : nullptr,
           options.special, options.spans, {options.most, description_.truncates_left, options.first_only}, to);
}

}  // namespace lffn
