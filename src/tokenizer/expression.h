// SPDX-License-Identifier: Apache-2.0
// Regular expressions, as far as published tokenizers have them, with the matches that Oniguruma finds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tokenizer/character_set.h"

namespace lffn {

class Expression {
 public:
  struct Match {
    size_t begin;
    size_t end;
  };
  // What a search works with: one for all the matches in a text, from the first one on.
  struct Scratch {
    struct Frame {
      uint32_t code;    // where else to go on; kNowhere: all that was tried from here has failed
      uint32_t choice;  // what then is known to fail; kNowhere: that is not remembered
      size_t at;
      size_t least;  // of a row of characters that may be shorter: where it must not be cut any more
    };
    std::vector<Frame> frames;
    std::vector<uint64_t> failed;  // a bit for each choice and place in the text, once `remembers`
    uint64_t steps = 0;
    bool remembers = false;

    void clear() {
      steps = 0;
      remembers = false;
    }
  };

  // Characters, sets of them, categories, `|`, groups, `(?i:` over ASCII, `?`, `*`, `+`, `{2,3}`, `?+`, `*+`, `++`, and
  // looking one character ahead: `(?!\S)`, `(?=\s)`, `$`. nullopt: it is another expression, or could match no
  // characters, or has more than 4096 bytes.
  static std::optional<Expression> parse(std::string_view source);

  // The first match at or behind `from`. Finding all matches in a text, one behind another, takes time in proportion to
  // the text, and so does the memory, which is rarely needed. Throws Error(LFFN_ERROR_CANCELLED) if the flag is set; it
  // may be nullptr.
  std::optional<Match> find(std::string_view text, size_t from, Scratch& scratch, const int32_t* cancel) const;

  // Whether a match can have a blank in it, and one with no other white space beside it.
  bool may_match_blank() const;
  bool may_match_single_blank() const;
  size_t bytes() const;

 private:
  friend class ExpressionParser;

  struct Instruction {
    enum class Kind : uint8_t {
      kSet,       // one character of a set
      kRow,       // at most so many characters of a set, the more the better
      kFirm,      // likewise, but never fewer than there are
      kSplit,     // goes on with the next one, else at `to`
      kJump,      // goes on at `to`
      kAhead,     // the next character is of a set
      kNotAhead,  // it is not, or there is none
      kMatch
    } kind;
    uint32_t set = 0;
    uint32_t to = 0;
    uint32_t most = 0;    // of kRow and kFirm
    uint32_t choice = 0;  // of kRow, kFirm and kSplit: their number
  };
  static constexpr uint32_t kEndless = UINT32_MAX, kNowhere = UINT32_MAX;

  size_t match_end(std::string_view text, size_t begin, uint32_t start, Scratch& scratch, const int32_t* cancel) const;
  size_t row_end(const Instruction& row, std::string_view text, size_t at, const int32_t* cancel) const;
  void note_starts();

  std::vector<CharacterSet> sets_;
  std::vector<Instruction> code_;
  std::vector<uint32_t> alternatives_;  // where each begins in the code
  uint32_t choices_ = 0;
  // By the first byte of a character: the alternatives that may begin with it, as bits.
  std::array<uint32_t, 256> may_start_ = {};
};

}  // namespace lffn
