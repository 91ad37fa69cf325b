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
  // What a search works with: one for all the texts that a step looks into, one after another.
  struct Scratch {
    struct Frame {
      uint32_t code;  // where else to go on
      size_t at;
      size_t least;  // of a row of characters that may give some back: where it must stop
    };
    // For each place in the text, the instructions from which a match can be completed. Made from the text's end; the
    // rows of a block are made when they are needed.
    struct Outlook {
      size_t origin = 0;            // where the first block begins
      size_t block = SIZE_MAX;      // which of them has rows
      std::vector<uint8_t> rows;    // of each place in that block: a value for each instruction
      std::vector<uint8_t> behind;  // of each block: the row of the first character behind it
      std::vector<uint8_t> last;    // two rows, while the blocks are gone through
    };
    std::vector<Frame> frames;
    Outlook outlook;
    uint64_t tried = 0, foreseen = 0;  // steps without an outlook and with one, in all texts
    size_t before = 0;                 // bytes of the texts that are done
    size_t bytes = 0;                  // of this text
    bool has_outlook = false;

    // Must be called before the first search in each text.
    void begin(size_t text_bytes) {
      before += bytes;
      bytes = text_bytes;
      has_outlook = false;
    }
  };

  // Characters, sets of them, categories, `|`, groups, `(?i:` over ASCII, `?`, `*`, `+`, `{2,3}`, `?+`, `*+`, `++`, and
  // looking one character ahead: `(?!\S)`, `(?=\s)`, `$`. nullopt: the expression has anything else in it, could match
  // the empty text, or has more than 4096 bytes.
  static std::optional<Expression> parse(std::string_view source);

  // The first match at or behind `from`. Finding all matches in a text, one behind another, takes at most time in
  // proportion to the text and to size(), and a byte of memory for each of the text. Throws Error(LFFN_ERROR_CANCELLED)
  // if the flag is set; it may be nullptr.
  std::optional<Match> find(std::string_view text, size_t from, Scratch& scratch, const int32_t* cancel) const;

  // Whether a match can have a blank in it, and whether it can have one with no other white space beside it.
  bool may_match_blank() const;
  bool may_match_single_blank() const;
  size_t size() const { return code_.size(); }  // in instructions
  size_t bytes() const;

 private:
  friend class ExpressionParser;

  struct Instruction {
    enum class Kind : uint8_t {
      kSet,       // one character of a set
      kRow,       // up to `most` characters of a set, as many as possible
      kFirm,      // likewise, but it gives none back
      kSplit,     // goes on with the next one, else at `to`
      kJump,      // goes on at `to`
      kAhead,     // the next character is of a set
      kNotAhead,  // it is not, or there is none
      kMatch
    } kind;
    uint32_t set = 0;
    uint32_t to = 0;
    uint32_t most = 0;  // kEndless, or a bound: of kRow at most 64, of kFirm 1
  };
  static constexpr uint32_t kEndless = UINT32_MAX;

  size_t match_end(std::string_view text, size_t begin, uint32_t start, Scratch& scratch, const int32_t* cancel) const;
  size_t row_end(const Instruction& row, std::string_view text, size_t at, const int32_t* cancel) const;
  void make_outlook(std::string_view text, size_t from, Scratch& scratch, const int32_t* cancel) const;
  void enter_block(std::string_view text, size_t at, Scratch& scratch, const int32_t* cancel) const;
  void note_row(std::string_view text, size_t at, const uint8_t* next, uint8_t* row) const;
  size_t foreseen_end(std::string_view text, size_t begin, uint32_t start, Scratch& scratch,
                      const int32_t* cancel) const;
  void note_starts();
  void note_order();

  std::vector<CharacterSet> sets_;
  std::vector<Instruction> code_;
  std::vector<uint32_t> alternatives_;  // where each begins in the code
  std::vector<uint32_t> order_;         // each instruction behind those that it goes on to at the same place
  // By the first byte of a character: the alternatives that may begin with it, as bits.
  std::array<uint32_t, 256> may_start_ = {};
};

}  // namespace lffn
