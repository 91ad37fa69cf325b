// SPDX-License-Identifier: Apache-2.0
// What is looked for in a text, which is then replaced or cut there: a text or an expression.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/expression.h"

namespace lffn {

class Pattern {
 public:
  using Match = Expression::Match;
  using Scratch = Expression::Scratch;

  Pattern() = default;  // never found
  static Pattern of_text(std::string text);
  static std::optional<Pattern> of_regex(std::string_view source);  // nullopt: it is not supported

  bool is_regex() const { return expression_ != nullptr; }
  const std::string& source() const { return source_; }

  // Whether a match can have a blank in it, and whether it can have one with no other white space beside it.
  bool may_match_blank() const;
  bool may_match_single_blank() const;
  size_t size() const { return expression_ != nullptr ? expression_->size() : 0; }  // of an expression
  size_t bytes() const;

  // The first match at or behind `from`; it is not empty. nullopt: none. A text of no bytes is never found. All matches
  // of a text are found in time in proportion to it; scratch.begin() goes before the first. Throws
  // Error(LFFN_ERROR_CANCELLED) if the flag is set; it may be nullptr.
  std::optional<Match> find(std::string_view text, size_t from, Scratch& scratch, const int32_t* cancel) const;

 private:
  std::optional<Match> find_text(std::string_view text, size_t from, const int32_t* cancel) const;

  std::string source_;
  std::shared_ptr<const Expression> expression_;
  // Of a text, where so many of its bytes match and the next one differs: how many of its first bytes still match.
  std::vector<size_t> fewer_;
};

}  // namespace lffn
