// SPDX-License-Identifier: Apache-2.0
// Texts as sequences of token ids back to back, with the bytes that they stand for; long ones in windows, if wanted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "texts/first_text.h"
#include "texts/text_reading.h"
#include "tokenizer/post_processor.h"
#include "tokenizer/tokenizer.h"

namespace lffn {

// A text of too many tokens as several sequences that overlap.

// A window has all tokens of an encoding outside the run [first, last), and a part of that run.
class Windows {
 public:
  struct Sizes {
    int64_t most;    // tokens of a window
    int64_t stride;  // tokens of the run that a window shares with the one before
    bool left;       // the first window ends with the text, else it begins with it
  };

  // As Hugging Face's tokenizers cut: each window begins so far behind the one before that they share `stride` tokens,
  // and the last one ends with the text. `what` names in messages what all windows have. Throws
  // Error(LFFN_ERROR_INVALID_ARGUMENT) where that leaves no room for the run, or no more than the stride.
  void cut(int64_t tokens, int64_t first, int64_t last, const Sizes& sizes, const char* what);

  size_t count() const { return parts_.size(); }
  // The part of the run that window w has.
  std::pair<int64_t, int64_t> part(size_t w) const { return parts_[w]; }
  int64_t first() const { return first_; }
  int64_t last() const { return last_; }
  int64_t length(size_t w) const { return tokens_ - (last_ - first_) + parts_[w].second - parts_[w].first; }
  // The place in the encoding of a window's token.
  int64_t place(size_t w, int64_t token) const;

 private:
  int64_t tokens_ = 0, first_ = 0, last_ = 0;
  std::vector<std::pair<int64_t, int64_t>> parts_;
};

// The range of the tokens of one of an encoding's texts. Throws Error(LFFN_ERROR_UNSUPPORTED) for a template that puts
// the text in several places.
std::pair<int64_t, int64_t> tokens_of_text(const Encoding& encoding, int8_t text);

// The stride that is asked for; below 0: half of a window, at most 128.
int64_t stride_of(int64_t asked, int64_t most);

// Throws Error(LFFN_ERROR_INVALID_ARGUMENT) for a token type that the model lacks: the tokenizer's files need not fit
// the model.
void check_type(int32_t type, int32_t types);
// The same for ids.
void check_word(int32_t id, int32_t words);

// What messages call a text alone, and the two of a pair.
struct TextNames {
  const char* alone;
  const char* first;
  const char* second;
  const char* whole;           // the first one, which windows leave whole
  const char* both;            // with their verb
  const char *before, *after;  // around the number of one among several
};
inline constexpr TextNames kTexts = {"text",   "text", "pair", "the first text", "the text and its pair have",
                                     "texts[", "]"};
inline constexpr TextNames kDocuments = {
    "document", "query", "document", "the query", "the query and the document have", "document ", ""};
inline constexpr TextNames kHypotheses = {
    "text", "text", "hypothesis", "the text", "the text and the hypothesis have", "label ", ""};

class TextRows {
 public:
  struct Rules {
    const TextNames* names = &kTexts;
    std::string_view prompt;  // put before each text; UTF-8
    ReadingRules reading;
    Tokenizer::Options encoding;  // with spans, if those are wanted
    int32_t inserted = -1;        // a token behind a sequence's first one; -1: none
    int32_t filler = -1;          // a token that fills sequences up to `filled` tokens; -1: none
    size_t filled = 0;
    bool windows = false;       // of encoding.most tokens; else what is longer is cut
    int64_t stride = 0;         // tokens that a window repeats of the one before; below 0: see stride_of
    size_t longest = SIZE_MAX;  // more tokens in a sequence are an error
    int32_t types = INT32_MAX;  // types must be below it
    int32_t words = INT32_MAX;  // ids must be, too
  };

  // Keeps the memory.
  void clear();
  // Appends a text, or a pair of them, whose first text is tokenised once for all pairs in a row that have it. Rules
  // and tokenizer stay the same until clear(). Throws Error(LFFN_ERROR_BAD_TEXT) for text that is not UTF-8,
  // LFFN_ERROR_TOO_LONG, LFFN_ERROR_INVALID_ARGUMENT where the rules leave no room; the rows are then as they were.
  void add(const Tokenizer& tokenizer, std::string_view text, const std::string_view* pair, const Rules& rules);
  void add_nothing();  // an empty sequence
  // Overwrites the end of the last sequence. If that is shorter than `ids`, it gets the last of them.
  void overwrite_end(const std::vector<int32_t>& ids);
  // Takes a token out of the sequences of the last text.
  void remove_from_last(int32_t id);
  // Appends some texts of other rows, made by the same rules.
  void add_texts(const TextRows& other, int64_t first, int64_t last);

  int64_t size() const { return static_cast<int64_t>(offsets_.size()) - 1; }  // sequences
  const std::vector<int32_t>& ids() const { return ids_; }
  const std::vector<int32_t>& types() const { return types_; }
  const std::vector<int64_t>& offsets() const { return offsets_; }            // [size() + 1]
  const std::vector<int64_t>& text_offsets() const { return text_offsets_; }  // where each text's sequences begin
  const std::vector<int64_t>& uncut() const { return uncut_; }                // tokens that each text would have uncut
  // [size()] tokens of each sequence without those that fill it.
  const std::vector<int64_t>& unfilled() const { return unfilled_; }
  // For each token, if wanted, as in an Encoding. Spans are in the bytes that were given; tokens of the prompt belong
  // to no text.
  const std::vector<TextSpan>& spans() const { return spans_; }
  const std::vector<int8_t>& texts() const { return texts_; }
  // Likewise: the part of a text, or of its pair, that each sequence stands for.
  const std::vector<TextSpan>& parts(size_t pair) const { return parts_[pair]; }
  // The bytes of the longest text so far, which determines the memory that is kept.
  size_t longest() const { return longest_; }

 private:
  using Part = std::pair<int64_t, int64_t>;

  void encode(const Tokenizer& tokenizer, std::string_view text, const std::string_view* pair, const Rules& rules,
              Tokenizer::Options options);
  void insert(int32_t id);
  void fill(const Rules& rules);
  void locate();
  void find_texts();
  void append(const Rules& rules, bool left, const Part* part);
  TextSpan part_of(size_t text, bool left, const Part* part) const;

  TextReading readings_[2];  // of a text and of its pair
  FirstText first_text_;     // whose reading is still there
  Tokenizer::Scratch scratch_;
  Encoding new_;
  std::pair<int64_t, int64_t> extents_[2];  // where each text in new_ begins and ends, in tokens
  Windows windows_;
  std::vector<int32_t> ids_, types_;
  std::vector<int64_t> offsets_ = {0}, text_offsets_ = {0}, uncut_, unfilled_;
  std::vector<TextSpan> spans_, parts_[2];
  std::vector<int8_t> texts_;
  size_t longest_ = 0;
};

}  // namespace lffn
