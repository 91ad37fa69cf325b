// SPDX-License-Identifier: Apache-2.0
// What is looked for in a text to be replaced: a text, or one of the few regular expressions that tokenizers have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lffn {

class Pattern {
 public:
  struct Match {
    size_t begin;
    size_t end;
  };

  static Pattern of_text(std::string text);
  // Alternatives, each of which is a row of single characters, sets ("[\n\r\t]", "[^a-z]") and kinds of characters
  // ("\s", "\w"), or one of these with how often it comes ("{2,}", "+"). nullopt: it is another one.
  static std::optional<Pattern> of_regex(std::string_view source);

  bool is_regex() const { return is_regex_; }
  const std::string& source() const { return source_; }
  // Longer ones are refused: as many bytes may be compared at each place.
  static constexpr size_t kMaxSource = 256;

  // Whether a match can have in it a blank with no other white space beside it.
  bool may_match_single_blank() const;

  // The first match at or behind `from`; it is not empty. nullopt: none. A text of no bytes is never found.
  std::optional<Match> find(std::string_view text, size_t from) const;

 private:
  struct Set {
    std::vector<std::pair<uint32_t, uint32_t>> ranges;
    std::string kinds;  // of "swSW"
    bool negated = false;
    bool has(uint32_t code_point) const;
    bool has_spaces_only() const;
  };
  struct Alternative {
    std::vector<Set> row;
    size_t least = 1, most = 1;  // how often the only set of a row comes
  };
  class Parser;

  size_t match_end(std::string_view text, const Alternative& alternative, size_t at) const;  // `at`: no match
  void note_starts();

  std::string source_;
  bool is_regex_ = false;
  std::vector<Alternative> alternatives_;
  bool may_start_[256] = {};
};

}  // namespace lffn
